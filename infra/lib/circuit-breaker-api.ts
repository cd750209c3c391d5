import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  AccessLogFormat, AuthorizationType, AwsIntegration, type CfnMethod, EndpointType, type IResource, JsonSchemaType, type JsonSchema,
  LogGroupLogDestination, type Method, MethodLoggingLevel, type Model, PassthroughBehavior, RequestValidator, ResponseType, RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { Grant, type IGrantable, PolicyDocument, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { CircuitBreaker } from './circuit-breaker.ts';
import { allow } from './function-role.ts';
import { checkPolicies } from './policy.ts';
import { answer, BODY_TYPES, bodyBytes, readCircuit, refusedStart, smallError, startByCall, startByRoute, storedCircuit } from './templates.ts';

export interface CircuitBreakerApiProps {
  /** The circuits that it leads to; they share one store. */
  readonly circuits: readonly CircuitBreaker[];

  /**
   * Lets everybody call, without a signature: whoever finds the URL makes your partner be called, at your expense.
   *
   * @default false: requests are signed (IAM), and who signs needs `execute-api:Invoke`
   */
  readonly publicAccess?: boolean;

  /**
   * How many requests a second are let in, and how many at once on top; more get a 429.
   *
   * @default 100 and 200
   */
  readonly throttling?: { readonly rate: number; readonly burst: number };

  /**
   * Makes the role with which API Gateway writes logs. It is one per account and region: leave it to one app.
   *
   * @default true
   */
  readonly cloudWatchRole?: boolean;

  /**
   * How long the access log is kept.
   *
   * @default RetentionDays.ONE_MONTH
   */
  readonly logRetention?: RetentionDays;
}

/** The front door: each policy's route, `POST /circuits/NAME/calls` and `GET /circuits/NAME`. */
export class CircuitBreakerApi extends Construct {
  readonly api: RestApi;
  readonly #role: Role;
  readonly #validator: RequestValidator;
  readonly #access: AuthorizationType;
  readonly #models = new Map<string, Model>();

  constructor(scope: Construct, id: string, props: CircuitBreakerApiProps) {
    super(scope, id);
    const [first] = props.circuits;
    if (first === undefined) {
      throw new Error('an API needs a circuit at least');
    }
    if (props.circuits.some((circuit) => circuit.store !== first.store)) {
      throw new Error('the circuits of an API share one store: give each of them the same `store`');
    }
    // Each is sound by itself by now. Together, two may want one route, or be more than an API holds.
    checkPolicies(props.circuits.map((circuit) => circuit.policy.source));
    this.#access = props.publicAccess === true ? AuthorizationType.NONE : AuthorizationType.IAM;
    const log = new LogGroup(this, 'AccessLog', {
      retention: props.logRetention ?? RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const { rate, burst } = props.throttling ?? { rate: 100, burst: 200 };
    this.api = new RestApi(this, 'Api', {
      restApiName: Stack.of(this).stackName,
      description: 'Circuit breakers: the routes of their policies, calls and states.',
      cloudWatchRole: props.cloudWatchRole ?? true,
      endpointTypes: [EndpointType.REGIONAL],
      deployOptions: {
        stageName: 'live',
        tracingEnabled: true,
        metricsEnabled: true,
        // Its execution log would hold requests and answers: errors only, and no data.
        loggingLevel: MethodLoggingLevel.ERROR,
        dataTraceEnabled: false,
        throttlingRateLimit: rate,
        throttlingBurstLimit: burst,
        accessLogDestination: new LogGroupLogDestination(log),
        accessLogFormat: AccessLogFormat.custom(ACCESS_LOG),
      },
    });
    this.#role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      inlinePolicies: {
        Needed: new PolicyDocument({
          statements: [
            allow(['states:StartSyncExecution'], props.circuits.map((circuit) => circuit.stateMachine.stateMachineArn)),
            allow(['dynamodb:GetItem'], [first.store.table.tableArn]),
          ],
        }),
      },
    });
    this.#validator = this.api.addRequestValidator('Body', { validateRequestBody: true });
    this.#gatewayResponses(props.publicAccess === true);
    const circuits = this.api.root.addResource('circuits');
    for (const circuit of props.circuits) {
      const one = circuits.addResource(circuit.policy.circuit);
      this.#stored(one, circuit);
      this.#calls(one.addResource('calls'), circuit);
      this.#route(circuit);
    }
  }

  /** Lets somebody call every route, where requests must be signed. */
  grantCall(grantee: IGrantable): Grant {
    return Grant.addToPrincipal({ grantee, actions: ['execute-api:Invoke'], resourceArns: [this.api.arnForExecuteApi('*', '/*', 'live')] });
  }

  #start(resource: IResource, method: string, circuit: CircuitBreaker, templates: Record<string, string>): Method {
    return resource.addMethod(
      method,
      new AwsIntegration({
        service: 'states',
        action: 'StartSyncExecution',
        integrationHttpMethod: 'POST',
        options: {
          credentialsRole: this.#role,
          passthroughBehavior: PassthroughBehavior.NEVER,
          requestTemplates: templates,
          integrationResponses: [
            { statusCode: '200', responseTemplates: { 'application/json': answer(circuit.policy) } },
            refused('503', { 'Retry-After': "'1'" }, refusedStart()),
          ],
        },
      }),
      { authorizationType: this.#access, methodResponses: [{ statusCode: '200' }, failed('503', ['Retry-After'])] },
    );
  }

  #route(circuit: CircuitBreaker): void {
    const { route } = circuit.policy;
    if (route === undefined) {
      return;
    }
    let resource: IResource = this.api.root;
    for (const segment of route.segments) {
      const part = 'literal' in segment ? segment.literal : `{${segment.parameter}}`;
      resource = resource.getResource(part) ?? resource.addResource(part);
    }
    const start = startByRoute(circuit.policy, circuit.stateMachine.stateMachineArn);
    const types = bodyBytes(circuit.policy) === undefined ? ['application/json'] : BODY_TYPES;
    this.#start(resource, route.method, circuit, Object.fromEntries(types.map((type) => [type, start])));
  }

  #calls(resource: IResource, circuit: CircuitBreaker): void {
    const start = startByCall(circuit.policy, circuit.stateMachine.stateMachineArn);
    const method = this.#start(resource, 'POST', circuit, { 'application/json': start });
    const takesBody = bodyBytes(circuit.policy) !== undefined;
    const model = takesBody ? this.#model('CallWithBody', CALL_WITH_BODY) : this.#model('Call', CALL);
    const made = method.node.defaultChild as CfnMethod;
    made.requestModels = { 'application/json': model.modelId };
    made.requestValidatorId = this.#validator.requestValidatorId;
  }

  #model(id: string, schema: JsonSchema): Model {
    const made = this.#models.get(id) ?? this.api.addModel(id, { modelName: id, contentType: 'application/json', schema });
    this.#models.set(id, made);
    return made;
  }

  #stored(resource: IResource, circuit: CircuitBreaker): void {
    const template = readCircuit(circuit.policy, circuit.store.table.tableName);
    resource.addMethod(
      'GET',
      new AwsIntegration({
        service: 'dynamodb',
        action: 'GetItem',
        integrationHttpMethod: 'POST',
        options: {
          credentialsRole: this.#role,
          passthroughBehavior: PassthroughBehavior.NEVER,
          requestTemplates: { 'application/json': template },
          integrationResponses: [
            {
              statusCode: '200',
              responseParameters: { 'method.response.header.Cache-Control': "'no-store'" },
              responseTemplates: { 'application/json': storedCircuit(circuit.policy) },
            },
            refused('502', {}, smallError('The request could not be completed')),
          ],
        },
      }),
      {
        authorizationType: this.#access,
        methodResponses: [
          { statusCode: '200', responseParameters: { 'method.response.header.Cache-Control': true } },
          failed('502', []),
        ],
      },
    );
  }

  /** API Gateway's own errors, in the form of every other one. */
  #gatewayResponses(isPublic: boolean): void {
    const respond = (type: ResponseType, reason: string, message: string, statusCode?: string, more: Record<string, string> = {}) =>
      this.api.addGatewayResponse(`On${type.responseType}`, {
        type,
        ...(statusCode === undefined ? {} : { statusCode }),
        responseHeaders: { 'x-circuit': `'${reason}'`, ...more },
        templates: { 'application/json': smallError(message) },
      });
    respond(ResponseType.DEFAULT_4XX, 'failed', 'The request was refused');
    respond(ResponseType.DEFAULT_5XX, 'failed', 'The request could not be completed');
    respond(ResponseType.BAD_REQUEST_BODY, 'invalid', BAD_BODY, '400');
    respond(ResponseType.BAD_REQUEST_PARAMETERS, 'invalid', 'The request is malformed', '400');
    respond(ResponseType.REQUEST_TOO_LARGE, 'invalid', 'The request is too large', '413');
    respond(ResponseType.UNSUPPORTED_MEDIA_TYPE, 'invalid', 'The content type is not supported: send application/json', '415');
    respond(ResponseType.THROTTLED, 'failed', 'Try again later', '429', { 'Retry-After': "'1'" });
    respond(ResponseType.INTEGRATION_TIMEOUT, 'failed', 'The request took too long', '504');
    respond(ResponseType.INTEGRATION_FAILURE, 'failed', 'The request could not be completed', '502');
    // The same for a path that leads nowhere and, where requests must be signed, for one that is not.
    if (isPublic) {
      respond(ResponseType.MISSING_AUTHENTICATION_TOKEN, 'failed', 'Not found', '404');
    } else {
      respond(ResponseType.MISSING_AUTHENTICATION_TOKEN, 'failed', 'Not found, or the request is not signed', '403');
    }
  }
}

