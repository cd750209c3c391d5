// The templates of the API against the table that the local front door runs too (local/tests/local/cases.rs).
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startByCall } from '../lib/templates.ts';
import { checked, deployed, policy, type PolicyFile, resources } from './support/app.ts';
import { type Request, Route } from './support/api-gateway.ts';
import { type Json, render, REQUEST_ID } from './support/velocity.ts';

interface RequestCase {
  id: string; circuit: string; input?: Json; refused?: number;
  /** The body of a `POST /circuits/NAME/calls`; otherwise it is a request to the policy's route. */
  call?: string;
  method?: string; path?: string; query?: string; body?: string | [string, number];
}
interface AnswerCase {
  id: string; circuit: string; ends: string; output?: Json; error?: string; cause?: string;
  status: number; headers: Record<string, string>; body?: string; message?: string;
}
const table = JSON.parse(readFileSync(resolve(import.meta.dirname, '../api/cases.json'), 'utf8')) as {
  circuits: PolicyFile[]; requests: RequestCase[]; answers: AnswerCase[];
};
const all = resources(deployed(table.circuits).stack);

function sent(each: RequestCase): Request {
  if (each.call !== undefined) {
    return { method: 'POST', path: `/circuits/${each.circuit}/calls`, body: each.call };
  }
  const { method = '', path = '', query = '', body = '' } = each;
  return { method, path, query, body: typeof body === 'string' ? body : body[0].repeat(body[1]) };
}

describe('a request', () => {
  test.each(table.requests)('$id', (each) => {
    const request = sent(each);
    const route = Route.of(all, request.method, request.path);
    const made = route.request(request);
    if (each.refused !== undefined) {
      expect(made).toEqual({ refused: each.refused });
      return;
    }
    if (!('sent' in made)) {
      throw new Error('it was refused');
    }
    expect(route.action).toBe('states:action/StartSyncExecution');
    expect(Object.keys(made.sent)).toEqual(['stateMachineArn', 'input']);
    expect(made.sent['stateMachineArn']).toMatch(new RegExp(`^<${each.circuit}StateMachine[0-9A-F]{8}>$`));
    expect(JSON.parse(made.sent['input'] ?? '')).toEqual(each.input);
  });

  test('has cases of every kind', () => {
    expect(table.requests.length).toBeGreaterThanOrEqual(60);
    expect(table.answers.length).toBeGreaterThanOrEqual(15);
    expect(new Set([...table.requests, ...table.answers].map(({ id }) => id)).size).toBe(table.requests.length + table.answers.length);
  });
});

describe('an end of an execution', () => {
  test.each(table.answers)('$id', (each) => {
    const route = Route.of(all, 'POST', `/circuits/${each.circuit}/calls`);
    const ended: Record<string, Json> = { executionArn: 'arn', status: each.ends, input: '"secret"' };
    const more: Record<string, Json> = each.ends === 'SUCCEEDED' ? { output: JSON.stringify(each.output) } : { error: each.error ?? '', cause: each.cause ?? '' };
    const made = route.response({ ...ended, ...more });
    // Integration responses are JSON unless a template says otherwise.
    const headers = Object.entries({ 'content-type': 'application/json', ...lower(made.headers) });
    expect([made.status, Object.fromEntries(headers)]).toEqual([each.status, each.headers]);
    if (each.message === undefined) {
      expect(made.text).toBe(each.body);
    } else {
      expect(JSON.parse(made.text)).toEqual({ message: each.message, requestId: REQUEST_ID });
    }
    if (each.status >= 500 && each.message !== undefined) {
      expect(JSON.stringify(made)).not.toContain('secret');
    }
  });

  test('a refused start is a 503 with Retry-After', () => {
    const refusal = Route.of(all, 'GET', '/books/9783161484100/delivery-time').refusal();
    expect([refusal.status, lower(refusal.headers)]).toEqual([503, { 'x-circuit': 'failed', 'retry-after': '1' }]);
    expect(JSON.parse(refusal.text)).toEqual({ message: 'Try again later', requestId: REQUEST_ID });
  });
});

