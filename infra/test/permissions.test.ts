// Each role may do what the definitions, the functions and the API do, and nothing else.
import { mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Key } from 'aws-cdk-lib/aws-kms';
import { describe, expect, test } from 'vitest';
import { CircuitBreaker } from '../lib/index.ts';
import { ROOT } from '../lib/repository.ts';
import { deployed, ofType, only, policy, type Resources, resources, text } from './support/app.ts';
import { derived, granted, operationsOf, type Permissions, sideBySide, WITHOUT_RESOURCES } from './support/permissions.ts';

const url = 'https://partner.example.com/';
const arn = 'arn:aws:secretsmanager:eu-central-1:111122223333:secret:shop/key-AbCdEf';
const circuits = [
  policy('books', {
    route: { path: '/books/{isbn}' }, params: { isbn: '[0-9]{13}' },
    call: { url: `${url}{isbn}`, secretHeaders: { authorization: { secret: 'wholesaler/api', field: 'token', prefix: 'Bearer ' }, 'x-shop': { parameter: '/wholesaler/shop' } } },
  }),
  policy('orders', {
    route: { method: 'POST', path: '/orders' },
    call: { method: 'POST', url, body: { pass: true }, secretHeaders: { 'x-key': { secret: arn }, 'x-other': { secret: arn, field: 'other' }, 'x-plain': { parameter: 'plain' } } },
  }),
  policy('plain'),
];
const all = resources(deployed(circuits).stack);
const needed = derived(all);
const given = granted(all);

const plain = (permissions: Permissions) => Object.fromEntries([...permissions].sort().map(([role, of]) => [role, [...of.keys()].sort()]));

test('what is granted is what is needed', () => {
  mkdirSync(resolve(ROOT, 'target'), { recursive: true });
  writeFileSync(resolve(ROOT, 'target/permissions.txt'), sideBySide(needed, given));
  expect(plain(given)).toEqual(plain(needed));
});

test('every role has been looked at', () => {
  expect([...given.keys()].map((role) => role.slice(0, -8)).sort()).toEqual([
    'FrontDoorApiCloudWatchRole', 'FrontDoorRole', 'StoreAcquireProbeRole', 'StoreRecordOutcomeRole',
    'booksCallPartnerRole', 'booksRole', 'ordersCallPartnerRole', 'ordersRole', 'plainCallPartnerRole', 'plainRole',
  ]);
  expect(new Set(ofType(all, 'AWS::IAM::Role').map(([name]) => name))).toEqual(new Set(given.keys()));
});

test('nothing is granted in another way', () => {
  const types = new Set(Object.values(all).map(({ Type }) => Type));
  const granting = [...types].filter((type) => /Permission|ResourcePolicy|IAM::(?!Role$)|KeyPolicy/.test(type));
  expect(granting).toEqual([]);
  expect(JSON.stringify(only(all, 'AWS::DynamoDB::Table'))).not.toContain('ResourcePolicy');
});

test('each function reads its own secrets, and no other’s', () => {
  const secrets = (role: string) => [...(given.get([...given.keys()].find((name) => name.startsWith(role)) ?? '')?.keys() ?? [])].filter((permission) => /secret|ssm/.test(permission)).sort();
  const here = '${AWS::Region}:${AWS::AccountId}';
  expect(secrets('booksCallPartnerRole')).toEqual([
    `secretsmanager:GetSecretValue on arn:\${AWS::Partition}:secretsmanager:${here}:secret:wholesaler/api-??????`,
    `ssm:GetParameter on arn:\${AWS::Partition}:ssm:${here}:parameter/wholesaler/shop`,
  ]);
  expect(secrets('ordersCallPartnerRole')).toEqual([`secretsmanager:GetSecretValue on ${arn}`, `ssm:GetParameter on arn:\${AWS::Partition}:ssm:${here}:parameter/plain`]);
  expect(secrets('plainCallPartnerRole')).toEqual([]);
});

test('a caller decrypts with the keys that it is given', () => {
  const { stack, store } = deployed([policy('plain')]);
  const key = new Key(stack, 'Key');
  new CircuitBreaker(stack, 'Books', { policy: circuits[0] ?? expect.fail(), store, secretKeys: [key] });
  const permissions = [...granted(resources(stack))].flatMap(([role, of]) => [...of.keys()].filter((permission) => permission.startsWith('kms:')).map((permission) => `${role.slice(0, -8)}: ${permission.replace(/Key\w+/, 'Key')}`));
  expect(permissions).toEqual(['BooksCallPartnerRole: kms:Decrypt on <Key.Arn>']);
});

describe('a star', () => {
  const stars = [...given].flatMap(([, of]) => [...of.keys()].filter((permission) => permission.includes('*')));

  test('stands alone only where the service knows no resources', () => {
    const alone = new Set(stars.filter((permission) => permission.endsWith(' on *')).map((permission) => permission.split(' ')[0]));
    expect([...alone].sort()).toEqual(Object.keys(WITHOUT_RESOURCES).sort());
  });

  test('stands in a resource only for the streams of one log group', () => {
    const inside = stars.filter((permission) => !permission.endsWith(' on *'));
    expect(inside.filter((permission) => !/^logs:(CreateLogStream|PutLogEvents) on arn:.*:log-group:<\w+>:\*$/.test(permission))).toEqual([]);
  });

  test('never stands in an action', () => {
    expect(stars.filter((permission) => (permission.split(' ')[0] ?? '').includes('*'))).toEqual([]);
  });
});

test('roles are assumed by the services that use them alone', () => {
  const services = (all: Resources) =>
    Object.fromEntries(ofType(all, 'AWS::IAM::Role').map(([role, { Properties }]) => {
      const { Statement } = Properties['AssumeRolePolicyDocument'] as { Statement: { Action: string; Principal: { Service: unknown } }[] };
      return [role.slice(0, -8), Statement.map(({ Action, Principal }) => `${Action} ${text(Principal.Service)}`).join()];
    }));
  expect(services(all)).toMatchObject({
    FrontDoorRole: 'sts:AssumeRole apigateway.amazonaws.com',
    StoreAcquireProbeRole: 'sts:AssumeRole lambda.amazonaws.com',
    booksCallPartnerRole: 'sts:AssumeRole lambda.amazonaws.com',
    booksRole: 'sts:AssumeRole states.amazonaws.com',
  });
});

test('the sources are read: these are the SDK calls of each function', () => {
  expect(['call-partner', 'acquire-probe', 'record-outcome'].map(operationsOf)).toEqual([
    ['secretsmanager:GetSecretValue', 'ssm:GetParameter'],
    ['dynamodb:UpdateItem'],
    ['dynamodb:UpdateItem'],
  ]);
});
