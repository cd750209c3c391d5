// One circuit: its caller, its workflow and its alarms.
import { readFileSync } from 'node:fs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { describe, expect, test } from 'vitest';
import { CircuitBreaker, type CircuitBreakerProps, CircuitStore, LambdaBinaries } from '../lib/index.ts';
import { DEFINITION } from '../lib/repository.ts';
import { deployed, emptyStack, ofType, only, policy, type PolicyFile, resources, text } from './support/app.ts';

/** A stack with one circuit; its resources are for when it is whole. */
function circuit(more: PolicyFile = policy('books'), props: Partial<CircuitBreakerProps> = {}) {
  const stack = emptyStack();
  const store = new CircuitStore(stack, 'Store', { binaries: LambdaBinaries.placeholders() });
  return { stack, store, breaker: new CircuitBreaker(stack, 'Books', { policy: more, store, ...props }) };
}

const all = resources(circuit().stack);
const caller = only(all, 'AWS::Lambda::Function', 'CallPartner').Properties;
const machine = only(all, 'AWS::StepFunctions::StateMachine').Properties;

describe('the caller', () => {
  test('writes JSON logs and traces, and reserves nothing', () => {
    expect(caller).toMatchObject({ Runtime: 'provided.al2023', Handler: 'bootstrap', TracingConfig: { Mode: 'Active' }, LoggingConfig: { LogFormat: 'JSON' } });
    expect(caller).not.toHaveProperty('ReservedConcurrentExecutions');
    expect(caller).not.toHaveProperty('Environment');
  });

  test.each([
    [50, 2],
    [800, 2],
    [1000, 2],
    [1001, 3],
    [20000, 21],
  ])('of a call of %i ms is ended after %i s', (timeoutMs, seconds) => {
    const all = resources(circuit(policy('books', { call: { url: 'https://partner.example.com/', timeoutMs } })).stack);
    expect(only(all, 'AWS::Lambda::Function', 'CallPartner').Properties['Timeout']).toBe(seconds);
  });

  test('may have a bulkhead', () => {
    const all = resources(circuit(policy('books'), { maxConcurrentCalls: 7 }).stack);
    expect(only(all, 'AWS::Lambda::Function', 'CallPartner').Properties['ReservedConcurrentExecutions']).toBe(7);
  });

  test.each([[0], [-1], [1.5], [Number.NaN]])('fails when maxConcurrentCalls is %d', (maxConcurrentCalls) => {
    expect(() => circuit(policy('books'), { maxConcurrentCalls })).toThrow(
      `maxConcurrentCalls of books is ${maxConcurrentCalls}; allowed: a whole number from 1`,
    );
  });
});

