// What the README shows is what is compiled and synthesised.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { ShopStack } from '../examples/shop-stack.ts';
import { LambdaBinaries } from '../lib/index.ts';
import { ROOT } from '../lib/repository.ts';
import { app, ofType, only, resources, text } from './support/app.ts';

test('the stack in the README is the example', () => {
  const blocks = [...readFileSync(resolve(ROOT, 'infra/README.md'), 'utf8').matchAll(/```ts\n([^]*?)```/g)].map(([, code]) => code);
  expect(blocks).toEqual([readFileSync(resolve(import.meta.dirname, '../examples/shop-stack.ts'), 'utf8')]);
});

test('the example has two circuits, with what it says of them', () => {
  const all = resources(new ShopStack(app(), 'Shop', { binaries: LambdaBinaries.placeholders() }));
  expect(ofType(all, 'AWS::StepFunctions::StateMachine').length).toBe(2);
  expect(only(all, 'AWS::Lambda::Function', 'WholesalerStock').Properties['ReservedConcurrentExecutions']).toBe(50);
  const { Statement } = only(all, 'AWS::IAM::Policy').Properties['PolicyDocument'] as { Statement: { Action: string[]; Resource: unknown }[] };
  expect(Statement.map(({ Action, Resource }) => `${[Action].flat().join('+')} ${text(Resource)}`.replaceAll(/[0-9A-F]{8}>/g, '>'))).toEqual([
    'states:StartExecution+states:StartSyncExecution <ExchangeRatesStateMachine>',
    'execute-api:Invoke arn:${AWS::Partition}:execute-api:${AWS::Region}:${AWS::AccountId}:<FrontDoorApi>/live/*/*',
  ]);
});
