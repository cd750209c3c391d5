// A shop's own app. `npx cdk deploy --app 'node_modules/.bin/tsx examples/shop.ts'` deploys it.
import { App } from 'aws-cdk-lib';
import { ShopStack } from './shop-stack.ts';

const app = new App();
new ShopStack(app, 'Shop');
app.synth();
