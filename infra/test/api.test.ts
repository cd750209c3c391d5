// The API: its routes, who may call it, and what it says itself. What its templates say is in front-door.test.ts.
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { describe, expect, test } from 'vitest';
import { CircuitBreaker, CircuitBreakerApi, CircuitStore, LambdaBinaries } from '../lib/index.ts';
import { readFileSync } from 'node:fs';
import { BODY_AS_JSON_BYTES, BODY_TYPES } from '../lib/templates.ts';
import { deployed, emptyStack, ofType, only, policy, type Resources, resources, text } from './support/app.ts';
import { render, REQUEST_ID } from './support/velocity.ts';

const books = policy('books', {
  route: { path: '/books/{isbn}' }, params: { isbn: '[0-9]{13}' }, call: { url: 'https://partner.example.com/{isbn}' },
});
const orders = policy('orders', {
  route: { method: 'POST', path: '/books/{isbn}/orders' }, params: { isbn: '[0-9]{13}' },
  call: { method: 'POST', url: 'https://partner.example.com/{isbn}', body: { pass: true } },
});
const all = resources(deployed([books, orders, policy('plain')]).stack);
const open = resources(deployed([books], { publicAccess: true }).stack);

/** Each method with its path, as in `GET /books/{isbn}`. */
function methods(all: Resources): Map<string, Record<string, unknown>> {
  const path = (id: string): string => {
    const found = all[id];
    return found === undefined ? '' : `${path(text(found.Properties['ParentId']).slice(1, -1))}/${found.Properties['PathPart'] as string}`;
  };
  return new Map(
    ofType(all, 'AWS::ApiGateway::Method').map(([, { Properties }]) => [
      `${Properties['HttpMethod'] as string} ${path(text(Properties['ResourceId']).slice(1, -1))}`,
      Properties,
    ]),
  );
}

describe('the API', () => {
  test('has the policies’ routes, and two of its own for each circuit', () => {
    expect([...methods(all).keys()].sort()).toEqual([
      'GET /books/{isbn}', 'GET /circuits/books', 'GET /circuits/orders', 'GET /circuits/plain',
      'POST /books/{isbn}/orders', 'POST /circuits/books/calls', 'POST /circuits/orders/calls', 'POST /circuits/plain/calls',
    ]);
  });

  test('wants a signature on every method', () => {
    expect([...methods(all).values()].map((method) => method['AuthorizationType'])).toEqual(Array(8).fill('AWS_IAM'));
  });

  test('is public only when it is told to be', () => {
    expect([...methods(open).values()].map((method) => method['AuthorizationType'])).toEqual(Array(3).fill('NONE'));
  });

  test('is in one region, traces, limits, and logs requests and errors without their data', () => {
    expect(only(all, 'AWS::ApiGateway::RestApi').Properties).toMatchObject({ EndpointConfiguration: { Types: ['REGIONAL'] } });
    expect(only(all, 'AWS::ApiGateway::Stage').Properties).toMatchObject({
      StageName: 'live',
      TracingEnabled: true,
      MethodSettings: [{
        HttpMethod: '*', ResourcePath: '/*', DataTraceEnabled: false, LoggingLevel: 'ERROR', MetricsEnabled: true, ThrottlingRateLimit: 100, ThrottlingBurstLimit: 200,
      }],
    });
  });

  test('lets in as much as it is told to', () => {
    const all = resources(deployed([books], { throttling: { rate: 5, burst: 7 }, logRetention: RetentionDays.ONE_DAY, cloudWatchRole: false }).stack);
    expect(only(all, 'AWS::ApiGateway::Stage').Properties['MethodSettings']).toMatchObject([{ ThrottlingRateLimit: 5, ThrottlingBurstLimit: 7 }]);
    expect(only(all, 'AWS::Logs::LogGroup', 'AccessLog').Properties['RetentionInDays']).toBe(1);
    expect(ofType(all, 'AWS::ApiGateway::Account')).toEqual([]);
  });

  test('logs the route and never the path, which holds parameters', () => {
    const { DestinationArn, Format } = only(all, 'AWS::ApiGateway::Stage').Properties['AccessLogSetting'] as { DestinationArn: unknown; Format: string };
    expect(text(DestinationArn)).toMatch(/<FrontDoorAccessLog\w+\.Arn>/);
    expect(Object.keys(JSON.parse(Format) as object)).toEqual(['requestId', 'time', 'caller', 'method', 'route', 'status', 'ms', 'integrationMs', 'error']);
    expect(Format).not.toMatch(/\$context\.(path|domainName|requestOverride)|querystring|header/);
  });

  test('takes bodies of four types where a circuit passes them on, and JSON otherwise', () => {
    const types = (route: string) => Object.keys((methods(all).get(route)?.['Integration'] as { RequestTemplates: object }).RequestTemplates);
    expect(types('POST /books/{isbn}/orders')).toEqual(BODY_TYPES);
    expect(types('GET /books/{isbn}')).toEqual(['application/json']);
    expect(types('POST /circuits/orders/calls')).toEqual(['application/json']);
    const passthrough = [...methods(all).values()].map(({ Integration }) => (Integration as { PassthroughBehavior: string }).PassthroughBehavior);
    expect(passthrough).toEqual(Array(8).fill('NEVER'));
  });

  test('checks the body of calls against a model', () => {
    const model = (route: string) => {
      const method = methods(all).get(route);
      expect(text(method?.['RequestValidatorId'])).toMatch(/^<FrontDoorApiBody/);
      return all[text((method?.['RequestModels'] as Record<string, unknown>)['application/json']).slice(1, -1)]?.Properties;
    };
    const params = { type: 'object' };
    expect(model('POST /circuits/plain/calls')).toMatchObject({ Schema: { type: 'object', properties: { params }, additionalProperties: false } });
    expect(model('POST /circuits/orders/calls')?.['Schema']).toEqual({
      $schema: 'http://json-schema.org/draft-04/schema#', type: 'object', properties: { params, body: {} }, additionalProperties: false,
    });
    expect(only(all, 'AWS::ApiGateway::RequestValidator').Properties['ValidateRequestBody']).toBe(true);
  });

  test('limits a body as the policy does', () => {
    const limits = readFileSync(new URL('../../lambdas/policy/src/limits.rs', import.meta.url), 'utf8');
    expect(/BODY_AS_JSON_BYTES: usize = ([0-9_]+);/.exec(limits)?.[1]?.replaceAll('_', '')).toBe(String(BODY_AS_JSON_BYTES));
    expect(/VALUE_LENGTH: usize = ([0-9_]+);/.exec(limits)?.[1]).toBe('200');
  });
});

