#!/usr/bin/env bash
# test-aws.sh STACK: plays tests/cases on AWS, with the table, the functions and a machine's role of a stack that was deployed
# there. A machine is created for each case, started synchronously (Express executions can't be described on AWS), and deleted.
#
# The AWS CLI finds account and region as ever. Cases in which the partner is called want PARTNER_HOST, a name of this
# machine by which AWS reaches it on any port; without it they are skipped, and listed. EVENTS: nothing is compared.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
stack=${1:-}

fail() { echo "make test-aws: $1" >&2; exit 1; }

[[ -n $stack ]] || fail 'which stack? make test-aws STACK=NAME'
command -v aws > /dev/null || fail 'Missing: aws, the AWS CLI: https://docs.aws.amazon.com/cli/latest/userguide/getting-started-install.html'
for variable in AWS_ENDPOINT_URL AWS_ENDPOINT_URL_SFN AWS_ENDPOINT_URL_DYNAMODB; do
  [[ -z ${!variable:-} ]] || fail "$variable is set, so that this would not be AWS"
done
region=${AWS_REGION:-${AWS_DEFAULT_REGION:-$(aws configure get region || true)}}
[[ -n $region ]] || fail 'which region? AWS_REGION=…'
export AWS_REGION=$region
output() {
  local value
  value=$(aws cloudformation describe-stacks --stack-name "$stack" --output text --query "Stacks[0].Outputs[?$1].OutputValue | [0]")
  [[ $value != None ]] || fail "the stack $stack has no output where $1"
  echo "$value"
}
CIRCUITS_TABLE=$(output "OutputKey=='TableName'")
CALL_PARTNER_FUNCTION=$(output "OutputKey=='CallPartnerFunction'")
ACQUIRE_PROBE_FUNCTION=$(output "OutputKey=='AcquireProbeFunction'")
RECORD_OUTCOME_FUNCTION=$(output "OutputKey=='RecordOutcomeFunction'")
machine=$(output "starts_with(OutputKey, 'MachineArn')")
STATE_MACHINE_ROLE=$(aws stepfunctions describe-state-machine --state-machine-arn "$machine" --output text --query roleArn)
export CIRCUITS_TABLE CALL_PARTNER_FUNCTION ACQUIRE_PROBE_FUNCTION RECORD_OUTCOME_FUNCTION STATE_MACHINE_ROLE
# The runner signs with keys from the environment; the CLI knows how to get them, from a profile or a login.
credentials=$(aws configure export-credentials --format env)
eval "$credentials"
echo "On AWS, $region: table $CIRCUITS_TABLE, functions of $stack" >&2
CASES_ON_AWS=1 exec "${CARGO:-cargo}" test --quiet --workspace --locked --test cases -- --nocapture every_case
