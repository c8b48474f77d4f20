#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# How long a check goes on after its --timeout: a tenth of it and 50 ms are
# allowed.  Of one run of the memory store, of 8 million operations unless said
# otherwise, at four levels, with times that end in reading, in deciding and in
# proving: the least of three.  Run in the build directory.
#
#   bench/timeout.sh [TRANSACTIONS-OF-A-SESSION]
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Milliseconds that a check took longer than its time; `out` has its answer.
over() { # over LEVEL SECONDS
  local begin end
  begin=$(date +%s%N)
  ./isostress check -j 1 -l "$1" --timeout="$2s" "$work/run/latest/history" >"$work/out" 2>&1 || true
  end=$(date +%s%N)
  awk "BEGIN { printf \"%d\\n\", ($end - $begin) / 1000000 - 1000 * $2 }"
}

least_of_three() {
  for _ in 1 2 3; do over "$1" "$2"; done | sort -n | head -n 1
}

./isostress run --threads=2 --seed=1 --check=none -w general -i ser -c 16 -t "${1:-83333}" --ops=6 \
  -k 100000 -o "$work/run" memory: >/dev/null 2>&1
printf '%-5s %9s %8s %8s  %s\n' level timeout over allowed answer
for level in ra pc si ser; do
  for seconds in 0.5 1 2 3; do
    ms=$(least_of_three "$level" "$seconds")
    allowed=$(awk "BEGIN { print 100 * $seconds + 50 }")
    answer=$(grep -om 1 -e 'reading it was stopped' -e '^PASS' -e '^UNDECIDED' "$work/out" || true)
    [ "$ms" -lt 0 ] && ms=in\ time
    printf '%-5s %7s s %5s ms %5s ms  %s\n' "$level" "$seconds" "$ms" "$allowed" "$answer"
  done
done
