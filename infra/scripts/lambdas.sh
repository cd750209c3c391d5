#!/usr/bin/env bash
# Builds the functions as they are shipped, into dist/lambdas: one directory each with a `bootstrap`, and beside them
# ARCHITECTURE, which the CDK app reads. ARCH is arm64 or x86_64, by default this machine's; PROFILE is another one than
# `lambda` for whoever wants to wait less.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

functions=(call-partner acquire-probe record-outcome)
profile=${PROFILE:-lambda}
cargo=${CARGO:-cargo}
out=${OUT:-dist/lambdas}
# What Amazon Linux 2023 has.
newest_glibc=2.34

fail() { echo "$1" >&2; exit 1; }

host=$(rustc -vV | sed -n 's/^host: //p')
case "${ARCH:=$(uname -m)}" in
  arm64 | aarch64) ARCH=arm64; target=aarch64-unknown-linux-gnu; compiler=aarch64-linux-gnu-gcc; package=gcc-aarch64-linux-gnu ;;
  x86_64 | amd64) ARCH=x86_64; target=x86_64-unknown-linux-gnu; compiler=x86_64-linux-gnu-gcc; package=gcc-x86-64-linux-gnu ;;
  *) fail "ARCH is '$ARCH'; allowed: arm64 or x86_64" ;;
esac

arguments=(--locked --profile "$profile")
built=target
objdump=objdump
if [[ $host == "$target" ]]; then
  compiler=cc
else
  # *ring* has C and assembly, so that a C compiler for the target is needed besides Rust's own part.
  missing=()
  [[ -d $(rustc --print sysroot)/lib/rustlib/$target ]] || missing+=("Rust's $target (rustup target add $target)")
  command -v "$compiler" > /dev/null || missing+=("$compiler (Debian, Ubuntu: sudo apt-get install $package)")
  ((${#missing[@]} == 0)) || fail "Missing to build for $ARCH on $host: $(printf '%s; ' "${missing[@]}")or build on a machine of that kind"
  arguments+=(--target "$target")
  built=target/$target
  variable=${target//-/_}
  # (A Bash of macOS has no ${variable^^}.)
  export "CARGO_TARGET_$(tr '[:lower:]' '[:upper:]' <<< "$variable")_LINKER=$compiler" "CC_$variable=$compiler"
  objdump=${compiler%gcc}objdump
fi
for function in "${functions[@]}"; do arguments+=(-p "$function"); done
"$cargo" build "${arguments[@]}"
[[ $profile == dev ]] && built+=/debug || built+=/$profile

rm -rf "$out"
printf '%-16s %10s %10s  %s\n' function bytes gzipped glibc
for function in "${functions[@]}"; do
  mkdir -p "$out/$function"
  cp "$built/$function" "$out/$function/bootstrap"
  glibc=unknown
  if command -v "$objdump" > /dev/null; then
    symbols=$("$objdump" -T "$built/$function") || fail "$objdump can't read $built/$function"
    glibc=$({ grep -o 'GLIBC_[0-9.]*' || true; } <<< "$symbols" | sed 's/GLIBC_//' | sort -uV | tail -n 1)
    [[ $(printf '%s\n%s\n' "$glibc" "$newest_glibc" | sort -V | tail -n 1) == "$newest_glibc" ]] ||
      fail "$function needs glibc $glibc, but Amazon Linux 2023 has $newest_glibc: build on an older system"
  fi
  printf '%-16s %10d %10d  %s\n' "$function" "$(wc -c < "$built/$function")" "$(gzip -9 -c "$built/$function" | wc -c)" "$glibc"
done
echo "$ARCH" > "$out/ARCHITECTURE"
echo "Built for $ARCH into $out"
