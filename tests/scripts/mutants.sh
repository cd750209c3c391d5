#!/usr/bin/env bash
# Changes the breaker in every small way that cargo-mutants knows and sees whether a test notices. Each change that none
# notices must be listed in lambdas/breaker/mutants.txt, with the reason why it changes nothing: a new one fails.
set -euo pipefail
cd "$(dirname "$0")/../.."

listed=lambdas/breaker/mutants.txt
work=target/mutants

if ! cargo mutants --version > /dev/null 2>&1; then
  echo 'Missing: cargo-mutants.  Get it with: cargo install cargo-mutants --locked' >&2
  exit 1
fi

# A copy of the tree is changed, never the tree itself, and built apart from what everybody else builds: unoptimised,
# because each change is compiled once and run once. The properties try the same cases for each change.
mkdir -p "$work/copies"
status=0
CARGO_TARGET_DIR=$PWD/$work/build TMPDIR=$PWD/$work/copies PROPTEST_RNG_SEED=1 \
CARGO_PROFILE_DEV_OPT_LEVEL=0 CARGO_PROFILE_DEV_DEBUG=false \
  cargo mutants --package breaker --test-package breaker --output "$work" --jobs "${JOBS:-1}" \
  --timeout 60 --build-timeout 900 --no-times --colors never \
  -C=--config -C='profile.dev.package.breaker.opt-level=0' "$@" -- --lib --tests || status=$?
# 2: some survived. 3: some ran out of time, which a test that never ends does notice. Anything else went wrong.
case $status in
  0 | 2 | 3) ;;
  *) echo "cargo-mutants failed ($status): see $work/mutants.out" >&2; exit 1 ;;
esac

# Without the place, which moves with every edit: FILE: CHANGE
without_place() { sed -E 's/^([^:]+):[0-9]+:[0-9]+: /\1: /' | LC_ALL=C sort; }
changes() { grep -v -e '^#' -e '^ *$' "$listed" | sed 's/ # .*//' | LC_ALL=C sort; }

if grep -v -e '^#' -e '^ *$' "$listed" | grep -v ' # .'; then
  echo "These lines of $listed give no reason: FILE: CHANGE # REASON" >&2
  exit 1
fi
survivors=$(without_place < "$work/mutants.out/missed.txt")
new=$(LC_ALL=C comm -23 <(printf '%s\n' "$survivors" | sed '/^$/d') <(changes))
gone=$(LC_ALL=C comm -13 <(printf '%s\n' "$survivors" | sed '/^$/d') <(changes))

count() { wc -l < "$work/mutants.out/$1.txt" | tr -d ' '; }
echo "Changes to the breaker: $(count caught) noticed by a test, $(count timeout) by one that never ended," \
  "$(count unviable) that don't compile, $(count missed) that change nothing ($listed says why)"
if [ -n "$gone" ]; then
  printf 'Listed, but noticed by now; take them out of %s:\n%s\n' "$listed" "$gone"
fi
if [ -n "$new" ]; then
  printf 'No test notices, and no reason is given in %s:\n%s\n' "$listed" "$new" >&2
  exit 1
fi
