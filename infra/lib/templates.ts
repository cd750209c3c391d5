import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Policy } from './policy.ts';

/** The content types that a customer's own body may have; API Gateway chooses a template by them. */
export const BODY_TYPES = ['application/json', 'text/plain', 'application/xml', 'application/x-www-form-urlencoded'];

/**
 * Reads a template and fills in what is known at synth. Line breaks and indentation are for the template's reader: what it
 * prints is its last line's, byte for byte, so they are taken out.
 */
function template(name: string, values: Readonly<Record<string, string>> = {}): string {
  const text = readFileSync(resolve(import.meta.dirname, '../api', `${name}.vtl`), 'utf8')
    .split('\n')
    .map((line) => line.trim())
    // Braces, so that what follows is not taken for a part of the word.
    .map((line) => line.replace(/^#(else|end)$/, '#{$1}'))
    .join('');
  return text.replaceAll(/@([a-zA-Z]+)@/g, (token, key: string) => {
    const value = values[key];
    if (value === undefined) {
      throw new Error(`${name}.vtl has ${token}, which nobody fills in`);
    }
    return value;
  });
}

/** A pattern as it stands in a template. A literal's own `\u` may be read by Velocity, so each backslash is put in when it runs. */
function patternLiteral(portable: string): string {
  return portable.replaceAll('\\', '${backslash}');
}

/** Where the values of parameters are, and in what form. */
interface Given {
  /** An expression for the map that has the value. */
  readonly map: string;
  /** Whether the value is a string, where it may be anything. */
  readonly isText?: string;
  /** What turns the value into text. */
  readonly decode?: string;
}

/** Checks the parameters in the order of their names, as everything else that checks them does. */
function parameters(policy: Policy, given: (name: string) => Given): string {
  return declared(policy)
    .map((name) => {
      const { map, isText = 'true', decode = '' } = given(name);
      return template('parameter', { name, map, isText, decode, pattern: patternLiteral(policy.patterns[name] ?? '') });
    })
    .join('');
}

/** The parameters' names. They come sorted. */
function declared(policy: Policy): string[] {
  return Object.keys(policy.patterns);
}

/** How the customer's body is checked. */
function sentBody(maxBytes: number, given: { isMissing: string; isText: string; sent: string }): string {
  return template('body', { ...given, maxBytes: String(maxBytes), maxJsonBytes: String(BODY_AS_JSON_BYTES) });
}

/** The length of a customer's body as a JSON string, as in the policy's limits; a test compares them. */
export const BODY_AS_JSON_BYTES = 131_072;

/** How large the customer's own body may be; none where the circuit takes none. */
export function bodyBytes(policy: Policy): number | undefined {
  const body = policy.deployed.call.body;
  return body !== undefined && 'pass' in body ? body.pass.maxBytes : undefined;
}

function start(policy: Policy, stateMachine: string, request: string): string {
  const body = bodyBytes(policy) === undefined ? '' : ',${quote}body${quote}:${quote}$sent_text${quote}';
  return template('start', { stateMachine, request, body });
}

/** Starts an execution with the parameters of the policy's own route. */
export function startByRoute(policy: Policy, stateMachine: string): string {
  const inPath = new Set((policy.route?.segments ?? []).map((segment) => ('parameter' in segment ? segment.parameter : '')));
  // API Gateway hands a segment on as it was sent, and a query decoded. A plus sign is none of a path's escapes.
  const path: Given = { map: '$input.params().path', decode: '#set($value = $util.urlDecode($value.replace("+", "%2B")))' };
  const query: Given = { map: '$input.params().querystring' };
  const maxBytes = bodyBytes(policy);
  const body = maxBytes === undefined ? '' : sentBody(maxBytes, { isMissing: 'false', isText: 'true', sent: '$input.body' });
  return start(policy, stateMachine, parameters(policy, (name) => (inPath.has(name) ? path : query)) + body);
}

/** Starts an execution with what stands in the body of `POST /circuits/NAME/calls`; its model has been checked. */
export function startByCall(policy: Policy, stateMachine: string): string {
  const params = template('call-params');
  const checks = parameters(policy, (name) => ({ map: '$given', isText: `$input.json('$.params.${name}').startsWith($quote)` }));
  const others = template('unknown-parameter', { others: declared(policy).map((name) => ` && $name != "${name}"`).join('') });
  const maxBytes = bodyBytes(policy);
  const body =
    maxBytes === undefined
      ? ''
      : sentBody(maxBytes, {
          isMissing: "!$input.path('$').containsKey(\"body\") || $input.json('$.body') == \"null\"",
          isText: "$input.json('$.body').startsWith($quote)",
          sent: "$input.path('$.body')",
        });
  return start(policy, stateMachine, params + checks + others + body);
}

/** The execution's answer, or a small error that holds nothing of the execution. */
export function answer(policy: Policy): string {
  const passed = policy.deployed.call.passHeaders ?? [];
  const odd = passed.find((name) => !/^[a-z][a-z0-9_-]*$/.test(name));
  if (odd !== undefined) {
    throw new Error(`call.passHeaders of ${policy.circuit} has ${odd}; allowed in an API: letters, digits, - and _, a letter first`);
  }
  return template('answer', { headers: passed.map((name) => template('passed-header', { name })).join('') });
}

/** Step Functions refused the start. */
export function refusedStart(): string {
  return template('refused-start');
}

/** Reads the stored circuit from the table. */
export function readCircuit(policy: Policy, table: string): string {
  return template('read-circuit', { table, circuit: policy.circuit });
}

/** What is stored of a circuit, as plain values. */
export function storedCircuit(policy: Policy): string {
  return template('circuit', { circuit: policy.circuit, value: template('value') });
}

/** A small error of the API's own. */
export function smallError(message: string): string {
  return JSON.stringify({ message, requestId: '$context.requestId' });
}
