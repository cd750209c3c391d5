// What all circuits share: the table, and the two functions that decide on it.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { describe, expect, test } from 'vitest';
import { CircuitBreaker, CircuitStore, type CircuitStoreProps, LambdaBinaries } from '../lib/index.ts';
import { ROOT } from '../lib/repository.ts';
import { deployed, emptyStack, ofType, only, policy, resources, text } from './support/app.ts';

function stored(props: CircuitStoreProps = {}) {
  const stack = emptyStack();
  new CircuitStore(stack, 'Store', { binaries: LambdaBinaries.placeholders(), ...props });
  return resources(stack);
}

const all = stored();

describe('the table', () => {
  test('is paid by request, and expires, restores and encrypts items', () => {
    expect(only(all, 'AWS::DynamoDB::Table').Properties).toEqual({
      KeySchema: [{ AttributeName: 'circuit', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'circuit', AttributeType: 'S' }],
      BillingMode: 'PAY_PER_REQUEST',
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      SSESpecification: { SSEEnabled: true },
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
    });
  });

  test('is kept when the stack is deleted, unless it is told otherwise', () => {
    expect(only(all, 'AWS::DynamoDB::Table').DeletionPolicy).toBe('Retain');
    expect(only(stored({ removalPolicy: RemovalPolicy.DESTROY }), 'AWS::DynamoDB::Table').DeletionPolicy).toBe('Delete');
  });

  test('may be one that is there already', () => {
    const stack = emptyStack();
    const table = new Table(stack, 'Own', { partitionKey: { name: 'circuit', type: AttributeType.STRING } });
    const store = new CircuitStore(stack, 'Store', { table, binaries: LambdaBinaries.placeholders() });
    new CircuitBreaker(stack, 'Books', { policy: policy('books'), store });
    const [[name] = ['']] = ofType(resources(stack), 'AWS::DynamoDB::Table');
    const machine = only(resources(stack), 'AWS::StepFunctions::StateMachine');
    expect(text(machine.Properties['DefinitionString'])).toContain(`"TableName":"<${name}>"`);
  });

  test('of a circuit without a store is its own', () => {
    const stack = emptyStack();
    const make = () => new CircuitBreaker(stack, 'Books', { policy: policy('books') });
    if (existsSync(resolve(ROOT, 'dist/lambdas/ARCHITECTURE'))) {
      expect(make().store.table.node.path).toBe('Tested/Books/Store/Circuits');
    } else {
      // Without executables there is no store of one's own; its error shows that one was wanted.
      expect(make).toThrow(/make lambdas/);
    }
  });
});

describe('the functions', () => {
  test.each([['AcquireProbe'], ['RecordOutcome']])('%s writes JSON logs and traces, and knows the table', (name) => {
    const { Properties } = only(all, 'AWS::Lambda::Function', name);
    const [[table] = ['']] = ofType(all, 'AWS::DynamoDB::Table');
    expect(Properties).toMatchObject({
      Runtime: 'provided.al2023',
      Handler: 'bootstrap',
      Timeout: 3,
      TracingConfig: { Mode: 'Active' },
      LoggingConfig: { LogFormat: 'JSON' },
      Environment: { Variables: { CIRCUITS_TABLE: { Ref: table } } },
    });
    expect(text((Properties['LoggingConfig'] as { LogGroup: unknown }).LogGroup)).toMatch(new RegExp(`^<Store${name}Log`));
  });

  test('keep their logs for a month, or as long as they are told', () => {
    const days = (resources: typeof all) => ofType(resources, 'AWS::Logs::LogGroup').map(([, { Properties }]) => Properties['RetentionInDays']);
    expect(days(all)).toEqual([30, 30]);
    expect(days(stored({ logRetention: RetentionDays.ONE_WEEK }))).toEqual([7, 7]);
  });

  test('are made once for all circuits', () => {
    const { stack } = deployed([policy('a'), policy('b')]);
    const names = ofType(resources(stack), 'AWS::Lambda::Function').map(([name]) => name.slice(0, -8));
    expect(names.sort()).toEqual(['StoreAcquireProbe', 'StoreRecordOutcome', 'aCallPartner', 'bCallPartner']);
  });

  test('count openings by circuit', () => {
    expect(only(all, 'AWS::Logs::MetricFilter').Properties).toMatchObject({
      FilterPattern: '{ ($.recorded = "opened") || ($.recorded = "reopened") }',
      MetricTransformations: [
        { MetricName: 'Opened', MetricNamespace: 'Stepbreaker/Tested', MetricValue: '1', Dimensions: [{ Key: 'Circuit', Value: '$.circuit' }] },
      ],
    });
  });
});
