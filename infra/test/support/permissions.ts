// What each role needs, derived from the definitions, the functions' sources and the API's integrations; and what it is
// granted, as the template says it. Both as `ACTION on RESOURCE`.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ROOT } from '../../lib/repository.ts';
import { ofType, type Resource, type Resources, text } from './app.ts';

/** By a role's name, `ACTION on RESOURCE` and what it is for. */
export type Permissions = Map<string, Map<string, string>>;

/** Actions for which their service knows no resources, so that only `*` can be granted. */
export const WITHOUT_RESOURCES: Readonly<Record<string, string>> = {
  'xray:PutTraceSegments': 'X-Ray knows no resources for traces',
  'xray:PutTelemetryRecords': 'X-Ray knows no resources for traces',
  'xray:GetSamplingRules': 'X-Ray knows no resources for sampling',
  'xray:GetSamplingTargets': 'X-Ray knows no resources for sampling',
  'logs:CreateLogDelivery': 'CloudWatch Logs knows no resources for deliveries',
  'logs:GetLogDelivery': 'CloudWatch Logs knows no resources for deliveries',
  'logs:UpdateLogDelivery': 'CloudWatch Logs knows no resources for deliveries',
  'logs:DeleteLogDelivery': 'CloudWatch Logs knows no resources for deliveries',
  'logs:ListLogDeliveries': 'CloudWatch Logs knows no resources for deliveries',
  'logs:PutResourcePolicy': 'CloudWatch Logs knows no resources for its resource policies',
  'logs:DescribeResourcePolicies': 'CloudWatch Logs knows no resources for its resource policies',
  'logs:DescribeLogGroups': 'Step Functions asks for all log groups before it delivers to one',
};

const X_RAY_OF_A_FUNCTION = ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'];

/** What the SDKs' operations are to IAM, by the names that Rust gives them. */
const OPERATIONS: Readonly<Record<string, string>> = {
  get_item: 'dynamodb:GetItem',
  update_item: 'dynamodb:UpdateItem',
  put_item: 'dynamodb:PutItem',
  delete_item: 'dynamodb:DeleteItem',
  get_secret_value: 'secretsmanager:GetSecretValue',
  get_parameter: 'ssm:GetParameter',
};

class Derived {
  readonly permissions: Permissions = new Map();

  need(role: unknown, action: string, resource: unknown, why: string): void {
    const name = roleName(role);
    const needed = this.permissions.get(name) ?? new Map<string, string>();
    needed.set(`${action} on ${text(resource)}`, why);
    this.permissions.set(name, needed);
  }
}

export function derived(all: Resources): Permissions {
  const found = new Derived();
  for (const [, machine] of ofType(all, 'AWS::StepFunctions::StateMachine')) {
    ofMachine(machine.Properties, all, found);
  }
  for (const [name, each] of ofType(all, 'AWS::Lambda::Function')) {
    ofFunction(name, each.Properties, found);
  }
  for (const [name, method] of ofType(all, 'AWS::ApiGateway::Method')) {
    ofMethod(name, method, found);
  }
  for (const [name, account] of ofType(all, 'AWS::ApiGateway::Account')) {
    const managed = 'arn:${AWS::Partition}:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs';
    found.need(account.Properties['CloudWatchRoleArn'], 'managed policy', managed, `${name}: API Gateway writes all APIs' logs with it`);
  }
  return found.permissions;
}

interface Task {
  readonly Type: string;
  readonly Resource: string;
  readonly Parameters: { TableName?: string; FunctionName?: string; Entries?: { EventBusName?: string }[] };
}

