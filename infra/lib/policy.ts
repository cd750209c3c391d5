import { spawnSync } from 'node:child_process';
import { existsSync, statSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { DEFINITION, ROOT } from './repository.ts';

/** Where a header's value is kept, as the policy file says it. */
export interface SecretHeader {
  readonly secret?: string;
  readonly parameter?: string;
}

/** One segment of a route. */
export type Segment = { readonly literal: string } | { readonly parameter: string };

/** The policy's own way into the API. */
export interface Route {
  readonly method: string;
  /** As in `/books/{isbn}/delivery-time`. */
  readonly path: string;
  readonly segments: readonly Segment[];
  /** Parameters that are taken from the query. */
  readonly query?: readonly string[];
}

/** What is deployed of a policy, as far as the construct reads it; the rest is the workflow's. */
export interface Deployed {
  readonly circuit: string;
  readonly params: Readonly<Record<string, string>>;
  readonly call: {
    readonly method: string;
    readonly url: string;
    readonly timeoutMs: number;
    readonly secretHeaders?: Readonly<Record<string, SecretHeader>>;
    /** What the call sends: the policy's own, or the customer's up to so many bytes. */
    readonly body?: { readonly template: string } | { readonly pass: { readonly maxBytes: number } };
    /** The partner's headers that the customer gets too. */
    readonly passHeaders?: readonly string[];
  };
  readonly fallback: { readonly status: number; readonly body: string };
}

/** A policy that was checked. */
export interface Policy {
  readonly circuit: string;
  readonly file: string;
  readonly route?: Route;
  /** Each parameter's pattern, written so that Java and JavaScript read it as Rust does. Not anchored. */
  readonly patterns: Readonly<Record<string, string>>;
  readonly deployed: Deployed;
  /** The workflow's definition with the policy in it; its names are still `{{CircuitsTable}}` and so on. */
  readonly definition: string;
  /** Where it came from. */
  readonly source: PolicySource;
}

/** A policy's file, or what would stand in one. */
export type PolicySource = string | { readonly circuit: string; readonly [field: string]: unknown };

/** Policies are refused with the same words at synth as locally, because the same code reads them. */
export class PolicyError extends Error {
  constructor(problems: string) {
    super(`A policy can't work:\n${problems}`);
    this.name = 'PolicyError';
  }
}

/**
 * Checks policies, each by itself and all together.
 *
 * @throws PolicyError with every problem: the file, the field, the value that it had and what is allowed.
 */
export function checkPolicies(sources: readonly PolicySource[]): Policy[] {
  const given = sources.map((source) =>
    typeof source === 'string'
      ? { file: source, text: readPolicy(source) }
      : { file: `${source.circuit}.json`, text: JSON.stringify(source) },
  );
  return run(['-'], JSON.stringify(given)).map((policy, index) => ({ ...policy, source: sources[index] ?? policy.file }));
}

/** Checks all policies of a directory, as `make local` does. */
export function policiesOf(directory: string): Policy[] {
  if (!existsSync(directory) || !statSync(directory).isDirectory()) {
    throw new PolicyError(`${directory}: is no directory; allowed: a directory of policy files`);
  }
  return run([directory], '').map((policy) => ({ ...policy, source: policy.file }));
}

function readPolicy(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new PolicyError(`${resolve(file)}: can't be read; allowed: a policy file in UTF-8`);
  }
}

function run(policies: string[], input: string): Omit<Policy, 'source'>[] {
  const command = resolve(process.env['STEPBREAKER_POLICY'] ?? resolve(ROOT, 'target/debug/stepbreaker-policy'));
  if (!existsSync(command)) {
    throw new Error(`${command} is missing, which checks policies: build it with \`make build\``);
  }
  const done = spawnSync(command, ['--definition', DEFINITION, '--', ...policies], {
    input,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  if (done.status === 2) {
    throw new PolicyError(done.stderr.trim());
  }
  if (done.error !== undefined || done.status !== 0) {
    throw new Error(`${command} failed: ${done.error?.message ?? done.stderr.trim()}`);
  }
  return JSON.parse(done.stdout) as Omit<Policy, 'source'>[];
}
