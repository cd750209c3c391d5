import { Stack, type StackProps } from 'aws-cdk-lib';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { CircuitBreaker, CircuitBreakerApi, CircuitStore, LambdaBinaries } from 'stepbreaker-infra';

export interface ShopStackProps extends StackProps {
  /** @default what `make lambdas` built */
  readonly binaries?: LambdaBinaries;
}

export class ShopStack extends Stack {
  constructor(scope: Construct, id: string, props: ShopStackProps = {}) {
    super(scope, id, props);
    const onCall = new Topic(this, 'OnCall');
    const checkout = new Role(this, 'Checkout', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });

    // The table, and the two functions that decide on it: one for all circuits.
    const store = new CircuitStore(this, 'Circuits', { binaries: props.binaries ?? LambdaBinaries.fromDirectory() });

    // A policy by its file…
    const stock = new CircuitBreaker(this, 'WholesalerStock', {
      policy: '../statemachine/circuits/wholesaler-stock.json',
      store,
      maxConcurrentCalls: 50,
      alarmActions: [new SnsAction(onCall)],
    });
    // … or as an object.
    const rates = new CircuitBreaker(this, 'ExchangeRates', {
      policy: {
        circuit: 'exchange-rates',
        params: { currency: '[A-Z]{3}' },
        call: { url: 'https://rates.example.com/v1/{currency}', secretHeaders: { 'x-api-key': { secret: 'shop/rates' } } },
        fallback: { body: { rate: null } },
      },
      store,
    });

    // Whoever has no need of HTTP starts executions and waits for their end (StartSyncExecution).
    rates.grantStartExecution(checkout);

    // Whoever has gets the API; its requests are signed.
    const frontDoor = new CircuitBreakerApi(this, 'FrontDoor', { circuits: [stock, rates] });
    frontDoor.grantCall(checkout);
  }
}
