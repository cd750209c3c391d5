// Runs a mapping template as API Gateway does, as far as the templates go: velocityjs reads the language, and what Java's
// classes and API Gateway's $input, $util and $context do is written here, after AWS's documentation. Whatever a template uses
// beyond that is an error, so that no JavaScript method stands in for one that Java has not.
import { appendFileSync } from 'node:fs';
import { Compile, parse } from 'velocityjs';

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** What a template sees of a request, or of a service's response. */
export interface Message {
  readonly body: string;
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
}

/** What a template printed, and what it put in the place of the response's status and headers. */
export interface Rendered {
  readonly text: string;
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** The id that `$context.requestId` is here. */
export const REQUEST_ID = '5b2a4c1e-0000-4000-8000-000000000000';

export function render(template: string, message: Message): Rendered {
  const responseOverride: { status?: number; header: Record<string, string> } = { header: {} };
  const handler = {
    uid: 'java',
    match: () => true,
    resolve: ({ property, context, params }: { property: string; context: unknown; params: unknown[] }) =>
      call(context, property, params),
  };
  const compiled = new Compile(parse(template), { customMethodHandlers: [handler as never] });
  const text = compiled.render({
    input: new Input(message),
    util: new Util(),
    context: { requestId: REQUEST_ID, responseOverride },
  } as never) as string;
  const rendered = { text, status: responseOverride.status, headers: responseOverride.header };
  record(template, message, rendered);
  return rendered;
}

/** For `make velocity`, which renders it again with Apache Velocity. */
function record(template: string, { body, path = {}, query = {} }: Message, rendered: Rendered): void {
  const file = process.env['RENDERED'];
  if (file !== undefined) {
    appendFileSync(file, `${JSON.stringify({ template, body, path, query, requestId: REQUEST_ID, ...rendered })}\n`);
  }
}

/** `$input`. */
class Input {
  readonly body: string;
  readonly #message: Message;

  constructor(message: Message) {
    this.#message = message;
    this.body = message.body;
  }

  /** A value that a template can ask further. Only plain paths are known. */
  path(path: string): unknown {
    return path
      .split('.')
      .slice(1)
      .reduce<Json | undefined>((value, name) => member(value, name), JSON.parse(this.#message.body) as Json);
  }

  /** The same as JSON text. What is not there must not be asked for: AWS does not say what that prints. */
  json(path: string): string {
    const value = this.path(path);
    if (value === undefined) {
      throw new Error(`$input.json('${path}') is asked for, and is not there`);
    }
    return JSON.stringify(value);
  }

  params(): unknown {
    return { path: { ...this.#message.path }, querystring: { ...this.#message.query }, header: {} };
  }
}

function member(value: Json | undefined, name: string): Json | undefined {
  return value !== null && typeof value === 'object' && !Array.isArray(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** `$util`. */
class Util {
  /** As Apache Commons does it, an apostrophe and a slash included. */
  escapeJavaScript(text: string): string {
    const short: Record<string, string> = { '\b': '\\b', '\n': '\\n', '\t': '\\t', '\f': '\\f', '\r': '\\r', "'": "\\'", '"': '\\"', '\\': '\\\\', '/': '\\/' };
    return text.replaceAll(/[^\x20-\x7f]|['"\\/]/g, (unit) => short[unit] ?? `\\u${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`);
  }

  parseJson(text: string): unknown {
    return JSON.parse(text);
  }

  /** As forms have it, in UTF-8. */
  urlEncode(text: string): string {
    const bytes = [...Buffer.from(text, 'utf8')];
    return bytes.map((byte) => (/[A-Za-z0-9.*_-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : byte === 0x20 ? '+' : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)).join('');
  }

  urlDecode(text: string): string {
    return decodeURIComponent(text.replaceAll('+', ' '));
  }
}

/** Java's methods of what a template can hold. */
function call(on: unknown, method: string, given: unknown[]): unknown {
  const kind = typeof on === 'string' ? STRING : on instanceof Input || on instanceof Util ? undefined : MAP;
  if (kind === undefined) {
    const own = (on as Record<string, ((...given: unknown[]) => unknown) | undefined>)[method];
    if (own === undefined) {
      throw new Error(`API Gateway has no ${method}`);
    }
    return own.apply(on, given);
  }
  const found = kind[method];
  if (found === undefined || on === null || on === undefined) {
    throw new Error(`${JSON.stringify(on)} has no ${method} here`);
  }
  return found(on as never, ...(given as never[]));
}

type Methods = Readonly<Record<string, (on: never, ...given: never[]) => unknown>>;

const STRING: Methods = {
  length: (on: string) => on.length,
  // Java's has to match the whole, and reads a supplementary character as one, as JavaScript does with the flag.
  matches: (on: string, pattern: string) => new RegExp(`^(?:${pattern})$`, 'u').test(on),
  replace: (on: string, from: string, to: string) => on.replaceAll(from, () => to),
  replaceAll: (on: string, pattern: string, to: string) => on.replaceAll(new RegExp(pattern, 'gu'), to),
  startsWith: (on: string, start: string) => on.startsWith(start),
  substring: (on: string, from: number, to: number) => on.substring(from, to),
};

const MAP: Methods = {
  containsKey: (on: object, name: string) => Object.hasOwn(on, name),
  get: (on: Record<string, unknown>, name: string) => (Object.hasOwn(on, name) ? on[name] : undefined),
  keySet: (on: object) => Object.keys(on),
};
