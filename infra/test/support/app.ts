// Apps as the CLI would synthesise them, each once for all tests.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import {
  checkPolicies, CircuitBreaker, CircuitBreakerApi, type CircuitBreakerApiProps, type CircuitBreakerProps, CircuitStore, LambdaBinaries,
  type Policy, StepbreakerStack, type StepbreakerStackProps,
} from '../../lib/index.ts';

/** A policy as it stands in a file. */
export type PolicyFile = { readonly circuit: string; readonly [field: string]: unknown };

const settings = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../cdk.json'), 'utf8')) as { context: Record<string, unknown> };

/** An app with the settings of cdk.json. */
export function app(): App {
  return new App({ context: settings.context, analyticsReporting: false });
}

/** An empty stack to put constructs into. */
export function emptyStack(): Stack {
  return new Stack(app(), 'Tested');
}

/** The example app. */
export function example(props: StepbreakerStackProps = {}): StepbreakerStack {
  return new StepbreakerStack(app(), 'Stepbreaker', { binaries: LambdaBinaries.placeholders(), ...props });
}

/** A policy with no more than it must have. */
export function policy(circuit: string, more: Record<string, unknown> = {}): PolicyFile {
  return { circuit, call: { url: 'https://partner.example.com/' }, fallback: { body: null }, ...more };
}

/** A stack with these circuits, which share a store, and an API in front of them. */
export function deployed(
  policies: readonly (PolicyFile | Policy)[],
  api: Partial<CircuitBreakerApiProps> = {},
  circuit: Partial<CircuitBreakerProps> = {},
): { stack: Stack; store: CircuitStore; circuits: CircuitBreaker[]; api: CircuitBreakerApi } {
  const stack = emptyStack();
  const store = new CircuitStore(stack, 'Store', { binaries: LambdaBinaries.placeholders() });
  const circuits = policies.map((each) => new CircuitBreaker(stack, each.circuit, { policy: each, store, ...circuit }));
  return { stack, store, circuits, api: new CircuitBreakerApi(stack, 'FrontDoor', { circuits, ...api }) };
}

/** A resource as it stands in a template. */
export interface Resource {
  readonly Type: string;
  readonly Properties: Record<string, unknown>;
  readonly DeletionPolicy?: string;
}

export type Resources = Readonly<Record<string, Resource>>;

/** A stack's template. */
export interface Template {
  readonly Resources: Resources;
  readonly Outputs: Readonly<Record<string, { readonly Value: unknown }>>;
  readonly Parameters: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** The template as the CLI would deploy it. */
export function template(stack: Stack): Template {
  return (stack.node.root as App).synth().getStackArtifact(stack.artifactId).template as Template;
}

export function resources(stack: Stack): Resources {
  return template(stack).Resources;
}

/** The resources of a type, by their names. */
export function ofType(all: Resources, type: string): [string, Resource][] {
  return Object.entries(all).filter(([, resource]) => resource.Type === type);
}

/** The only one of a type whose name contains `part`. */
export function only(all: Resources, type: string, part = ''): Resource {
  const found = ofType(all, type).filter(([name]) => name.includes(part));
  if (found.length !== 1 || found[0] === undefined) {
    throw new Error(`${found.length} of ${type} with ${part}: ${found.map(([name]) => name).join(', ')}`);
  }
  return found[0][1];
}

/**
 * A value of a template as text: `<Name>` and `<Name.Attribute>` stand for resources, and the stack's own are left as
 * `${AWS::Region}` and so on.
 */
export function text(value: unknown): string {
  if (typeof value === 'string') {
    return value;
  }
  const [[name, given] = ['', undefined]] = Object.entries(value as Record<string, unknown>);
  switch (name) {
    case 'Ref':
      return (given as string).startsWith('AWS::') ? `\${${given as string}}` : `<${given as string}>`;
    case 'Fn::GetAtt':
      return `<${(given as string[]).join('.')}>`;
    case 'Fn::Join': {
      const [between, parts] = given as [string, unknown[]];
      return parts.map(text).join(between);
    }
    default:
      throw new Error(`no text: ${JSON.stringify(value)}`);
  }
}

/** The policies, checked at once: that is one process rather than many. */
export function checked(policies: readonly PolicyFile[]): Policy[] {
  return checkPolicies(policies);
}
