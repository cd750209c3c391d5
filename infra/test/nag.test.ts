// AWS's own recommendations, as cdk-nag has them. Each that is not followed is here, with its reason; one that is followed by
// now fails the test.
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { expect, test } from 'vitest';
import { deployed, policy } from './support/app.ts';

/** By rule and construct, why it is not followed. */
const NOT_FOLLOWED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'AWS Solutions': {
    'AwsSolutions-IAM5[Resource::*] of the functions’ roles': 'X-Ray knows no resources; permissions.test.ts lists each star with its reason',
    'AwsSolutions-IAM5[Resource::*] of the workflow’s role': 'neither X-Ray nor the delivery of logs knows resources; permissions.test.ts lists each star with its reason',
    'AwsSolutions-IAM5[the streams of one log group] of the functions’ roles': 'a stream’s name is made by Lambda when it begins',
    'AwsSolutions-IAM4[AmazonAPIGatewayPushToCloudWatchLogs] of the API’s log role': 'API Gateway takes no other policy for it, once per account; an app may leave it out',
    'AwsSolutions-APIG2 of the API': 'the templates check each parameter against its pattern, which a request validator can’t; the bodies of calls have a validator',
    'AwsSolutions-APIG3 of the stage': 'a firewall costs by the month and is the account’s to decide; requests are signed and throttled',
    'AwsSolutions-COG4 of each method': 'requests are signed with IAM’s keys: those who call are services, and no users',
  },
  Serverless: {
    'Serverless-LambdaStarPermissions of the functions’ roles': 'X-Ray knows no resources; permissions.test.ts lists each star with its reason',
    'Serverless-LambdaDLQ of the functions': 'they are called synchronously, so that no event of theirs can get lost in a queue',
  },
};

/** A finding without the names that CDK makes. */
function named(rule: string, path: string): string {
  const finding = rule.replace(/\[Resource::arn:.*:log-group:<\w+>:\*\]/, '[the streams of one log group]').replace(/\[Policy::.*\/(\w+)\]/, '[$1]');
  const part = path.replace(/^Tested\//, '').replace(/\/Resource$/, '');
  const [, what = part] =
    PARTS.find(([pattern]) => pattern.test(part)) ?? [];
  return `${finding} of ${what}`;
}

const PARTS: readonly (readonly [RegExp, string])[] = [
  [/^Store\/\w+Role$|^books\/CallPartnerRole$/, 'the functions’ roles'],
  [/^Store\/\w+$|^books\/CallPartner$/, 'the functions'],
  [/^books\/Role$/, 'the workflow’s role'],
  [/^FrontDoor\/Api$/, 'the API'],
  [/^FrontDoor\/Api\/CloudWatchRole$/, 'the API’s log role'],
  [/^FrontDoor\/Api\/DeploymentStage\.live$/, 'the stage'],
  [/^FrontDoor\/Api\/Default\/.*\/(GET|POST)$/, 'each method'],
];

const { stack } = deployed([
  policy('books', {
    route: { path: '/books/{isbn}' }, params: { isbn: '[0-9]{13}' },
    call: { url: 'https://partner.example.com/{isbn}', secretHeaders: { 'x-key': { secret: 'books/key' } } },
  }),
]);

test.each([
  ['AWS Solutions', new AwsSolutionsChecks(stack)],
  ['Serverless', new ServerlessChecks(stack)],
])('%s: what is not followed is justified', (name, pack) => {
  const found = pack.validateScope(stack).violations.flatMap(({ ruleName, violatingResources }) => violatingResources.map(({ constructPath }) => named(ruleName, constructPath ?? '')));
  expect([...new Set(found)].sort()).toEqual(Object.keys(NOT_FOLLOWED[name] ?? {}).sort());
});
