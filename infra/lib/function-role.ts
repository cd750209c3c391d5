import { Arn, ArnFormat, Stack } from 'aws-cdk-lib';
import { Effect, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

/** A statement that allows these actions on exactly these resources. */
export function allow(actions: string[], resources: string[]): PolicyStatement {
  return new PolicyStatement({ effect: Effect.ALLOW, actions, resources });
}

/** X-Ray knows no resources, so that a trace can be written only with `*`. */
export function writeTraces(): PolicyStatement {
  return allow(['xray:PutTraceSegments', 'xray:PutTelemetryRecords'], ['*']);
}

/**
 * The role of one function: its log, its traces, and what it is given. It is closed to CDK's own grants, so that what stands
 * here is all that there is.
 */
export function functionRole(scope: Construct, id: string, log: ILogGroup, may: PolicyStatement[]): Role {
  return new Role(scope, id, {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    inlinePolicies: {
      Needed: new PolicyDocument({
        statements: [
          allow(['logs:CreateLogStream', 'logs:PutLogEvents'], [logStreams(log)]),
          writeTraces(),
          ...may,
        ],
      }),
    },
  });
}

/** All streams of one log group: a stream is named by Lambda, when it begins. */
function logStreams(log: ILogGroup): string {
  const stack = Stack.of(log);
  return Arn.format(
    { service: 'logs', resource: 'log-group', resourceName: `${log.logGroupName}:*`, arnFormat: ArnFormat.COLON_RESOURCE_NAME },
    stack,
  );
}
