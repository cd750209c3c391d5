import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IAlarmAction, type IMetric, MathExpression, Metric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { Grant, type IGrantable, PolicyDocument, type PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Function, LoggingFormat, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { FilterPattern, LogGroup, type MetricFilter } from 'aws-cdk-lib/aws-logs';
import { DefinitionBody, LogLevel, StateMachine, StateMachineType } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { CircuitStore } from './circuit-store.ts';
import { allow, functionRole } from './function-role.ts';
import { checkPolicies, type Policy, type PolicySource } from './policy.ts';
import { secretStatements } from './secrets.ts';

export interface CircuitBreakerProps {
  /** The policy: its file's path, or what would stand in one, or one that was checked already. */
  readonly policy: PolicySource | Policy;

  /**
   * What this circuit shares with others: the table, and the two functions that decide on it.
   *
   * @default a store of its own
   */
  readonly store?: CircuitStore;

  /**
   * How many calls may be under way at once. More are answered with the fallback, reason `saturated`. AWS keeps 100 of an
   * account's concurrency unreserved, so that a new account of 1000 has 900 to reserve.
   *
   * @default as many as the account allows
   */
  readonly maxConcurrentCalls?: number;

  /**
   * The keys of your own that the policy's secrets are encrypted with: the caller gets `kms:Decrypt` on them. Their own policies
   * must let IAM decide.
   *
   * @default none: the secrets are encrypted with the keys that AWS manages
   */
  readonly secretKeys?: readonly IKey[];

  /**
   * Writes the input and output of every state to the log. **Privacy:** parameters, and the partner's answers, may be personal
   * data, and whoever reads the log group reads them for as long as it keeps them.
   *
   * @default false: state names and times only
   */
  readonly logExecutionData?: boolean;

  /**
   * What the alarms do when they go off.
   *
   * @default nothing: they can be seen in CloudWatch
   */
  readonly alarmActions?: IAlarmAction[];
}

/** The states that stand for a bug or a bad configuration of ours, and for a caller that died or could not be run. */
const INTERNAL = ['Note Internal', 'Fall Back Internal', 'Note Unavailable'];

/** A circuit breaker in front of one partner: a workflow and its caller function, with their log, permissions and alarms. */
export class CircuitBreaker extends Construct {
  readonly policy: Policy;
  readonly store: CircuitStore;
  readonly stateMachine: StateMachine;
  readonly callPartner: Function;
  readonly alarms: readonly Alarm[];

  constructor(scope: Construct, id: string, props: CircuitBreakerProps) {
    super(scope, id);
    this.policy = isChecked(props.policy) ? props.policy : one(checkPolicies([props.policy]));
    this.store = props.store ?? new CircuitStore(this, 'Store');
    const calls = props.maxConcurrentCalls;
    if (calls !== undefined && !(Number.isInteger(calls) && calls >= 1)) {
      throw new Error(`maxConcurrentCalls of ${this.policy.circuit} is ${calls}; allowed: a whole number from 1`);
    }
    const [callPartner, callLog] = this.#caller(calls, props.secretKeys ?? []);
    this.callPartner = callPartner;
    const [stateMachine, log] = this.#machine(props.logExecutionData ?? false);
    this.stateMachine = stateMachine;
    // Step Functions logs a state twice, when it is entered and when it is left.
    const states = INTERNAL.map((state) => `($.details.name = "${state}")`).join(' || ');
    const internal = this.#counter(log, 'Internal', 'internal', `{ ($.type = "PassStateEntered") && (${states}) }`);
    // A secret that can't be read is the caller's own answer, and passes through none of these states.
    this.#counter(callLog, 'InternalCall', 'internal', '{ $.reason = "internal" }');
    const credentials = this.#counter(callLog, 'Credentials', 'credentials', '{ $.reason = "credentials" }');
    const fiveMinutes = { period: Duration.minutes(5), statistic: Stats.SUM };
    this.alarms = [
      this.#alarm('OpenedAlarm', this.metricOpened(), `${this.policy.circuit} opened: the partner fails, and customers get the fallback.`),
      this.#alarm('InternalAlarm', internal.metric(fiveMinutes), `${this.policy.circuit}: a bug or a bad configuration of ours, or its caller died. See the log.`),
      this.#alarm('CredentialsAlarm', credentials.metric(fiveMinutes), `${this.policy.circuit}: the partner refuses our credentials.`),
      this.#alarm('FailedAlarm', this.metricFailed(), `Executions of ${this.policy.circuit} failed or timed out: customers got an error.`),
    ];
    for (const alarm of this.alarms) {
      alarm.addAlarmAction(...(props.alarmActions ?? []));
    }
  }

  /** Lets somebody start executions, and wait for their end. */
  grantStartExecution(grantee: IGrantable): Grant {
    return Grant.addToPrincipal({
      grantee,
      actions: ['states:StartSyncExecution', 'states:StartExecution'],
      resourceArns: [this.stateMachine.stateMachineArn],
    });
  }

  /** How often the circuit opened, a failed probe included. */
  metricOpened(): Metric {
    return new Metric({
      namespace: this.store.metricNamespace,
      metricName: 'Opened',
      dimensionsMap: { Circuit: this.policy.circuit },
      period: Duration.minutes(5),
      statistic: Stats.SUM,
    });
  }

  /** How many executions ended without an answer. */
  metricFailed(): IMetric {
    const period = Duration.minutes(5);
    return new MathExpression({
      label: `${this.policy.circuit}: executions failed or timed out`,
      expression: 'FILL(failed, 0) + FILL(timedOut, 0)',
      usingMetrics: {
        failed: this.stateMachine.metricFailed({ period, statistic: Stats.SUM }),
        timedOut: this.stateMachine.metricTimedOut({ period, statistic: Stats.SUM }),
      },
      period,
    });
  }

  #counter(log: LogGroup, id: string, what: string, pattern: string): MetricFilter {
    return log.addMetricFilter(id, {
      filterPattern: FilterPattern.literal(pattern),
      metricNamespace: this.store.metricNamespace,
      metricName: `${this.policy.circuit} ${what}`,
    });
  }

  #alarm(id: string, metric: IMetric, alarmDescription: string): Alarm {
    return new Alarm(this, id, {
      metric,
      alarmDescription,
      threshold: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }

  /** The caller is the circuit's own, so that its time-out, its concurrency and its secrets are. */
  #caller(concurrency: number | undefined, keys: readonly IKey[]): [Function, LogGroup] {
    const { circuit, deployed } = this.policy;
    const log = new LogGroup(this, 'CallPartnerLog', { retention: this.store.logRetention, removalPolicy: RemovalPolicy.DESTROY });
    const role = functionRole(this, 'CallPartnerRole', log, secretStatements(this, deployed.call.secretHeaders ?? {}, keys));
    const caller = new Function(this, 'CallPartner', {
      description: `Calls the partner of ${circuit} once, and says what came of it.`,
      runtime: Runtime.PROVIDED_AL2023,
      architecture: this.store.binaries.architecture,
      handler: 'bootstrap',
      code: this.store.binaries.code('call-partner'),
      role: role.withoutPolicyUpdates(),
      // The policy's own time-out is in milliseconds and comes first. This one only ends a caller that hangs.
      timeout: Duration.seconds(Math.ceil(deployed.call.timeoutMs / 1000) + 1),
      memorySize: 128,
      tracing: Tracing.ACTIVE,
      loggingFormat: LoggingFormat.JSON,
      logGroup: log,
      ...(concurrency === undefined ? {} : { reservedConcurrentExecutions: concurrency }),
    });
    return [caller, log];
  }

  #machine(includeExecutionData: boolean): [StateMachine, LogGroup] {
    const { circuit } = this.policy;
    const stack = Stack.of(this);
    // Under this prefix log groups don't fill the account's one resource policy for logs.
    const log = new LogGroup(this, 'Log', {
      logGroupName: `/aws/vendedlogs/states/${stack.stackName}-${circuit}`,
      retention: this.store.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('states.amazonaws.com'),
      inlinePolicies: { Needed: new PolicyDocument({ statements: this.#needed() }) },
    });
    const machine = new StateMachine(this, 'StateMachine', {
      comment: `The circuit breaker of ${circuit}`,
      stateMachineType: StateMachineType.EXPRESS,
      definitionBody: DefinitionBody.fromString(this.#definition()),
      role: role.withoutPolicyUpdates(),
      tracingEnabled: true,
      logs: { destination: log, level: LogLevel.ALL, includeExecutionData },
    });
    return [machine, log];
  }

  #definition(): string {
    const names: Record<string, string> = {
      CircuitsTable: this.store.table.tableName,
      CallPartnerFunction: this.callPartner.functionArn,
      AcquireProbeFunction: this.store.acquireProbe.functionArn,
      RecordOutcomeFunction: this.store.recordOutcome.functionArn,
    };
    // A policy's own texts are not looked into, whatever they look like.
    const named = (value: unknown, key = ''): unknown => {
      if (typeof value === 'string') {
        const name = /^\{\{(\w+)\}\}$/.exec(value)?.[1];
        return name === undefined ? value : (names[name] ?? value);
      }
      if (typeof value !== 'object' || value === null || key === 'Result') {
        return value;
      }
      return Array.isArray(value)
        ? value.map((each) => named(each))
        : Object.fromEntries(Object.entries(value).map(([field, each]) => [field, named(each, field)]));
    };
    // Written without line breaks: all circuits' definitions stand in one template, which holds a megabyte. And a policy's
    // own `${x}` as JSON may write it too, so that neither CloudFormation's rules nor a later Fn::Sub take it for a parameter.
    return JSON.stringify(named(JSON.parse(this.policy.definition))).replaceAll(/\$\{(?!Token\[)/g, '\\u0024{');
  }

  /** What the definition does, and what Express workflows need for their log and traces. */
  #needed(): PolicyStatement[] {
    const stack = Stack.of(this);
    const functions = [this.callPartner, this.store.acquireProbe, this.store.recordOutcome];
    return [
      allow(['dynamodb:GetItem'], [this.store.table.tableArn]),
      allow(['lambda:InvokeFunction'], functions.map((each) => each.functionArn)),
      allow(['events:PutEvents'], [stack.formatArn({ service: 'events', resource: 'event-bus', resourceName: 'default' })]),
      // CloudWatch Logs knows no resources for the delivery of logs.
      allow(
        [
          'logs:CreateLogDelivery',
          'logs:GetLogDelivery',
          'logs:UpdateLogDelivery',
          'logs:DeleteLogDelivery',
          'logs:ListLogDeliveries',
          'logs:PutResourcePolicy',
          'logs:DescribeResourcePolicies',
          'logs:DescribeLogGroups',
        ],
        ['*'],
      ),
      // Nor does X-Ray for traces.
      allow(['xray:PutTraceSegments', 'xray:PutTelemetryRecords', 'xray:GetSamplingRules', 'xray:GetSamplingTargets'], ['*']),
    ];
  }
}

function isChecked(policy: PolicySource | Policy): policy is Policy {
  return typeof policy === 'object' && 'deployed' in policy && 'definition' in policy;
}

function one(policies: Policy[]): Policy {
  const [policy] = policies;
  if (policy === undefined) {
    throw new Error('no policy was given');
  }
  return policy;
}