describe('what is stored', () => {
  const route = Route.of(all, 'GET', '/circuits/books');

  test('is asked for by the circuit alone', () => {
    expect(route.action).toBe('dynamodb:action/GetItem');
    const made = route.request({ method: 'GET', path: '/circuits/books' });
    expect(made).toEqual({
      sent: { TableName: expect.stringMatching(/^<StoreCircuits\w+>$/) as string, Key: { circuit: { S: 'books' } }, ConsistentRead: true },
    });
  });

  test.each([
    ['no item', {}, { state: 'CLOSED' }],
    ['open', { Item: { circuit: { S: 'books' }, state: { S: 'OPEN' }, epoch: { N: '1764479712000' } } }, { state: 'OPEN', epoch: 1764479712000 }],
    ['any other state', { Item: { state: { S: 'HALF' } } }, { state: 'CLOSED' }],
    ['a state of another type', { Item: { state: { N: '1' } } }, { state: 'CLOSED' }],
    ['numbers that JSON rounds', { Item: { w1: { N: '1.5' }, w2: { N: '12345678901234567890' }, w3: { N: '-3' } } }, { state: 'CLOSED', w1: '1.5', w2: '12345678901234567890', w3: -3 }],
    ['a map', { Item: { lastFailure: { M: { at: { S: '2025' }, kind: { S: 'timeout' }, known: { BOOL: true } } } } }, { state: 'CLOSED', lastFailure: { at: '2025', kind: 'timeout', known: true } }],
    ['an empty map', { Item: { lastFailure: { M: {} } } }, { state: 'CLOSED', lastFailure: {} }],
    ['texts that break out', { Item: { overrideReason: { S: '"}\' \\ \n ä #end $x' }, overrideBy: { S: '' } } }, { state: 'CLOSED', overrideReason: '"}\' \\ \n ä #end $x', overrideBy: '' }],
    ['a name that breaks out', { Item: { "\"},'": { NULL: true } } }, { state: 'CLOSED', "\"},'": null }],
  ])('%s', (_, answered, shown) => {
    expect(JSON.parse(route.response(answered as Json).text)).toEqual({ circuit: 'books', ...shown });
  });

  test('can fail, and says nothing of it', () => {
    const refusal = route.refusal();
    expect([refusal.status, lower(refusal.headers)]).toEqual([502, { 'x-circuit': 'failed' }]);
    expect(JSON.parse(refusal.text)).toEqual({ message: 'The request could not be completed', requestId: REQUEST_ID });
  });
});

describe('patterns', () => {
  const patterns = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../tests/cases/patterns.json'), 'utf8')) as {
    acceptedPatterns: { pattern: string; matches: string[]; fails: string[] }[];
  };
  // A value may be written as TEXT*xCOUNT.
  const value = (row: string) => row.replace(/^([^]*)\*x(\d+)$/, (_, repeated: string, count: string) => repeated.repeat(Number(count)));
  const url = { url: 'https://partner.example.com/', query: { value: '{value}' } };
  const policies = checked(patterns.acceptedPatterns.map(({ pattern }, index) => policy(`p${index}`, { params: { value: pattern }, call: url })));

  test.each(patterns.acceptedPatterns.map((each, index) => ({ ...each, index })))('$pattern', ({ matches, fails, index }) => {
    const template = startByCall(policies[index] ?? expect.fail(), 'arn');
    const accepts = (row: string) => {
      const made = render(template, { body: JSON.stringify({ params: { value: value(row) } }) });
      const input = JSON.parse((JSON.parse(made.text) as { input: string }).input) as { params: Json; invalid?: string };
      expect(input).toEqual(
        input.invalid === undefined
          ? { params: { value: value(row) } }
          : { params: {}, invalid: 'parameter value does not match its pattern' },
      );
      return input.invalid === undefined;
    };
    expect(matches.filter((row) => !accepts(row)), 'should be accepted').toEqual([]);
    expect(fails.filter(accepts), 'should be refused').toEqual([]);
  });
});

function lower(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
