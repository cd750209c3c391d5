// The example app: one circuit per file of statemachine/circuits. CONTEXT (-c name=value):
//   circuits=DIR        another directory of policies
//   stack=NAME          another name than Stepbreaker
//   placeholders=true   synthesises without executables; such an app must not be deployed
//   public=true         lets everybody call, without a signature
//   destroy=true        the table goes with the stack
//   binaries=DIR        another directory than dist/lambdas
import { statSync } from 'node:fs';
import { App, RemovalPolicy } from 'aws-cdk-lib';
import { LambdaBinaries, PolicyError, StepbreakerStack } from '../lib/index.ts';

/** What CloudFormation takes (AWS, *CloudFormation quotas*: the body of a template). */
const MOST_BYTES = 1_000_000;

const app = new App();
const text = (name: string): string | undefined => {
  const value: unknown = app.node.tryGetContext(name);
  return value === undefined ? undefined : String(value);
};
const isOn = (name: string): boolean => text(name) === 'true';

try {
  const directory = text('circuits');
  new StepbreakerStack(app, text('stack') ?? 'Stepbreaker', {
    ...(directory === undefined ? {} : { circuits: directory }),
    binaries: isOn('placeholders') ? LambdaBinaries.placeholders() : LambdaBinaries.fromDirectory(text('binaries')),
    publicAccess: isOn('public'),
    removalPolicy: isOn('destroy') ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
  });
} catch (error) {
  // A person's own mistake is told without our stack trace.
  if (error instanceof PolicyError) {
    console.error(error.message);
    process.exit(2);
  }
  throw error;
}
for (const { stackName, templateFullPath } of app.synth().stacks) {
  const bytes = statSync(templateFullPath).size;
  if (bytes > MOST_BYTES) {
    console.error(`${stackName}: its template has ${bytes} bytes; allowed: at most ${MOST_BYTES}. Deploy some of the policies as another stack, from a directory of their own (-c circuits=… -c stack=…)`);
    process.exit(2);
  }
}