describe('an error of its own', () => {
  const responses = (all: Resources) =>
    Object.fromEntries(
      ofType(all, 'AWS::ApiGateway::GatewayResponse').map(([, { Properties }]) => {
        const headers = Object.entries(Properties['ResponseParameters'] as Record<string, string>).map(([name, value]) => `${name.split('.').at(-1) ?? ''}: ${value.slice(1, -1)}`);
        return [Properties['ResponseType'] as string, [Properties['StatusCode'] ?? 'its own', ...headers].join(', ')];
      }),
    );

  test('has a reason, and a status as the local front door has it', () => {
    expect(responses(all)).toEqual({
      DEFAULT_4XX: 'its own, x-circuit: failed',
      DEFAULT_5XX: 'its own, x-circuit: failed',
      BAD_REQUEST_BODY: '400, x-circuit: invalid',
      BAD_REQUEST_PARAMETERS: '400, x-circuit: invalid',
      REQUEST_TOO_LARGE: '413, x-circuit: invalid',
      UNSUPPORTED_MEDIA_TYPE: '415, x-circuit: invalid',
      THROTTLED: '429, x-circuit: failed, Retry-After: 1',
      INTEGRATION_TIMEOUT: '504, x-circuit: failed',
      INTEGRATION_FAILURE: '502, x-circuit: failed',
      MISSING_AUTHENTICATION_TOKEN: '403, x-circuit: failed',
    });
    expect(responses(open)).toMatchObject({ MISSING_AUTHENTICATION_TOKEN: '404, x-circuit: failed' });
  });

  test('is a message and a request id, and nothing of AWS’s', () => {
    for (const [name, { Properties }] of ofType(all, 'AWS::ApiGateway::GatewayResponse')) {
      const template = (Properties['ResponseTemplates'] as Record<string, string>)['application/json'] ?? '';
      const made = JSON.parse(render(template, { body: '{}' }).text) as Record<string, string>;
      expect(made, name).toEqual({ message: expect.stringMatching(/^[A-Z][^$]+$/) as string, requestId: REQUEST_ID });
    }
  });
});

describe('an API', () => {
  test('fails when it has no circuit', () => {
    expect(() => new CircuitBreakerApi(emptyStack(), 'Api', { circuits: [] })).toThrow('an API needs a circuit at least');
  });

  test('fails when its circuits have several stores', () => {
    const { stack, circuits } = deployed([books]);
    const other = new CircuitStore(stack, 'Other', { binaries: LambdaBinaries.placeholders() });
    const mixed = [...circuits, new CircuitBreaker(stack, 'Plain', { policy: policy('plain'), store: other })];
    expect(() => new CircuitBreakerApi(stack, 'Second', { circuits: mixed })).toThrow('the circuits of an API share one store: give each of them the same `store`');
  });

  test.each([
    ['two circuits are on one route', policy('b', { route: { path: '/books/{isbn}' }, params: { isbn: '[0-9]' }, call: { url: 'https://partner.example.com/{isbn}' } }), 'each route once'],
    ['two names are at one level of a path', policy('b', { route: { path: '/books/{id}/x' }, params: { id: '[0-9]' }, call: { url: 'https://partner.example.com/{id}' } }), 'one name at one level of a path, as in {isbn}'],
  ])('fails when %s', (_, other, problem) => {
    expect(() => deployed([books, other])).toThrow(problem);
  });

  test.each([['x.y'], ['x`y'], ['1x'], ["x'y"]])('fails when it can not pass on a header %s', (name) => {
    const odd = policy('odd', { call: { url: 'https://partner.example.com/', passHeaders: [name] } });
    expect(() => deployed([odd])).toThrow(`call.passHeaders of odd has ${name}; allowed in an API: letters, digits, - and _, a letter first`);
  });

  test('can be called by whom it is granted to', () => {
    const { stack, api } = deployed([books]);
    api.grantCall(new Role(stack, 'Shop', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') }));
    const { Statement } = only(resources(stack), 'AWS::IAM::Policy').Properties['PolicyDocument'] as { Statement: { Resource: unknown; Action: string }[] };
    expect(Statement.map(({ Action, Resource }) => [Action, text(Resource).replace(/<\w+>/, '<Api>')])).toEqual([
      ['execute-api:Invoke', 'arn:${AWS::Partition}:execute-api:${AWS::Region}:${AWS::AccountId}:<Api>/live/*/*'],
    ]);
  });
});
