#!/usr/bin/env bash
# with-engine.sh COMMAND…: starts LocalEmu with our plug-in, runs a command that finds it by AWS's variables, and ends it with
# all that either started: also after Ctrl-C, or a signal that ends only this script. The command's exit status is this
# script's; 3 is that there is no Python for LocalEmu.
#
# with-engine.sh --install only installs LocalEmu. PYTHON names a Python of 3.12 or 3.13; STACK_PORT is another port than 4572;
# KEEP=1 leaves the logs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root=$PWD
here=infra/second-engine
venv=infra/.venv
port=${STACK_PORT:-4572}
NO_PYTHON=3

fail() { echo "second engine: $1" >&2; exit "${2:-1}"; }

is_python() { "$1" -c 'import ensurepip, sys, venv; sys.exit(not (3, 12) <= sys.version_info < (3, 14))' > /dev/null 2>&1; }

# A shim on PATH may only complain, so each candidate is run.
find_python() {
  local candidate
  if [[ -n ${PYTHON:-} ]]; then
    is_python "$PYTHON" || fail "PYTHON is '$PYTHON', which is no Python of 3.12 or 3.13 with venv" $NO_PYTHON
    echo "$PYTHON"
    return
  fi
  for candidate in python3.13 python3.12 python3 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[23].*/bin/python \
    "${RUNNER_TOOL_CACHE:-/opt/hostedtoolcache}"/Python/3.1[23].*/*/bin/python; do
    if is_python "$candidate"; then
      echo "$candidate"
      return
    fi
  done
  # Where there is uv, it gets one from the network, as the packages come from there too.
  if command -v uv > /dev/null && timeout 120 uv python install --quiet 3.13 2> /dev/null && candidate=$(uv python find 3.13 2> /dev/null); then
    echo "$candidate"
    return
  fi
  fail 'LocalEmu needs Python 3.12 or 3.13 with venv, and none was found.  Ubuntu 24.04, Debian 13: sudo apt-get install python3-venv   macOS: brew install python@3.13   others: pyenv install 3.13, or uv (https://docs.astral.sh/uv); then PYTHON=/path/to/python' $NO_PYTHON
}

install_engine() {
  local wanted python
  wanted=$(cksum < $here/requirements.txt)
  if [[ -f $venv/installed && $(cat "$venv/installed") == "$wanted" ]]; then return; fi
  python=$(find_python)
  echo "Installing LocalEmu with $python (once, about a minute) …" >&2
  rm -rf "$venv"
  "$python" -m venv "$venv"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes -r $here/requirements.txt
  echo "$wanted" > "$venv/installed"
}

# Runs a command in the background, in a process group of its own, whose number `group` is then: so it can be ended with
# everything that it started and nothing else, and at once, for a shell that waits for a foreground command hears no signal.
in_group() {
  set -m
  "$@" < /dev/null &
  group=$!
  set +m
}

end_group() {
  [[ -n ${1:-} ]] || return 0
  kill -TERM -- "-$1" 2> /dev/null || return 0
  for _ in {1..50}; do
    kill -0 -- "-$1" 2> /dev/null || return 0
    sleep 0.1
  done
  kill -KILL -- "-$1" 2> /dev/null || true
}

# Starts the engine, and waits until it answers and our plug-in has said that it is loaded. One that can't be loaded is only
# a line in the engine's log, and it would look for Docker then.
start_engine() {
  mkdir -p "$work/fs" "$work/tmp" "$work/home"
  in_group env -i HOME="$work/home" PATH="$PATH" TMPDIR="$work/tmp" PYTHONPATH="$root/$here" PYTHONDONTWRITEBYTECODE=1 \
    LAMBDA_RUNTIME_EXECUTOR=native DISABLE_EVENTS=1 DNS_ADDRESS=0 SKIP_SSL_CERT_DOWNLOAD=1 \
    GATEWAY_LISTEN="127.0.0.1:$port" FILESYSTEM_ROOT="$work/fs" STEPBREAKER_PLUGIN_LOADED="$work/plugin-loaded" STEPBREAKER_STARTED_BY=$$ \
    SERVICES=stepfunctions,sts,iam,dynamodb,dynamodbstreams,apigateway,cloudformation,lambda,logs,s3,ssm,cloudwatch,kms,sqs,ecr,events \
    "$root/$venv/bin/python" -m localemu.runtime.main > "$work/engine.log" 2>&1
  engine=$group
  local deadline=$((SECONDS + 180))
  until [[ -f $work/plugin-loaded ]] && curl -sf -m 5 -o /dev/null "http://127.0.0.1:$port/_localemu/health"; do
    kill -0 "$engine" 2> /dev/null || fail "the engine ended at its start: $(tail -n 20 "$work/engine.log")"
    if ((SECONDS > deadline)); then
      [[ -f $work/plugin-loaded ]] || fail "our plug-in was not loaded: $(grep -A 20 'failed in\|stepbreaker_native' "$work/engine.log" || tail -n 20 "$work/engine.log")"
      fail "the engine does not answer within three minutes: $(tail -n 20 "$work/engine.log")"
    fi
    sleep 0.2
  done
  echo "LocalEmu is up, and our plug-in is loaded: $(cat "$work/plugin-loaded")" >&2
}

end() {
  local status=$?
  trap '' INT TERM HUP
  trap - EXIT
  end_group "${command:-}"
  end_group "${engine:-}"
  if [[ -n ${KEEP:-} ]]; then
    echo "Logs: $work" >&2
  else
    rm -rf "$work"
  fi
  exit "$status"
}

(($# > 0)) || fail 'usage: with-engine.sh --install, or with-engine.sh COMMAND…'
if [[ $1 == --install ]]; then
  install_engine
  exit 0
fi
command -v curl > /dev/null || fail 'Missing: curl.  Debian, Ubuntu: sudo apt-get install curl'
if (echo > "/dev/tcp/127.0.0.1/$port") 2> /dev/null; then fail "port $port is taken; choose another one with STACK_PORT=…"; fi
install_engine
work=$(mktemp -d)
trap end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
echo 'Starting LocalEmu …' >&2
start_engine
unset AWS_PROFILE AWS_SESSION_TOKEN AWS_ENDPOINT_URL_SFN AWS_ENDPOINT_URL_DYNAMODB
# A key of our own: the CDK CLI remembers which account a key is of, in CDK_HOME.
export AWS_ENDPOINT_URL=http://127.0.0.1:$port AWS_ENDPOINT_URL_S3=http://127.0.0.1:$port AWS_REGION=us-east-1 AWS_DEFAULT_REGION=us-east-1 \
  AWS_ACCESS_KEY_ID=stepbreaker AWS_SECRET_ACCESS_KEY=stepbreaker AWS_CONFIG_FILE=/dev/null AWS_SHARED_CREDENTIALS_FILE=/dev/null \
  NO_PROXY=127.0.0.1,localhost no_proxy=127.0.0.1,localhost CDK_HOME=$work/home WORK=$work VENV=$root/$venv
in_group "$@"
command=$group
wait "$command"
