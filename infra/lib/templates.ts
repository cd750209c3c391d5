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

/** `isText` says whether a value is a string, where it may be anything. */
function parameters(policy: Policy, names: readonly string[], decode: string, isText = (_: string) => 'true'): string {
  return names
    .map((name) =>
      template('parameter', { name, decode, isText: isText(name), pattern: patternLiteral(policy.patterns[name] ?? '') }),
    )
    .join('');
}

function declared(policy: Policy): string[] {
  return Object.keys(policy.patterns).sort();
}

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
  const segments = policy.route?.segments ?? [];
  const inPath = segments.flatMap((segment) => ('parameter' in segment ? [segment.parameter] : []));
  const inQuery = (policy.route?.query ?? []).filter((name) => !inPath.includes(name));
  // API Gateway hands a segment on as it was sent, and a query decoded. A plus sign is none of a path's escapes.
  const decode = '#set($value = $util.urlDecode($value.replace("+", "%2B")))';
  const maxBytes = bodyBytes(policy);
  const body =
    maxBytes === undefined
      ? ''
      : template('body', { isMissing: 'false', isText: 'true', sent: '$input.body', maxBytes: String(maxBytes) });
  return start(
    policy,
    stateMachine,
    [
      '#set($given = $input.params().path)',
      parameters(policy, inPath.sort(), decode),
      inQuery.length > 0 ? '#set($given = $input.params().querystring)' : '',
      parameters(policy, inQuery.sort(), ''),
      body,
    ].join(''),
  );
}

/** Starts an execution with what stands in the body of `POST /circuits/NAME/calls`; its model has been checked. */
export function startByCall(policy: Policy, stateMachine: string): string {
  const names = declared(policy);
  const maxBytes = bodyBytes(policy);
  const body =
    maxBytes === undefined
      ? ''
      : template('body', {
          isMissing: "!$input.path('$').containsKey(\"body\")",
          isText: "$input.json('$.body').startsWith($quote)",
          sent: "$input.path('$.body')",
          maxBytes: String(maxBytes),
        });
  return start(
    policy,
    stateMachine,
    [
      "#set($given = {})#if($input.path('$').containsKey(\"params\"))#set($given = $input.path('$.params'))#end",
      parameters(policy, names, '', (name) => `$input.json('$.params.${name}').startsWith($quote)`),
      template('unknown-parameter', { others: names.map((name) => ` && $name != "${name}"`).join('') }),
      body,
    ].join(''),
  );
}

/** The execution's answer, or a small error that holds nothing of the execution. */
export function answer(policy: Policy): string {
  const passed = policy.deployed.call.passHeaders ?? [];
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
