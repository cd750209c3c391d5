// What API Gateway does around the templates: chooses a method, checks the body against its model, runs the template of the
// request, and that of the answer. After AWS's documentation; what is not said there, no case relies on.
import { type Resources, ofType, text } from './app.ts';
import { type Json, render, type Rendered } from './velocity.ts';

export interface Request {
  readonly method: string;
  /** As it was sent, percent-encoding and all. */
  readonly path: string;
  readonly query?: string;
  readonly body?: string;
}

interface Method {
  readonly HttpMethod: string;
  readonly RequestModels?: Record<string, { Ref: string }>;
  readonly Integration: {
    readonly Uri: unknown;
    readonly RequestTemplates: Record<string, unknown>;
    readonly IntegrationResponses: { StatusCode: string; SelectionPattern?: string; ResponseTemplates: Record<string, unknown>; ResponseParameters?: Record<string, string> }[];
  };
}

/** A method of the API, as it stands in the template of a stack. */
export class Route {
  readonly #method: Method;
  readonly #models: Resources;
  readonly #parameters: readonly string[];

  private constructor(method: Method, models: Resources, parameters: readonly string[]) {
    this.#method = method;
    this.#models = models;
    this.#parameters = parameters;
  }

  /** The method that a request is for. */
  static of(all: Resources, method: string, path: string): Route {
    let at = '';
    const parameters: string[] = [];
    for (const segment of path.split('/').slice(1)) {
      const [name, found] = below(all, at, segment);
      if (found.startsWith('{')) {
        parameters.push(found.slice(1, -1));
      }
      at = name;
    }
    const found = ofType(all, 'AWS::ApiGateway::Method').find(
      ([, { Properties }]) => Properties['HttpMethod'] === method && text(Properties['ResourceId']) === `<${at}>`,
    );
    if (found === undefined) {
      throw new Error(`the API has no ${method} ${path}`);
    }
    return new Route(found[1].Properties as unknown as Method, all, parameters);
  }

  /** What is called, as in `states:action/StartSyncExecution`. */
  get action(): string {
    return /[a-z]+:action\/\w+$/.exec(text(this.#method.Integration.Uri))?.[0] ?? '';
  }

  /** What is sent to the service, or the status of a refusal. */
  request({ path, query = '', body = '' }: Request): { sent: Record<string, string> } | { refused: number } {
    const model = this.#method.RequestModels?.['application/json'];
    if (model !== undefined && !fits(body, this.#models[model.Ref]?.Properties['Schema'] as Schema)) {
      return { refused: 400 };
    }
    const values = path.split('/').slice(1).filter((_, index) => this.#isParameter(index, path));
    const rendered = render(this.#template('application/json'), {
      body,
      path: Object.fromEntries(this.#parameters.map((name, index) => [name, values[index] ?? ''])),
      query: Object.fromEntries(new URLSearchParams(query)),
    });
    return { sent: JSON.parse(rendered.text) as Record<string, string> };
  }

  /** The answer to a service's response with status 200. */
  response(body: Json): Rendered {
    return render(text(this.#answer(undefined).ResponseTemplates['application/json']), { body: JSON.stringify(body) });
  }

  /** The answer to a refusal by the service. */
  refusal(): { status: number; headers: Record<string, string>; text: string } {
    const answer = this.#answer('[45][0-9][0-9]');
    const headers = Object.entries(answer.ResponseParameters ?? {}).map(([name, value]) => [name.split('.').at(-1) ?? '', value.slice(1, -1)]);
    const rendered = render(text(answer.ResponseTemplates['application/json']), { body: '{"message":"secret"}' });
    return { status: Number(answer.StatusCode), headers: Object.fromEntries(headers), text: rendered.text };
  }

  #answer(pattern: string | undefined) {
    const found = this.#method.Integration.IntegrationResponses.find((each) => each.SelectionPattern === pattern);
    if (found === undefined) {
      throw new Error(`no answer for ${pattern}`);
    }
    return found;
  }

  #template(contentType: string): string {
    return text(this.#method.Integration.RequestTemplates[contentType]);
  }

  #isParameter(index: number, path: string): boolean {
    let at = '';
    let found = '';
    for (const segment of path.split('/').slice(1, index + 2)) {
      [at, found] = below(this.#models, at, segment);
    }
    return found.startsWith('{');
  }
}

/** The resource below another for a segment, a literal one first, with its path part. */
function below(all: Resources, parent: string, segment: string): [string, string] {
  const parts = ofType(all, 'AWS::ApiGateway::Resource').flatMap(([name, { Properties }]): [string, string][] => {
    const above = text(Properties['ParentId']);
    return above === `<${parent}>` || (parent === '' && above.endsWith('.RootResourceId>')) ? [[name, Properties['PathPart'] as string]] : [];
  });
  const found = parts.find(([, part]) => part === segment) ?? parts.find(([, part]) => part.startsWith('{'));
  if (found === undefined) {
    throw new Error(`the API has nothing for ${segment}`);
  }
  return found;
}

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean;
}

/** Whether a body fits a model, as far as ours go. */
function fits(body: string, schema: Schema): boolean {
  try {
    return isOf(JSON.parse(body) as Json, schema);
  } catch {
    return false;
  }
}

function isOf(value: Json, { type, properties = {}, additionalProperties = true }: Schema): boolean {
  if (type === undefined) {
    return true;
  }
  if (type !== 'object' || value === null || typeof value !== 'object' || Array.isArray(value)) {
    return false;
  }
  return Object.entries(value).every(([name, each]) => (properties[name] === undefined ? additionalProperties : isOf(each, properties[name])));
}
