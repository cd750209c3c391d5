#!/usr/bin/env bash
# Deploys the CDK app with the CDK CLI to a second engine on this machine, LocalEmu, plays tests/cases there, through the
# deployed API and through StartSyncExecution, and destroys it. No Docker, no account.
#
# CASES=TEXT plays only cases with TEXT in their id. The engine's own variables stand in ../second-engine/with-engine.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

fail() { echo "make stack: $1" >&2; exit 1; }

architecture=$(uname -m | sed s/aarch64/arm64/)
[[ $(cat dist/lambdas/ARCHITECTURE 2> /dev/null) == "$architecture" ]] ||
  fail "the functions are not built for this machine ($architecture): make lambdas"
[[ -x infra/node_modules/.bin/cdk ]] || fail 'the CDK is not installed: npm ci --prefix infra'
[[ -x ${STEPBREAKER_POLICY:=target/debug/stepbreaker-policy} ]] || fail "$STEPBREAKER_POLICY is missing: cargo build --workspace --bins"
exec infra/second-engine/with-engine.sh infra/scripts/stack-cases.sh
