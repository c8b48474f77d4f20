#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Would it help to split a history into parts that share no key?  Checks tenants
# with sessions and keys of their own, each alone and all as one history, without
# times, and compares the processor time: if all at once cost no more than the
# sum, there is nothing to gain.  Run in the build directory.
#
#   bench/tenants.sh [TENANTS...]
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Seconds of processor time of a check at a level, which has to be kept.
cost() {
  local TIMEFORMAT='%U %S'
  { time ./isostress check -l "$1" "$2" >/dev/null; } 2>&1 |
    awk 'NF == 2 { sum = $1 + $2; ok = 1 } END { print sum; exit !ok }'
}

# PolySI's text, w(KEY,VALUE,SESSION,TXN), with numbers of the tenant's own.
tenant() {
  ./isostress run 'memory:?stale=0' --check=none --threads=1 --seed="$1" \
    -w general -i si -c 10 -t 200 -k 100 --distribution=uniform --ops 8 \
    --read-ratio=0.5 --max-tries=100 -o "$work/run" >/dev/null 2>&1
  ./isostress convert --to=plume "$work/run/latest/history" "$work/one" 2>/dev/null
  rm -r "$work/run"
  awk -F'[(),]' -v n="$1" '{
    printf "%s(%d,%.0f,%d,%s)\n", $1, $2 + n * 1e6, $3 ? $3 + n * 1e12 : 0,
      $4 + n * 1000, $5 < 0 ? $5 : $5 + n * 1e6
  }' "$work/one" >"$work/tenant-$1"
}

printf '%8s %6s %14s %12s\n' tenants level 'alone, sum s' 'together s'
for count in "${@:-20}"; do
  for ((n = 1; n <= count; n++)); do tenant "$n"; done
  cat "$work"/tenant-* >"$work/all"
  for level in si pc cc; do
    alone=0
    for ((n = 1; n <= count; n++)); do
      alone=$(awk "BEGIN { print $alone + $(cost "$level" "$work/tenant-$n") }")
    done
    together=$(cost "$level" "$work/all")
    printf '%8d %6s %14.2f %12.2f\n' "$count" "$level" "$alone" "$together"
  done
  rm "$work"/tenant-* "$work/all"
done