function ofMachine(properties: Record<string, unknown>, all: Resources, found: Derived): void {
  const role = properties['RoleArn'];
  const definition = JSON.parse(text(properties['DefinitionString'])) as { States: Record<string, Task & { Result?: unknown }> };
  for (const [state, task] of Object.entries(definition.States)) {
    if (task.Type !== 'Task') {
      continue;
    }
    switch (task.Resource) {
      case 'arn:aws:states:::dynamodb:getItem':
        found.need(role, 'dynamodb:GetItem', arnOf(task.Parameters.TableName ?? ''), state);
        break;
      case 'arn:aws:states:::lambda:invoke':
        found.need(role, 'lambda:InvokeFunction', task.Parameters.FunctionName, state);
        break;
      case 'arn:aws:states:::events:putEvents':
        for (const { EventBusName = 'default' } of task.Parameters.Entries ?? []) {
          found.need(role, 'events:PutEvents', `arn:\${AWS::Partition}:events:\${AWS::Region}:\${AWS::AccountId}:event-bus/${EventBusName}`, state);
        }
        break;
      default:
        throw new Error(`what does ${task.Resource} of ${state} need?`);
    }
  }
  if (properties['LoggingConfiguration'] !== undefined) {
    for (const action of Object.keys(WITHOUT_RESOURCES).filter((action) => action.startsWith('logs:'))) {
      found.need(role, action, '*', 'its log');
    }
  }
  if ((properties['TracingConfiguration'] as { Enabled?: boolean } | undefined)?.Enabled === true) {
    for (const action of Object.keys(WITHOUT_RESOURCES).filter((action) => action.startsWith('xray:'))) {
      found.need(role, action, '*', 'its traces');
    }
  }
  // The policy in it says which secrets its caller reads.
  const caller = definition.States['Call Partner']?.Parameters.FunctionName ?? '';
  const policy = definition.States['Load Policy']?.Result as { call: { secretHeaders?: Record<string, { secret?: string; parameter?: string }> } };
  const callerRole = all[caller.replace(/^<(\w+)\.Arn>$/, '$1')]?.Properties['Role'];
  const operations = operationsOf('call-partner');
  for (const [header, { secret, parameter }] of Object.entries(policy.call.secretHeaders ?? {})) {
    const here = '${AWS::Region}:${AWS::AccountId}';
    if (secret !== undefined) {
      const arn = secret.startsWith('arn:') ? secret : `arn:\${AWS::Partition}:secretsmanager:${here}:secret:${secret}-??????`;
      found.need(callerRole, one(operations, 'secretsmanager'), arn, `call.secretHeaders.${header}`);
    }
    if (parameter !== undefined) {
      const arn = parameter.startsWith('arn:') ? parameter : `arn:\${AWS::Partition}:ssm:${here}:parameter/${parameter.replace(/^\//, '')}`;
      found.need(callerRole, one(operations, 'ssm'), arn, `call.secretHeaders.${header}`);
    }
  }
}

function ofFunction(name: string, properties: Record<string, unknown>, found: Derived): void {
  const role = properties['Role'];
  const { LogGroup } = properties['LoggingConfig'] as { LogGroup: unknown };
  const streams = `arn:\${AWS::Partition}:logs:\${AWS::Region}:\${AWS::AccountId}:log-group:${text(LogGroup)}:*`;
  found.need(role, 'logs:CreateLogStream', streams, 'its log');
  found.need(role, 'logs:PutLogEvents', streams, 'its log');
  if ((properties['TracingConfig'] as { Mode?: string } | undefined)?.Mode === 'Active') {
    for (const action of X_RAY_OF_A_FUNCTION) {
      found.need(role, action, '*', 'its traces');
    }
  }
  const crate = crateOf(name);
  for (const action of operationsOf(crate).filter((action) => action.startsWith('dynamodb:'))) {
    const table = (properties['Environment'] as { Variables: Record<string, unknown> }).Variables['CIRCUITS_TABLE'];
    found.need(role, action, arnOf(text(table)), `${crate} updates the circuit`);
  }
}

function ofMethod(name: string, { Properties }: Resource, found: Derived): void {
  const { Uri, Credentials, RequestTemplates } = Properties['Integration'] as { Uri: unknown; Credentials: unknown; RequestTemplates: Record<string, unknown> };
  const [, service = '', action = ''] = /:(\w+):action\/(\w+)$/.exec(text(Uri)) ?? [];
  const templates = Object.values(RequestTemplates).map(text).join('');
  const resources = service === 'states' ? templates.matchAll(/"stateMachineArn":"([^"]*)"/g) : templates.matchAll(/"TableName":"([^"]*)"/g);
  for (const [, resource = ''] of resources) {
    found.need(Credentials, `${service}:${action}`, service === 'states' ? resource : arnOf(resource), name.replace(/[0-9A-F]{8}$/, ''));
  }
}

export function granted(all: Resources): Permissions {
  const found: Permissions = new Map();
  const add = (role: string, document: unknown) => {
    for (const statement of (document as { Statement: Statement[] }).Statement) {
      if (statement.Effect !== 'Allow' || statement.NotAction !== undefined || statement.NotResource !== undefined) {
        throw new Error(`${role} has a statement that this does not read: ${JSON.stringify(statement)}`);
      }
      for (const action of [statement.Action].flat()) {
        for (const resource of [statement.Resource].flat()) {
          permissionsOf(role).set(`${action} on ${text(resource)}`, '');
        }
      }
    }
  };
  const permissionsOf = (role: string) => {
    const permissions = found.get(role) ?? new Map<string, string>();
    found.set(role, permissions);
    return permissions;
  };
  for (const [role, { Properties }] of ofType(all, 'AWS::IAM::Role')) {
    for (const { PolicyDocument } of (Properties['Policies'] ?? []) as { PolicyDocument: unknown }[]) {
      add(role, PolicyDocument);
    }
    for (const managed of (Properties['ManagedPolicyArns'] ?? []) as unknown[]) {
      permissionsOf(role).set(`managed policy on ${text(managed)}`, '');
    }
  }
  for (const type of ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy']) {
    for (const [, { Properties }] of ofType(all, type)) {
      for (const role of (Properties['Roles'] ?? []) as unknown[]) {
        add(roleName(role), Properties['PolicyDocument']);
      }
    }
  }
  return found;
}

interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly NotAction?: unknown;
  readonly NotResource?: unknown;
}

/** Both side by side, a line for each permission. */
export function sideBySide(needed: Permissions, given: Permissions): string {
  const lines: string[] = [];
  for (const role of [...new Set([...needed.keys(), ...given.keys()])].sort()) {
    lines.push('', role);
    const derived = needed.get(role) ?? new Map<string, string>();
    const granted = given.get(role) ?? new Map<string, string>();
    for (const permission of [...new Set([...derived.keys(), ...granted.keys()])].sort()) {
      const why = derived.get(permission) ?? '';
      const reason = permission.endsWith(' on *') ? `; ${WITHOUT_RESOURCES[permission.split(' ')[0] ?? ''] ?? 'NO REASON'}` : '';
      lines.push(`  ${derived.has(permission) ? 'derived' : '-      '}  ${granted.has(permission) ? 'granted' : '-      '}  ${permission}   (${why}${reason})`);
    }
  }
  return `${lines.join('\n').trim()}\n`;
}

/** The name of a role that is given by its ARN or by its name. */
function roleName(role: unknown): string {
  return text(role).replace(/^<(\w+)(?:\.Arn)?>$/, '$1');
}

/** The ARN of a table that is given by its name, as `<Name>`. */
function arnOf(table: string): string {
  return table.replace(/^<(\w+)>$/, '<$1.Arn>');
}

/** The crate of a function, by its construct's name. */
function crateOf(name: string): string {
  const found = [['CallPartner', 'call-partner'], ['AcquireProbe', 'acquire-probe'], ['RecordOutcome', 'record-outcome']].find(([part = '']) => name.includes(part));
  if (found?.[1] === undefined) {
    throw new Error(`what does ${name} run?`);
  }
  return found[1];
}

const known = new Map<string, string[]>();

/** The actions that a crate's SDK calls are, those of our crates that it uses included. */
export function operationsOf(crate: string): string[] {
  const before = known.get(crate);
  if (before !== undefined) {
    return before;
  }
  const directory = resolve(ROOT, 'lambdas', crate);
  const manifest = readFileSync(resolve(directory, 'Cargo.toml'), 'utf8').split('[dev-dependencies]')[0] ?? '';
  const used = [...manifest.matchAll(/^([a-z-]+)(?:\.workspace)? = /gm)].map(([, name = '']) => name).filter((name) => existsSync(resolve(ROOT, 'lambdas', name, 'Cargo.toml')));
  // A module behind a feature is in no function: none asks for one.
  if (/^[a-z-]+ = \{.*features/m.test(manifest.split('\n').filter((line) => used.some((name) => line.startsWith(`${name} `))).join('\n'))) {
    throw new Error(`${crate} asks for a feature of a crate of ours: what does it call?`);
  }
  const lib = resolve(directory, 'src/lib.rs');
  const optional = existsSync(lib) ? [...readFileSync(lib, 'utf8').matchAll(/#\[cfg\(feature = "[a-z]+"\)\]\nmod ([a-z_]+);/g)].map(([, name = '']) => `${name}.rs`) : [];
  const calls = sources(resolve(directory, 'src'), optional).flatMap((source) => {
    // An operation of an SDK is begun without arguments.
    const begun = [...source.matchAll(/\.([a-z]+(?:_[a-z]+)+)\(\)/g)].map(([, name = '']) => name);
    return source.includes('aws_sdk_') ? begun : [];
  });
  const own = calls.filter((call) => /^(get|put|update|delete|batch|transact|describe|list|create|execute|send|publish|start)_/.test(call)).map((call) => {
    const action = OPERATIONS[call];
    if (action === undefined) {
      throw new Error(`what does ${call} of ${crate} need?`);
    }
    return action;
  });
  const actions = [...new Set([...own, ...used.flatMap(operationsOf)])].sort();
  known.set(crate, actions);
  return actions;
}

function sources(directory: string, except: readonly string[] = []): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = resolve(directory, entry.name);
    if (entry.isDirectory()) {
      return entry.name === 'tests' ? [] : sources(path);
    }
    return entry.name.endsWith('.rs') && entry.name !== 'tests.rs' && !except.includes(entry.name) ? [readFileSync(path, 'utf8')] : [];
  });
}

function one(operations: readonly string[], service: string): string {
  const found = operations.filter((action) => action.startsWith(`${service}:`));
  if (found.length !== 1 || found[0] === undefined) {
    throw new Error(`${found.length} actions of ${service} are called`);
  }
  return found[0];
}
