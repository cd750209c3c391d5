import { CfnOutput, CfnResource, type RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { CircuitBreaker } from './circuit-breaker.ts';
import { CircuitBreakerApi } from './circuit-breaker-api.ts';
import { CircuitStore } from './circuit-store.ts';
import type { LambdaBinaries } from './lambda-binaries.ts';
import { policiesOf, PolicyError } from './policy.ts';
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

/** What a stack holds (AWS, *CloudFormation quotas*). A circuit takes 17, and some more for its route. */
const MOST_RESOURCES = 500;

/** One circuit per policy file, what they share, and an API in front of them. */
export class StepbreakerStack extends Stack {
  readonly circuits: readonly CircuitBreaker[];

  constructor(scope: Construct, id: string, props: StepbreakerStackProps = {}) {
    super(scope, id, { description: 'Circuit breakers on Step Functions, one per policy.', ...props });
    const directory = props.circuits ?? CIRCUITS;
    const policies = policiesOf(directory);
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
    const resources = this.node.findAll().filter((each) => CfnResource.isCfnResource(each)).length;
    if (resources > MOST_RESOURCES) {
      throw new PolicyError(`${directory}: has ${policies.length} policies, which need ${resources} resources; allowed: at most ${MOST_RESOURCES} in one stack. Deploy some of them as another stack, from a directory of their own (-c circuits=… -c stack=…)`);
    }
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
      const name = `MachineArn${words(circuit.node.id)}`;
      // Of two circuits whose names differ in nothing but case and signs, the second has a number.
      const same = this.circuits.slice(0, this.circuits.indexOf(circuit)).filter((other) => words(other.node.id) === words(circuit.node.id)).length;
      new CfnOutput(this, same === 0 ? name : `${name}${same + 1}`, { value: circuit.stateMachine.stateMachineArn, description: `The workflow of ${circuit.node.id}` });
    }
    const [first] = this.circuits;
    if (first !== undefined) {
      new CfnOutput(this, 'CallPartnerFunction', { value: first.callPartner.functionName, description: `The caller of ${first.node.id}` });
      const signed = props.publicAccess === true ? '' : ` --aws-sigv4 aws:amz:${this.region}:execute-api --user "$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY" -H "x-amz-security-token: $AWS_SESSION_TOKEN"`;
      new CfnOutput(this, 'Curl', { value: `curl${signed} ${url}/circuits/${first.node.id}`, description: 'Asks what is stored of a circuit' });
    }
  }
}

/** A circuit's name as an output's may be: letters and digits. */
function words(circuit: string): string {
  return circuit.split(/[^A-Za-z0-9]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
