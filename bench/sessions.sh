#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Does causal consistency cost more the more sessions there are?  Checks
# histories of 80,000 transactions without times, of few sessions and of many,
# on keys that are chosen uniformly or by Zipf's law, at CC and at PC, for ten seconds at
# most: best of three, in processor time.  Run in the build directory.
#
#   bench/sessions.sh [SESSIONS...]
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Seconds of processor time of a check at a level, and what came of it.
cost() {
  local TIMEFORMAT='%U %S' best=
  for _ in 1 2 3; do
    local seconds
    seconds=$({ time ./isostress check -j 1 -l "$1" --timeout=10s "$2" >"$work/out" || true; } 2>&1 |
      awk 'NF == 2 { print $1 + $2 }')
    best=$(awk "BEGIN { print ${best:-1e9} < $seconds ? ${best:-1e9} : $seconds }")
  done
  printf '%8.2f %s' "$best" "$(sed -n '1s/:.*//p' "$work/out" | tr '[:upper:]' '[:lower:]')"
}

printf '%8s %12s  %-18s %-18s\n' sessions keys 'cc s' 'pc s'
[ $# -gt 0 ] || set -- 10 40 200 1000 8000
for count; do
  for keys in uniform zipfian; do
    ./isostress run -w general -c "$count" --threads 2 -t $((80000 / count)) -k 100000 \
      --distribution="$keys" -i ser --seed=1 --check=none -o "$work/run" memory: >/dev/null 2>&1
    ./isostress convert --to=bincode "$work/run/latest/history" "$work/history" 2>/dev/null
    rm -r "$work/run"
    printf '%8d %12s  %-18s %-18s\n' "$count" "$keys" "$(cost cc "$work/history")" \
      "$(cost pc "$work/history")"
    rm "$work/history"
  done
done
