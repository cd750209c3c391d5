import { CfnOutput, CfnParameter, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AttributeType, BillingMode, type ITable, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { Function, type IFunction, LoggingFormat, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, LogGroup, type MetricFilter, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { allow, functionRole } from './function-role.ts';
import { type FunctionName, LambdaBinaries } from './lambda-binaries.ts';

export interface CircuitStoreProps {
  /**
   * The table, with the string key `circuit`.
   *
   * @default a new one: on demand, encrypted, with point-in-time recovery and TTL on `expiresAt`
   */
  readonly table?: ITable;

  /**
   * What becomes of the new table when the stack is deleted. It holds people's overrides, and what breakers know.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;

  /**
   * The executables.
   *
   * @default what `make lambdas` built
   */
  readonly binaries?: LambdaBinaries;

  /**
   * How long logs are kept.
   *
   * @default RetentionDays.ONE_MONTH
   */
  readonly logRetention?: RetentionDays;
}

/** What all circuits share: the table of their states, and the two functions that decide on it. */
export class CircuitStore extends Construct {
  readonly table: ITable;
  readonly acquireProbe: IFunction;
  readonly recordOutcome: IFunction;
  readonly binaries: LambdaBinaries;
  readonly logRetention: RetentionDays;
  /** Where the metrics of this deployment's circuits stand. */
  readonly metricNamespace: string;
  /** Counts openings, by the circuit's name. */
  readonly openings: MetricFilter;

  constructor(scope: Construct, id: string, props: CircuitStoreProps = {}) {
    super(scope, id);
    this.binaries = props.binaries ?? LambdaBinaries.fromDirectory();
    if (this.binaries.arePlaceholders) {
      refuseDeployment(Stack.of(this));
    }
    this.logRetention = props.logRetention ?? RetentionDays.ONE_MONTH;
    this.metricNamespace = `Stepbreaker/${Stack.of(this).stackName}`;
    this.table =
      props.table ??
      new Table(this, 'Circuits', {
        partitionKey: { name: 'circuit', type: AttributeType.STRING },
        billingMode: BillingMode.PAY_PER_REQUEST,
        encryption: TableEncryption.AWS_MANAGED,
        pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
        timeToLiveAttribute: 'expiresAt',
        removalPolicy: props.removalPolicy ?? RemovalPolicy.RETAIN,
      });
    [this.acquireProbe] = this.#function('AcquireProbe', 'acquire-probe', 'Grants or refuses the lease of a half-open circuit\'s probe.');
    const [recordOutcome, log] = this.#function('RecordOutcome', 'record-outcome', 'Counts outcomes, and makes every transition of a circuit that a call causes.');
    this.recordOutcome = recordOutcome;
    this.openings = log.addMetricFilter('Openings', {
      filterPattern: FilterPattern.literal('{ ($.recorded = "opened") || ($.recorded = "reopened") }'),
      metricNamespace: this.metricNamespace,
      metricName: 'Opened',
      dimensions: { Circuit: '$.circuit' },
    });
  }

  #function(id: string, name: FunctionName, description: string): [IFunction, LogGroup] {
    const log = new LogGroup(this, `${id}Log`, { retention: this.logRetention, removalPolicy: RemovalPolicy.DESTROY });
    const role = functionRole(this, `${id}Role`, log, [allow(['dynamodb:UpdateItem'], [this.table.tableArn])]);
    const made = new Function(this, id, {
      description,
      runtime: Runtime.PROVIDED_AL2023,
      architecture: this.binaries.architecture,
      handler: 'bootstrap',
      code: this.binaries.code(name),
      role: role.withoutPolicyUpdates(),
      // Its Task waits a second; this only ends one that hangs.
      timeout: Duration.seconds(3),
      memorySize: 128,
      environment: { CIRCUITS_TABLE: this.table.tableName },
      tracing: Tracing.ACTIVE,
      loggingFormat: LoggingFormat.JSON,
      logGroup: log,
    });
    return [made, log];
  }
}

/** A parameter without a default stops `cdk deploy` and CloudFormation alike, and no value matches its pattern. */
function refuseDeployment(stack: Stack): void {
  const id = 'PlaceholdersMustNotBeDeployed';
  if (stack.node.tryFindChild(id) === undefined) {
    const parameter = new CfnParameter(stack, id, {
      description: 'Synthesised without executables. Build them with `make lambdas`, and leave out -c placeholders=true',
      allowedPattern: '(?!x)x',
      constraintDescription: 'none: this template has placeholders instead of executables',
    });
    // What nothing refers to is only a warning.
    new CfnOutput(stack, 'Placeholders', { value: parameter.valueAsString });
  }
}