/** Which request it was, and what became of it: the route, never the path, for that holds parameters. */
const ACCESS_LOG = JSON.stringify({
  requestId: '$context.requestId',
  time: '$context.requestTimeEpoch',
  caller: '$context.identity.caller',
  method: '$context.httpMethod',
  route: '$context.resourcePath',
  status: '$context.status',
  ms: '$context.responseLatency',
  integrationMs: '$context.integration.latency',
  error: '$context.error.responseType',
});

const BAD_BODY = 'The body must be a JSON object with params, an object of strings; any other field is not known';

/** What is in it is for the template to check, which names the parameter. */
const PARAMS: JsonSchema = { type: JsonSchemaType.OBJECT };
const CALL: JsonSchema = { type: JsonSchemaType.OBJECT, properties: { params: PARAMS }, additionalProperties: false };
const CALL_WITH_BODY: JsonSchema = {
  type: JsonSchemaType.OBJECT,
  properties: { params: PARAMS, body: {} },
  additionalProperties: false,
};

/** The answer to whatever is not a 200 of the service behind. */
function refused(statusCode: string, headers: Record<string, string>, template: string) {
  const mapped = Object.entries({ 'x-circuit': "'failed'", ...headers });
  return {
    statusCode,
    selectionPattern: '[45][0-9][0-9]',
    responseParameters: Object.fromEntries(mapped.map(([name, value]) => [`method.response.header.${name}`, value])),
    responseTemplates: { 'application/json': template },
  };
}

function failed(statusCode: string, headers: string[]) {
  const names = ['x-circuit', ...headers];
  return { statusCode, responseParameters: Object.fromEntries(names.map((name) => [`method.response.header.${name}`, true])) };
}
