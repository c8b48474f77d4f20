#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Would it help to split a history into parts that share no key, or that only
# share a session?  Checks tenants with sessions and keys of their own, each
# alone, all as one history, and all linked by one session that reads from each
# (so that every tenant is a biconnected component of one that is connected),
# without times, and compares the processor time: if all at once cost no more than
# the sum, there is nothing to gain.  Run in the build directory.
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

# A session that reads what the last writer of each tenant wrote.
link() {
  for file in "$@"; do
    awk -F'[(),]' '$1 == "w" && $3 && $5 >= 0 { key = $2; value = $3 }
      END { printf "r(%s,%s,999999,%d)\n", key, value, 9e8 + n }' n=$((++linked)) "$file"
  done
}

printf '%8s %6s %14s %12s %12s\n' tenants level 'alone, sum s' 'together s' 'linked s'
for count in "${@:-20}"; do
  for ((n = 1; n <= count; n++)); do tenant "$n"; done
  linked=0
  cat "$work"/tenant-* >"$work/all"
  { cat "$work/all"; link "$work"/tenant-*; } >"$work/linked"
  for level in si pc cc; do
    alone=0
    for ((n = 1; n <= count; n++)); do
      alone=$(awk "BEGIN { print $alone + $(cost "$level" "$work/tenant-$n") }")
    done
    together=$(cost "$level" "$work/all")
    linked=$(cost "$level" "$work/linked")
    printf '%8d %6s %14.2f %12.2f %12.2f\n' "$count" "$level" "$alone" "$together" "$linked"
  done
  ! [ -x bench/components ] || bench/components "$work/all" "$work/linked" | sed "s,$work/,,"
  rm "$work"/tenant-* "$work/all" "$work/linked"
done