describe('the machine', () => {
  test('is an express one that logs every state without data, and traces', () => {
    expect(machine).toMatchObject({
      StateMachineType: 'EXPRESS',
      LoggingConfiguration: { Level: 'ALL', IncludeExecutionData: false },
      TracingConfiguration: { Enabled: true },
    });
  });

  test('logs data when it is told to', () => {
    const all = resources(circuit(policy('books'), { logExecutionData: true }).stack);
    expect(only(all, 'AWS::StepFunctions::StateMachine').Properties['LoggingConfiguration']).toMatchObject({ Level: 'ALL', IncludeExecutionData: true });
  });

  test('has a log of a prefix that needs no resource policy', () => {
    expect(only(all, 'AWS::Logs::LogGroup', 'BooksLog').Properties).toEqual({ LogGroupName: '/aws/vendedlogs/states/Tested-books', RetentionInDays: 30 });
  });

  test('is the one definition, with the policy and the names in it', () => {
    const definition = JSON.parse(text(machine['DefinitionString'])) as { TimeoutSeconds: number; States: Record<string, { Result?: unknown }> };
    const shipped = readFileSync(DEFINITION, 'utf8');
    const names: Record<string, string> = { CircuitsTable: 'StoreCircuits', CallPartnerFunction: 'BooksCallPartner', AcquireProbeFunction: 'StoreAcquireProbe', RecordOutcomeFunction: 'StoreRecordOutcome' };
    const expected = JSON.parse(shipped.replaceAll(/\$\{(\w+)\}/g, (token, name: string) => names[name] ?? token)) as typeof definition;
    expected.States['Load Policy'] = { ...expected.States['Load Policy'], Result: definition.States['Load Policy']?.Result };
    const written = JSON.stringify(definition).replaceAll(/<(\w+?)(?:[0-9A-F]{8})(?:\.Arn)?>/g, '$1');
    expect(JSON.parse(written)).toEqual(expected);
    expect(definition.States['Load Policy']?.Result).toMatchObject({ circuit: 'books', trip: { failures: 5, windowMs: 60000 } });
  });

  test('ends before API Gateway gives up', () => {
    expect((JSON.parse(text(machine['DefinitionString'])) as { TimeoutSeconds: number }).TimeoutSeconds).toBeLessThan(29);
  });

  test('takes no text of a policy for a name', () => {
    const headers = { 'x-odd': '{{CircuitsTable}}' };
    const all = resources(circuit(policy('books', { call: { url: 'https://partner.example.com/', headers }, fallback: { body: '{{CallPartnerFunction}}' } })).stack);
    const definition = JSON.parse(text(only(all, 'AWS::StepFunctions::StateMachine').Properties['DefinitionString'])) as { States: Record<string, { Result: unknown }> };
    expect(definition.States['Load Policy']?.Result).toMatchObject({ call: { headers }, fallback: { body: '"{{CallPartnerFunction}}"' } });
  });

  test('takes no text of a policy for a parameter of CloudFormation', () => {
    const all = resources(circuit(policy('books', { fallback: { body: '${x}' } })).stack);
    const written = text(only(all, 'AWS::StepFunctions::StateMachine').Properties['DefinitionString']);
    expect(written).not.toContain('${x}');
    expect((JSON.parse(written) as { States: Record<string, { Result: unknown }> }).States['Load Policy']?.Result).toMatchObject({ fallback: { body: '"${x}"' } });
  });

  test('can be started by whom it is granted to', () => {
    const { stack, breaker } = circuit();
    breaker.grantStartExecution(new Role(stack, 'Shop', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') }));
    const [statement] = (only(resources(stack), 'AWS::IAM::Policy').Properties['PolicyDocument'] as { Statement: { Resource: unknown }[] }).Statement;
    expect({ ...statement, Resource: text(statement?.Resource) }).toEqual({
      Effect: 'Allow',
      Action: ['states:StartExecution', 'states:StartSyncExecution'],
      Resource: expect.stringMatching(/^<BooksStateMachine\w+>$/) as string,
    });
  });
});

describe('the alarms', () => {
  const alarm = (name: string) => only(all, 'AWS::CloudWatch::Alarm', name).Properties;

  test('are these, and each goes off at the first event in five minutes', () => {
    const alarms = ofType(all, 'AWS::CloudWatch::Alarm');
    expect(alarms.map(([name]) => name.slice('Books'.length, -8))).toEqual(['OpenedAlarm', 'InternalAlarm', 'CredentialsAlarm', 'FailedAlarm']);
    for (const [, { Properties }] of alarms) {
      expect(Properties).toMatchObject({
        Threshold: 1, ComparisonOperator: 'GreaterThanOrEqualToThreshold', EvaluationPeriods: 1, TreatMissingData: 'notBreaching',
      });
    }
  });

  test('the opened one sums what record-outcome logs of this circuit', () => {
    expect(alarm('Opened')).toMatchObject({
      MetricName: 'Opened', Namespace: 'Stepbreaker/Tested', Dimensions: [{ Name: 'Circuit', Value: 'books' }], Statistic: 'Sum', Period: 300,
    });
  });

  test('the internal one counts states of the workflow, and what the caller says', () => {
    expect(alarm('Internal')).toMatchObject({ MetricName: 'books internal', Namespace: 'Stepbreaker/Tested', Statistic: 'Sum', Period: 300 });
    const patterns = ofType(all, 'AWS::Logs::MetricFilter')
      .filter(([, { Properties }]) => JSON.stringify(Properties).includes('books internal'))
      .map(([, { Properties }]) => [text(Properties['LogGroupName']).slice(1, -9), Properties['FilterPattern']]);
    expect(patterns).toEqual([
      ['BooksCallPartnerLog', '{ $.reason = "internal" }'],
      ['BooksLog', '{ ($.type = "PassStateEntered") && (($.details.name = "Note Internal") || ($.details.name = "Fall Back Internal") || ($.details.name = "Note Unavailable")) }'],
    ]);
  });

  test('the internal one names states that there are', () => {
    const definition = JSON.parse(readFileSync(DEFINITION, 'utf8')) as { States: Record<string, { Type: string }> };
    const pattern = only(all, 'AWS::Logs::MetricFilter', 'BooksLogInternal').Properties['FilterPattern'] as string;
    const names = [...pattern.matchAll(/name = "([^"]+)"/g)].map(([, name = '']) => name);
    expect(names.map((name) => definition.States[name]?.Type)).toEqual(['Pass', 'Pass', 'Pass']);
  });

  test('the credentials one counts what the caller says', () => {
    expect(alarm('Credentials')).toMatchObject({ MetricName: 'books credentials', Namespace: 'Stepbreaker/Tested' });
    expect(only(all, 'AWS::Logs::MetricFilter', 'Credentials').Properties['FilterPattern']).toBe('{ $.reason = "credentials" }');
  });

  test('the failed one sums failed and timed out executions, of which either may be missing', () => {
    const metrics = alarm('Failed')['Metrics'] as { Expression?: string; MetricStat?: { Metric: { MetricName: string; Namespace: string } } }[];
    expect(metrics.flatMap(({ Expression = [] }) => Expression)).toEqual(['FILL(failed, 0) + FILL(timedOut, 0)']);
    expect(metrics.flatMap(({ MetricStat }) => MetricStat?.Metric.MetricName ?? []).sort()).toEqual(['ExecutionsFailed', 'ExecutionsTimedOut']);
  });

  test('do what they are told', () => {
    expect(alarm('Opened')).not.toHaveProperty('AlarmActions');
    const { stack, store } = circuit();
    const topic = new Topic(stack, 'Topic');
    new CircuitBreaker(stack, 'Loud', { policy: policy('loud'), store, alarmActions: [new SnsAction(topic)] });
    const loud = ofType(resources(stack), 'AWS::CloudWatch::Alarm').filter(([name]) => name.startsWith('Loud'));
    expect(loud.map(([, { Properties }]) => Properties['AlarmActions'])).toEqual(Array(4).fill([{ Ref: expect.stringMatching(/^Topic/) as string }]));
  });
});

describe('a policy', () => {
  test.each([
    ['has a value out of range', { trip: { failures: 0 } }, 'books.json: trip.failures: is 0; allowed: a whole number from 1 to 10000'],
    ['has a field that is not known', { tripp: {} }, 'books.json: tripp'],
    ['says an impossible lease', { probe: { leaseMs: 2800 } }, 'books.json: probe.leaseMs: is 2800; allowed: more than call.timeoutMs + 2000'],
  ])('fails when it %s, with the words that it fails with locally', (_, more, problem) => {
    expect(() => circuit(policy('books', more))).toThrow(problem);
  });

  test('fails when its file is not there', () => {
    const { stack, store } = circuit();
    expect(() => new CircuitBreaker(stack, 'Other', { policy: '/nowhere/books.json', store })).toThrow(
      "/nowhere/books.json: can't be read; allowed: a policy file in UTF-8",
    );
  });

  test('may be a file', () => {
    const { stack, store } = circuit();
    const file = new URL('../../statemachine/circuits/wholesaler-stock.json', import.meta.url).pathname;
    expect(new CircuitBreaker(stack, 'Stock', { policy: file, store }).policy.circuit).toBe('wholesaler-stock');
  });

  test('fails when the command that checks it is not built', () => {
    process.env['STEPBREAKER_POLICY'] = '/nowhere/stepbreaker-policy';
    try {
      expect(() => circuit()).toThrow('/nowhere/stepbreaker-policy is missing, which checks policies: build it with `make build`');
    } finally {
      delete process.env['STEPBREAKER_POLICY'];
    }
  });
});

test('ids stay stable: a renamed or added circuit replaces nothing of another', () => {
  const alone = Object.keys(resources(deployed([policy('a')]).stack)).filter((name) => name.startsWith('a'));
  const both = Object.keys(resources(deployed([policy('b'), policy('a')]).stack)).filter((name) => name.startsWith('a'));
  expect(both).toEqual(alone);
});
