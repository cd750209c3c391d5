// The example app: one circuit per policy file, and what it tells of itself.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { RemovalPolicy } from 'aws-cdk-lib';
import { example, ofType, only, policy, type PolicyFile, template, text } from './support/app.ts';

const made: string[] = [];
afterAll(() => made.forEach((directory) => rmSync(directory, { recursive: true })));

/** A directory with these policies. */
function directory(policies: readonly PolicyFile[]): string {
  const created = mkdtempSync(resolve(tmpdir(), 'circuits-'));
  made.push(created);
  for (const each of policies) {
    writeFileSync(resolve(created, `${each.circuit}.json`), JSON.stringify(each));
  }
  return created;
}

const shipped = template(example());

describe('the outputs', () => {
  const output = (name: string, of = shipped) => text(of.Outputs[name]?.Value ?? expect.fail(name));

  test('name the API, the machine and the table', () => {
    expect(output('ApiUrl')).toMatch(/^https:\/\/<FrontDoorApi\w+>\.execute-api\.\$\{AWS::Region\}\.\$\{AWS::URLSuffix\}\/<FrontDoorApiDeploymentStagelive\w+>$/);
    expect(output('MachineArnWholesalerStock')).toMatch(/^<CircuitswholesalerstockStateMachine\w+>$/);
    expect(output('TableName')).toMatch(/^<StoreCircuits\w+>$/);
  });

  test('have a curl that is signed, and asks for the circuit', () => {
    const curl = output('Curl');
    expect(curl).toBe(
      `curl --aws-sigv4 aws:amz:\${AWS::Region}:execute-api --user "$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY" -H "x-amz-security-token: $AWS_SESSION_TOKEN" ${output('ApiUrl')}/circuits/wholesaler-stock`,
    );
  });

  test('have a plain curl where everybody may call', () => {
    const open = template(example({ publicAccess: true }));
    expect(output('Curl', open)).toBe(`curl ${output('ApiUrl', open)}/circuits/wholesaler-stock`);
  });

  test('tell machines apart whose names differ in signs alone', () => {
    const { Outputs } = template(example({ circuits: directory([policy('a-b'), policy('a_b'), policy('AB')]) }));
    expect(Object.keys(Outputs).filter((name) => name.startsWith('MachineArn')).sort()).toEqual(['MachineArnAB', 'MachineArnAB2', 'MachineArnAB3']);
  });
});

test('the table is kept unless it is told otherwise', () => {
  expect(only(shipped.Resources, 'AWS::DynamoDB::Table').DeletionPolicy).toBe('Retain');
  expect(only(template(example({ removalPolicy: RemovalPolicy.DESTROY })).Resources, 'AWS::DynamoDB::Table').DeletionPolicy).toBe('Delete');
});

describe('the policies', () => {
  test('fail together, each with the file, the field, the value and what is allowed', () => {
    const circuits = directory([policy('a', { trip: { failures: 0 } }), policy('b', { call: { url: 'ftp://partner.example.com/' } })]);
    expect(() => example({ circuits })).toThrow(/a\.json: trip\.failures: is 0; allowed: .*\n.*b\.json: call\.url: /);
  });

  test('fail when two want one route', () => {
    const route = { path: '/same' };
    expect(() => example({ circuits: directory([policy('a', { route }), policy('b', { route })]) })).toThrow('b.json: route.path: is GET /same, the route of "a" too; allowed: each route once');
  });

  test.each([
    ['there is no such directory', '/nowhere', '/nowhere: is no directory; allowed: a directory of policy files'],
    ['it is a file', import.meta.filename, 'is no directory; allowed: a directory of policy files'],
  ])('fail when %s', (_, circuits, problem) => {
    expect(() => example({ circuits })).toThrow(problem);
  });

  test('fail when there are none', () => {
    expect(() => example({ circuits: directory([]) })).toThrow(/circuits-\w+/);
  });
});

