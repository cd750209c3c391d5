import { CfnOutput, type RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { CircuitBreaker } from './circuit-breaker.ts';
import { CircuitBreakerApi } from './circuit-breaker-api.ts';
import { CircuitStore } from './circuit-store.ts';
import type { LambdaBinaries } from './lambda-binaries.ts';
import { policiesOf } from './policy.ts';
import { CIRCUITS } from './repository.ts';

export interface StepbreakerStackProps extends StackProps {
  /**
   * The directory of policies; each file is a circuit.
   *
   * @default `statemachine/circuits`
   */
  readonly circuits?: string;

  /** @default what `make lambdas` built */
  readonly binaries?: LambdaBinaries;

  /** @default false: requests are signed (IAM) */
  readonly publicAccess?: boolean;

  /** @default RemovalPolicy.RETAIN */
  readonly removalPolicy?: RemovalPolicy;

  /** @default true: this app makes the account's role for API Gateway's logs */
  readonly cloudWatchRole?: boolean;
}

/** How many circuits fit: a stack has 500 resources, of which a circuit takes up to 19, and a template one megabyte. */
export const MOST_CIRCUITS = 24;

/** One circuit per policy file, what they share, and an API in front of them. */
export class StepbreakerStack extends Stack {
  readonly circuits: readonly CircuitBreaker[];

  constructor(scope: Construct, id: string, props: StepbreakerStackProps = {}) {
    super(scope, id, { description: 'Circuit breakers on Step Functions, one per policy.', ...props });
    const directory = props.circuits ?? CIRCUITS;
    const policies = policiesOf(directory);
    if (policies.length > MOST_CIRCUITS) {
      throw new Error(`${directory} has ${policies.length} policies; allowed: at most ${MOST_CIRCUITS} in one stack. Deploy the others as another stack, with a directory of their own (-c circuits=… -c stack=…)`);
    }
    const store = new CircuitStore(this, 'Store', {
      ...(props.binaries === undefined ? {} : { binaries: props.binaries }),
      ...(props.removalPolicy === undefined ? {} : { removalPolicy: props.removalPolicy }),
    });
    // Below a construct of their own, so that no circuit's name is taken for one of ours.
    const circuits = new Construct(this, 'Circuits');
    this.circuits = policies.map((policy) => new CircuitBreaker(circuits, policy.circuit, { policy, store }));
    const { api } = new CircuitBreakerApi(this, 'FrontDoor', {
      circuits: this.circuits,
      publicAccess: props.publicAccess ?? false,
      cloudWatchRole: props.cloudWatchRole ?? true,
    });
    const url = api.url.replace(/\/$/, '');
    new CfnOutput(this, 'ApiUrl', { value: url, description: 'The front door' });
    if (this.node.tryGetContext('frontDoor') !== undefined) {
      // An engine of one's own has another URL than AWS would have.
      const base = String(this.node.tryGetContext('frontDoor'));
      new CfnOutput(this, 'LocalUrl', { value: `${base}/${api.restApiId}/${api.deploymentStage.stageName}` });
    }
    new CfnOutput(this, 'TableName', { value: store.table.tableName, description: 'The table of circuits' });
    new CfnOutput(this, 'AcquireProbeFunction', { value: store.acquireProbe.functionName });
    new CfnOutput(this, 'RecordOutcomeFunction', { value: store.recordOutcome.functionName });
    for (const circuit of this.circuits) {
      const name = circuit.node.id.split(/[^A-Za-z0-9]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
      new CfnOutput(this, `MachineArn${name}`, { value: circuit.stateMachine.stateMachineArn, description: `The workflow of ${circuit.node.id}` });
    }
    const [first] = this.circuits;
    if (first !== undefined) {
      new CfnOutput(this, 'CallPartnerFunction', { value: first.callPartner.functionName, description: `The caller of ${first.node.id}` });
      const signed = props.publicAccess === true ? '' : ` --aws-sigv4 aws:amz:${this.region}:execute-api --user "$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY" -H "x-amz-security-token: $AWS_SESSION_TOKEN"`;
      new CfnOutput(this, 'Curl', { value: `curl${signed} ${url}/circuits/${first.node.id}`, description: 'Asks what is stored of a circuit' });
    }
  }
}
