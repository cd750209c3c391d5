import { ArnFormat, Stack, Token } from 'aws-cdk-lib';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { allow } from './function-role.ts';
import type { SecretHeader } from './policy.ts';

/** Lets a caller read the secrets that its policy names, and no others, and decrypt what is encrypted with keys of one's own. */
export function secretStatements(scope: Construct, headers: Readonly<Record<string, SecretHeader>>, keys: readonly IKey[]): PolicyStatement[] {
  const stack = Stack.of(scope);
  const kept = Object.values(headers);
  const secrets = kept.flatMap(({ secret }) => (secret === undefined ? [] : [secretArn(stack, secret)]));
  const parameters = kept.flatMap(({ parameter }) => (parameter === undefined ? [] : [parameterArn(stack, parameter)]));
  return [
    ...(secrets.length > 0 ? [allow(['secretsmanager:GetSecretValue'], [...new Set(secrets)])] : []),
    ...(parameters.length > 0 ? [allow(['ssm:GetParameter'], [...new Set(parameters)])] : []),
    ...(keys.length > 0 ? [allow(['kms:Decrypt'], keys.map((key) => key.keyArn))] : []),
  ];
}

/** Secrets Manager puts six characters of its own behind a secret's name. */
function secretArn(stack: Stack, name: string): string {
  return isArn(name)
    ? name
    : stack.formatArn({ service: 'secretsmanager', resource: 'secret', resourceName: `${name}-??????`, arnFormat: ArnFormat.COLON_RESOURCE_NAME });
}

function parameterArn(stack: Stack, name: string): string {
  return isArn(name) ? name : stack.formatArn({ service: 'ssm', resource: 'parameter', resourceName: name.replace(/^\//, '') });
}

function isArn(name: string): boolean {
  return !Token.isUnresolved(name) && name.startsWith('arn:');
}