describe('the largest app', () => {
  const most = 23;
  // With a route of its own, some parameters and headers, as a policy has in practice.
  const usual = (index: number) => {
    const circuit = `partner-${index}-stock`;
    const params = { isbn: '[0-9]{10}|[0-9]{13}', shop: '[a-z]{1,20}', language: '[a-z]{2}(-[A-Z]{2})?' };
    return policy(circuit, {
      route: { path: `/${circuit}/{isbn}`, query: ['shop', 'language'] },
      params,
      call: { url: 'https://partner.example.com/{isbn}', query: { shop: '{shop}', lang: '{language}' }, passHeaders: ['etag', 'last-modified'] },
      fallback: { body: { note: 'x'.repeat(500) } },
    });
  };
  const circuits = (count: number) => directory(Array.from({ length: count }, (_, index) => usual(index)));
  const largest = template(example({ circuits: circuits(most) }));
  const bytes = Buffer.byteLength(JSON.stringify(largest));

  test('has as many circuits as fit', () => {
    const count = Object.keys(largest.Resources).length;
    console.log(`the largest app: ${most} circuits, ${count} resources, ${bytes} bytes`);
    expect(ofType(largest.Resources, 'AWS::StepFunctions::StateMachine').length).toBe(most);
    expect(count).toBeLessThanOrEqual(500);
    expect(bytes).toBeLessThan(1_000_000);
  });

  test('fails when it has one circuit more, and says what to do', () => {
    expect(() => example({ circuits: circuits(most + 1) })).toThrow(
      /has 24 policies, which need \d+ resources; allowed: at most 500 in one stack\. Deploy some of them as another stack, from a directory of their own \(-c circuits=… -c stack=…\)/,
    );
  });

  test('has more circuits where they have no routes', () => {
    const without = directory(Array.from({ length: 27 }, (_, index) => policy(`c${index}`)));
    expect(Object.keys(template(example({ circuits: without })).Resources).length).toBeLessThanOrEqual(500);
  });
});

describe('the command', () => {
  const run = (context: Record<string, string>) =>
    spawnSync(resolve(import.meta.dirname, '../node_modules/.bin/tsx'), [resolve(import.meta.dirname, '../bin/stepbreaker.ts')], {
      encoding: 'utf8',
      env: { ...process.env, CDK_CONTEXT_JSON: JSON.stringify(context), CDK_OUTDIR: output },
    });
  const output = mkdtempSync(resolve(tmpdir(), 'cdk-out-'));
  made.push(output);

  test('tells a policy’s problem in one line, without a stack trace', () => {
    const { status, stderr } = run({ circuits: directory([policy('a', { trip: { failures: 0 } })]), placeholders: 'true' });
    expect(status).toBe(2);
    expect(stderr).toMatch(/^A policy can't work:\n.*a\.json: trip\.failures: is 0; allowed: a whole number from 1 to 10000\n$/);
  });

  test('refuses a template that CloudFormation would refuse', () => {
    const large = (index: number) => {
      const params = Object.fromEntries(Array.from({ length: 16 }, (_, number) => [`parameter${number}`, '[A-Za-z0-9._~-]{1,20}']));
      const query = Object.fromEntries(Object.keys(params).map((name) => [name, `{${name}}`]));
      const call = { method: 'POST', url: 'https://partner.example.com/', query, body: { pass: true } };
      return policy(`c${index}`, { route: { method: 'POST', path: `/c${index}`, query: Object.keys(params) }, params, call, fallback: { body: 'f'.repeat(12_000) } });
    };
    const { status, stderr } = run({ circuits: directory(Array.from({ length: 12 }, (_, index) => large(index))), placeholders: 'true' });
    expect(stderr).toMatch(/Stepbreaker: its template has \d+ bytes; allowed: at most 1000000\. Deploy some of the policies as another stack/);
    expect(status).toBe(2);
  });

  test('refuses to go on without executables', () => {
    mkdirSync(resolve(output, 'empty'), { recursive: true });
    const { status, stderr } = run({ binaries: resolve(output, 'empty') });
    expect(status).not.toBe(0);
    expect(stderr).toContain('ARCHITECTURE is missing: build the functions with `make lambdas`, or synthesise without executables (LambdaBinaries.placeholders(); in the example app -c placeholders=true)');
  });
});
