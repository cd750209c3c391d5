#!/usr/bin/env bash
# Drives `make local` through its front door with curl, against the scripted partner, and counts at the partner what
# reached it. Starts and ends both itself, on free ports. Every wait has a deadline.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

deadline_s=60
work=$(mktemp -d "${TMPDIR:-/tmp}/stepbreaker-front-door-XXXXXX")
passed=0
failed=0
system_pid=
partner_pid=
counted=

finish() {
  local status=$?
  trap - EXIT
  for pid in $system_pid $partner_pid; do
    kill "$pid" 2> /dev/null || true
    wait "$pid" 2> /dev/null || true
  done
  if [[ -z $counted ]]; then
    echo "The script broke off after $passed passed, $failed failed. The last lines of the system:" >&2
    tail -n 20 "$work"/system.* >&2 || true
  fi
  rm -rf "$work"
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# die MESSAGE: what keeps the script from going on.
die() {
  echo "front_door.sh: $1" >&2
  exit 1
}

# check WHAT EXPECTED ACTUAL
check() {
  if [[ $2 == "$3" ]]; then
    passed=$((passed + 1))
    printf '  ok      %s\n' "$1"
  else
    failed=$((failed + 1))
    printf '  FAILED  %s\n          expected: %s\n          actual:   %s\n' "$1" "$2" "$3"
  fi
}

# within WHAT COMMAND...: repeats the command until it succeeds.
within() {
  local what=$1 end=$((SECONDS + deadline_s))
  shift
  until "$@"; do
    ((SECONDS < end)) || die "not within $deadline_s s: $what"
    sleep 0.02
  done
}

# field NAME: of the first JSON object on standard input that has it.
field() {
  python3 -c '
import json, sys
for line in sys.stdin:
    try:
        print(json.loads(line)[sys.argv[1]])
        break
    except (ValueError, KeyError, TypeError):
        pass
else:
    sys.exit(1)' "$1"
}

# ask NAME ARGUMENT...: curls the front door; leaves status, x-circuit and body in $work/NAME.*
ask() {
  local name=$1
  shift
  curl --silent --show-error --noproxy '*' --max-time 30 --dump-header "$work/$name.head" --output "$work/$name.body" \
    --write-out '%{http_code}' "$@" > "$work/$name.status"
}

# told NAME: what that request was answered with, on one line.
told() {
  local reason
  reason=$(tr -d '\r' < "$work/$1.head" | awk -F ': ' 'tolower($1) == "x-circuit" { print $2 }')
  echo "$(cat "$work/$1.status") $reason $(cat "$work/$1.body")"
}

# book: the path of a book's delivery time.
book() {
  echo "$front_door/books/$1/delivery-time"
}

control() {
  curl --silent --show-error --fail --noproxy '*' --max-time 10 "$@"
}

play() {
  control --request PUT --data-binary "$1" "$control/_script"
}

hits() {
  control "$control/_log" | field hits
}

# state: the circuit's state as its route shows it.
state() {
  control "$front_door/circuits/wholesaler-stock" | field state
}

# has_line FILE FIELD: whether a program's output, if there is any yet, has a line with that field.
has_line() {
  [[ -s $work/$1 ]] && field "$2" < "$work/$1" > /dev/null
}

# --- Start the partner, then the system.

[[ -x target/debug/scripted-partner ]] || die 'target/debug/scripted-partner is not there: make build'
target/debug/scripted-partner --port 0 --control-port 0 > "$work/partner.out" &
partner_pid=$!
within 'the partner is ready' has_line partner.out partner
partner=$(field partner < "$work/partner.out")
control=$(field control < "$work/partner.out")

mkdir "$work/circuits"
fallback='{"deliveryDays":null,"note":"Delivery time follows by email."}'
cat > "$work/circuits/wholesaler-stock.json" << JSON
{
  "circuit": "wholesaler-stock",
  "route": { "method": "GET", "path": "/books/{isbn}/delivery-time" },
  "params": { "isbn": "[0-9]{10}|[0-9]{13}" },
  "call": { "url": "$partner/api/stock/{isbn}", "timeoutMs": 2000 },
  "trip": { "failures": 2 },
  "open": { "forMs": 1500 },
  "fallback": { "status": 200, "body": $fallback }
}
JSON
make --no-print-directory local CIRCUITS="$work/circuits" PORT=0 AWS_PORT=0 ARGS='--log-format json' \
  > "$work/system.out" 2> "$work/system.err" &
system_pid=$!
ready_or_gone() {
  has_line system.out frontDoor || ! kill -0 "$system_pid" 2> /dev/null
}
# Building comes first, and may wait for another build.
deadline_s=900 within 'the system is ready' ready_or_gone
has_line system.out frontDoor || die 'the system ended before it was ready'
front_door=$(field frontDoor < "$work/system.out")

# --- The story.

isbn=9783161484100
echo "The front door at $front_door:"
ask healthz "$front_door/healthz"
check 'the system is healthy' 200 "$(cat "$work/healthz.status")"

play '[{"answer": {"body": "{ \"deliveryDays\": 2.50 }"}}]'
ask live "$(book $isbn)"
check 'live: the partner answers, byte for byte' '200 live { "deliveryDays": 2.50 }' "$(told live)"
check 'live: the partner saw the parameter in its path' "/api/stock/$isbn" \
  "$(control "$control/_log" | python3 -c 'import json, sys; print(json.load(sys.stdin)["entries"][-1]["path"])')"
check 'live: one call' 1 "$(hits)"

play '[{"answer": {"status": 404, "body": "{\"message\":\"no such book\"}"}}]'
for _ in 1 2 3; do ask missing "$(book $isbn)"; done
check 'a 404 is passed on, and is no failure' '404 live {"message":"no such book"}' "$(told missing)"
check 'a 404 is a call' 4 "$(hits)"

invalid() {
  local before
  before=$(hits)
  ask invalid "$(book 12345)"
  check "$1: a bad ISBN is a 400" '400 invalid' "$(told invalid | cut -d ' ' -f 1-2)"
  check "$1: the message names the parameter" yes "$(grep -q isbn "$work/invalid.body" && echo yes || echo no)"
  check "$1: a bad ISBN does not reach the partner" "$before" "$(hits)"
}
invalid closed

play '[{"reset": "before-headers"}]'
ask error "$(book $isbn)"
check 'error: the connection breaks, the customer gets a placeholder' "200 error $fallback" "$(told error)"
ask error "$(book $isbn)"
check 'error: again' "200 error $fallback" "$(told error)"
check 'error: two calls' 6 "$(hits)"

ask open "$(book $isbn)"
check 'open: a placeholder' "200 open $fallback" "$(told open)"
ask open --data "{\"params\":{\"isbn\":\"$isbn\"}}" --header 'content-type: application/json' \
  "$front_door/circuits/wholesaler-stock/calls"
check 'open: the same by the route that every circuit has' "200 open $fallback" "$(told open)"
check 'open: the circuit says so' OPEN "$(state)"
check 'open: no call' 6 "$(hits)"
invalid open

# The wait ends: of the callers that come then, the first is the probe. Its answer is held until the others were asked.
play '[{"answer": {"body": "{\"deliveryDays\":3}", "held": true}}, {"answer": {"body": "{\"deliveryDays\":3}"}}]'
probe_pid=
probe_is_out() {
  [[ $(hits) == 6 ]] || return 0
  if [[ -z $probe_pid ]] || ! kill -0 "$probe_pid" 2> /dev/null; then
    ask probe "$(book $isbn)" &
    probe_pid=$!
  fi
  return 1
}
within 'a probe is out' probe_is_out
ask busy "$(book $isbn)"
check 'probe-busy: while the probe is out, a placeholder' "200 probe-busy $fallback" "$(told busy)"
check 'probe-busy: only the probe calls' 7 "$(hits)"
invalid probing
control --request POST "$control/_release"
wait "$probe_pid"
check 'the probe gets what the partner answers' '200 live {"deliveryDays":3}' "$(told probe)"
check 'the breaker is closed' CLOSED "$(state)"
ask recovered "$(book $isbn)"
check 'live again' '200 live {"deliveryDays":3}' "$(told recovered)"
check 'live again: one more call' 8 "$(hits)"

kill "$system_pid"
wait "$system_pid" 2> /dev/null || true
system_pid=
gone() {
  ! curl --silent --noproxy '*' --max-time 5 --output /dev/null "$front_door/healthz"
}
within 'the front door is shut' gone
check 'a system that was told to end has ended' gone "$(gone && echo gone)"

printf '\n%d passed, %d failed\n' "$passed" "$failed"
counted=yes
((failed == 0))
