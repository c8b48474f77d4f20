#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The cost to find, count, prove, explain and draw the counterexamples of a
# history, beside checking it to the first violation only, and to make the page
# of a run again.  Prints seconds of processor time, the size of the page, how
# many transactions the counterexamples have, the first one first, and what was
# found.
#
#   bench/explain.sh [TRANSACTIONS [SEED...]]
#
# Expects to be started where isostress was built.
set -eu
each=$((${1:-1000000} / 8))
seeds=("${@:2}")
[ ${#seeds[@]} != 0 ] || seeds=(1 2 3)
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
TIMEFORMAT='%U %S'

# seconds COMMAND...: processor time, whatever its exit status.
seconds() {
  { time "$@" >"$directory/out" 2>&1 || true; } 2>&1 | awk '{ printf "%.2f", $1 + $2 }'
}

# sizes: of the counterexamples of the last check, and the counts by kind.
sizes() {
  python3 -c '
import json, sys
verdict = json.load(sys.stdin)["verdict"]
shown = [verdict["counterexample"]] + verdict["others"]
print("  shown: " + ", ".join("%s of %d" % (e["anomaly"], len(e["transactions"])) for e in shown))
print("  found: " + ", ".join("%d %s" % (n, a) for a, n in verdict["found"].items()))
'
}

measure() { # measure BUG SEED
  local run=$directory/runs history first all page
  rm -rf "${directory:?}"/*
  ./isostress run --threads=1 --seed="$2" -t "$each" -c 8 -P 0 --bug="$1" --check=ser \
    -o "$run" memory: >/dev/null 2>&1 || true
  history=$run/latest/history
  first=$(seconds ./isostress check -l ser --max=0 "$history")
  all=$(seconds ./isostress check -l ser --output=json --explain="$directory/told" "$history")
  sed -n '/^{/,$p' "$directory/out" >"$directory/told.json"
  page=$(seconds ./isostress report "$(readlink -f "$run/latest")")
  printf '%s, seed %s: first violation %s s, all told and drawn %s s, page %s s, %s bytes\n' \
    "$1" "$2" "$first" "$all" "$page" "$(wc -c <"$run/latest/report.html")"
  sizes <"$directory/told.json"
}

for bug in LostUpdate:0.00002 LostUpdate:0.1 WriteSkew:1 LongFork:0.1 FracturedRead:0.1 \
  CausalityViolation:0.1 AbortedRead:0.1; do
  for seed in "${seeds[@]}"; do
    measure "$bug" "$seed"
  done
done
