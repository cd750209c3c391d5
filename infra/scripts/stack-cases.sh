#!/usr/bin/env bash
# What `make stack` does on the engine that with-engine.sh has started: deploys, plays, destroys, and looks for what is left.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root=$PWD
cdk=node_modules/.bin/cdk

fail() { echo "make stack: $1" >&2; exit 1; }

# How many there are of something, by the engine's own word.
count() {
  local service=$1 target=$2 field=$3
  curl -sf -m 30 -H 'content-type: application/x-amz-json-1.0' -H "x-amz-target: $target" \
    -H "authorization: AWS4-HMAC-SHA256 Credential=stepbreaker/20250101/us-east-1/$service/aws4_request, SignedHeaders=host, Signature=0" \
    -d '{}' "$AWS_ENDPOINT_URL" | "$VENV/bin/python" -c 'import json, sys; print(len(json.load(sys.stdin)[sys.argv[1]]))' "$field"
}

# An archive of one executable, as Lambda takes it.
archive() {
  "$VENV/bin/python" - "$1" "$2" << 'END'
import sys, zipfile
entry = zipfile.ZipInfo("bootstrap")
entry.external_attr, entry.compress_type = 0o755 << 16, zipfile.ZIP_DEFLATED
with zipfile.ZipFile(sys.argv[2], "w") as archive, open(sys.argv[1], "rb") as executable:
    archive.writestr(entry, executable.read(), compresslevel=1)
END
}

began=$SECONDS
# What functions of a case's own are made of.
mkdir "$WORK/functions"
for function in call-partner acquire-probe record-outcome; do
  archive "dist/lambdas/$function/bootstrap" "$WORK/functions/$function.zip"
done
cp "${STAND_IN:-target/debug/stand-in}" "$WORK/stand-in"
strip "$WORK/stand-in" 2> /dev/null || true
archive "$WORK/stand-in" "$WORK/functions/stand-in.zip"
echo 'no executable' > "$WORK/broken"
archive "$WORK/broken" "$WORK/functions/broken.zip"
export CASES_FUNCTIONS=$WORK/functions
(cd infra && $cdk bootstrap aws://000000000000/us-east-1 -c placeholders=true --output "$WORK/cdk.out/bootstrap") > "$WORK/bootstrap.log" 2>&1 ||
  fail "cdk bootstrap failed: $(tail -n 20 "$WORK/bootstrap.log")"
echo 'Putting each state of the definition to its TestState API …' >&2
cargo=${CARGO:-cargo}
"$cargo" test --quiet --workspace --locked --test teststate -- --nocapture > "$WORK/teststate.log" 2>&1 || {
  cat "$WORK/teststate.log" >&2
  fail 'a state does not do what the definition says'
}
grep '^teststate: ' "$WORK/teststate.log" >&2
echo 'Deploying the CDK app with the CDK CLI, and playing the cases (some minutes) …' >&2
export STACK_DEPLOY=$root/infra/scripts/deploy.sh STACK_LIST=$WORK/stacks STACK_LOG=$WORK/deploy.log STACK_OUT=$WORK/cdk.out
touch "$STACK_LIST"
status=0
CASES_EXCEPT=${CASES_EXCEPT:-$root/infra/second-engine/exceptions.json} RUST_BACKTRACE=0 \
  "$cargo" test --quiet --workspace --locked --test cases -- --nocapture every_case || status=$?
if ((status != 0)); then
  echo '--- what the CDK CLI said last' >&2
  tail -n 20 "$STACK_LOG" >&2 || true
fi
while read -r stack; do
  echo "Destroying $stack …" >&2
  (cd infra && $cdk destroy "$stack" --force --app "$STACK_OUT/$stack") > "$WORK/destroy.log" 2>&1 ||
    fail "cdk destroy failed: $(tail -n 20 "$WORK/destroy.log")"
done < "$STACK_LIST"
[[ -s $STACK_LIST ]] || fail 'no stack was deployed'
machines=$(count states AWSStepFunctions.ListStateMachines stateMachines)
tables=$(count dynamodb DynamoDB_20120810.ListTables TableNames)
((machines == 0 && tables == 0)) || fail "$machines state machines and $tables tables are left behind"
echo "Destroyed: no state machine and no table is left. All in all $((SECONDS - began)) s." >&2
exit "$status"
