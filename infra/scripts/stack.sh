#!/usr/bin/env bash
# Deploys the CDK app with the CDK CLI to a second engine on this machine, LocalEmu, and plays tests/cases there: through
# the deployed API and through StartSyncExecution. Then destroys it. No Docker, no account. What it starts it ends.
#
# PYTHON names a Python of 3.12 or later; CASES=TEXT plays only cases with TEXT in their id; KEEP=1 leaves the logs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root=$PWD
venv=infra/.venv
port=${STACK_PORT:-4572}

fail() { echo "make stack: $1" >&2; exit 1; }

# A shim on PATH may only complain, so each candidate is run.
find_python() {
  local candidate
  for candidate in ${PYTHON:-} python3.13 python3.12 python3 "$HOME"/.pyenv/versions/3.1[23].*/bin/python; do
    if "$candidate" -c 'import ensurepip, sys, venv; sys.exit(not (3, 12) <= sys.version_info < (3, 14))' > /dev/null 2>&1; then
      echo "$candidate"
      return
    fi
  done
  # Where there is uv, it gets one from the network, as the packages come from there too.
  if command -v uv > /dev/null && candidate=$(uv python install --quiet 3.13 && uv python find 3.13); then
    echo "$candidate"
    return
  fi
  fail 'LocalEmu needs Python 3.12 or 3.13 with venv, and none was found.  Ubuntu 24.04: sudo apt-get install python3-venv   others: pyenv install 3.13, or uv (https://docs.astral.sh/uv); then PYTHON=/path/to/python make stack'
}

install_engine() {
  local wanted python
  wanted=$(cksum < infra/second-engine/requirements.txt)
  if [[ -f $venv/installed && $(cat "$venv/installed") == "$wanted" ]]; then return; fi
  python=$(find_python)
  echo "Installing LocalEmu with $python (once) …" >&2
  rm -rf "$venv"
  "$python" -m venv "$venv"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes -r infra/second-engine/requirements.txt
  echo "$wanted" > "$venv/installed"
}

# Starts the engine in a process group of its own; `engine` is its number.
start_engine() {
  mkdir -p "$work/fs" "$work/tmp" "$work/home"
  # Job control gives it a group of its own, so that it can be ended with everything that it started, and nothing else.
  set -m
  env -i HOME="$work/home" PATH="$PATH" TMPDIR="$work/tmp" PYTHONPATH="$root/infra/second-engine" PYTHONDONTWRITEBYTECODE=1 \
    LAMBDA_RUNTIME_EXECUTOR=native DISABLE_EVENTS=1 DNS_ADDRESS=0 SKIP_SSL_CERT_DOWNLOAD=1 \
    GATEWAY_LISTEN="127.0.0.1:$port" FILESYSTEM_ROOT="$work/fs" STEPBREAKER_PLUGIN_LOADED="$work/plugin-loaded" \
    SERVICES=stepfunctions,sts,iam,dynamodb,dynamodbstreams,apigateway,cloudformation,lambda,logs,s3,ssm,cloudwatch,kms,sqs,ecr,events \
    "$root/$venv/bin/python" -m localemu.runtime.main > "$work/engine.log" 2>&1 &
  engine=$!
  set +m
  local end=$((SECONDS + 120))
  until [[ -f $work/plugin-loaded ]] && curl -sf -o /dev/null "$AWS_ENDPOINT_URL/_localemu/health"; do
    kill -0 "$engine" 2> /dev/null || fail "the engine ended at its start: $(tail -n 20 "$work/engine.log")"
    # A plug-in that can't be loaded is only a line in its log, and it would look for Docker then.
    if ((SECONDS > end)); then fail "the engine or our plug-in did not start within two minutes: $(grep -A 20 'failed in' "$work/engine.log" || tail -n 20 "$work/engine.log")"; fi
    sleep 0.2
  done
}

end() {
  local status=$?
  trap - EXIT INT TERM
  if [[ -n ${engine:-} ]]; then
    kill -TERM -- "-$engine" 2> /dev/null || true
    for _ in {1..50}; do
      kill -0 -- "-$engine" 2> /dev/null || break
      sleep 0.1
    done
    kill -KILL -- "-$engine" 2> /dev/null || true
  fi
  if [[ -n ${KEEP:-} ]]; then
    echo "Logs: $work" >&2
  else
    rm -rf "$work"
  fi
  exit "$status"
}

[[ $(cat dist/lambdas/ARCHITECTURE 2> /dev/null) == "$(uname -m | sed s/aarch64/arm64/)" ]] ||
  fail 'the functions are not built for this machine: make lambdas'
if (echo > "/dev/tcp/127.0.0.1/$port") 2> /dev/null; then fail "port $port is taken: STACK_PORT=… make stack"; fi
install_engine
work=$(mktemp -d)
engine=
trap end EXIT INT TERM
unset AWS_PROFILE AWS_SESSION_TOKEN AWS_ENDPOINT_URL_SFN AWS_ENDPOINT_URL_DYNAMODB
# A key of our own: the CDK CLI remembers which account a key is of.
export AWS_ENDPOINT_URL=http://127.0.0.1:$port AWS_ENDPOINT_URL_S3=http://127.0.0.1:$port AWS_REGION=us-east-1 AWS_DEFAULT_REGION=us-east-1 \
  AWS_ACCESS_KEY_ID=stepbreaker AWS_SECRET_ACCESS_KEY=stepbreaker AWS_CONFIG_FILE=/dev/null AWS_SHARED_CREDENTIALS_FILE=/dev/null \
  NO_PROXY=127.0.0.1,localhost no_proxy=127.0.0.1,localhost
export STACK_DEPLOY=$root/infra/scripts/deploy.sh STACK_LIST=$work/stacks STACK_LOG=$work/deploy.log STACK_OUT=$work/cdk.out

echo 'Starting LocalEmu …' >&2
start_engine
echo "The plug-in is loaded: $(cat "$work/plugin-loaded")" >&2
(cd infra && HOME="$work/home" node_modules/.bin/cdk bootstrap aws://000000000000/us-east-1 -c placeholders=true) > "$work/bootstrap.log" 2>&1 ||
  fail "cdk bootstrap failed: $(tail -n 20 "$work/bootstrap.log")"
echo 'Deploying the CDK app, and playing the cases (some minutes) …' >&2
touch "$STACK_LIST"
status=0
export RUST_BACKTRACE=0
CASES_AT_ONCE=${CASES_AT_ONCE:-2} CASES_EXCEPT=$root/infra/second-engine/exceptions.json \
  "${CARGO:-cargo}" test --quiet --locked -p stepbreaker-tests --test cases -- --nocapture || status=$?
if ((status != 0)); then tail -n 20 "$STACK_LOG" >&2 || true; fi
while read -r stack; do
  echo "Destroying $stack …" >&2
  (cd infra && HOME="$work/home" node_modules/.bin/cdk destroy "$stack" --force --app "$STACK_OUT/$stack") > "$work/destroy.log" 2>&1 ||
    fail "cdk destroy failed: $(tail -n 20 "$work/destroy.log")"
done < "$STACK_LIST"
left=$(curl -s -H 'content-type: application/x-amz-json-1.0' -H 'x-amz-target: AWSStepFunctions.ListStateMachines' \
  -H "authorization: AWS4-HMAC-SHA256 Credential=stepbreaker/20250101/us-east-1/states/aws4_request, SignedHeaders=host, Signature=0" -d '{}' "$AWS_ENDPOINT_URL")
[[ $left == *'"stateMachines"'*'[]'* ]] || fail "machines are left behind: $left"
echo 'Destroyed: no state machine is left.' >&2
exit "$status"
