#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# How large counterexamples are: transactions of the parts that are told, over
# many runs of the memory driver with each of its bugs.  The first of a verdict,
# and those of the other kinds that were found beside it; the median, the largest,
# and how many have more than six.
#
#   bench/parts.sh [RUNS] [TRANSACTIONS] [PROBABILITY] [OPTION...]
#
# RUNS of TRANSACTIONS in each of 8 sessions, the bug at PROBABILITY.  Expects to
# be started where isostress was built.
set -eu
runs=${1:-40} each=${2:-300} probability=${3:-0.1}
shift $(($# < 3 ? $# : 3))
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

# table BUG: a row from the reports, one JSON document after the other.
table() {
  python3 -c '
import json, statistics, sys
def row(sizes):
    if not sizes:
        return "     -      -    -"
    return "%6g %6d %4d" % (statistics.median(sizes), max(sizes), sum(n > 6 for n in sizes))
first, others, at, text = [], [], 0, sys.stdin.read()
while text[at:].strip():
    report, end = json.JSONDecoder().raw_decode(text[at:].lstrip())
    at += len(text[at:]) - len(text[at:].lstrip()) + end
    verdict = report["verdict"]
    if verdict["verdict"] == "violation":
        first.append(len(verdict["counterexample"]["transactions"]))
        others += [len(o["transactions"]) for o in verdict["others"]]
print("%-26s %5d %s  %5d %s" % (sys.argv[1], len(first), row(first), len(others), row(others)))
' "$1"
}

printf '%-26s %5s %6s %6s %4s  %5s %6s %6s %4s\n' bug first median most '>6' others median most '>6'
for bug in $(./isostress list bugs | sed -n 's/^\([A-Z][A-Za-z]*\).*/\1/p'); do
  for ((seed = 1; seed <= runs; seed++)); do
    ./isostress run --threads=1 --seed="$seed" -t "$each" -c 8 -P 0 --check=ser --output=json \
      --bug="$bug:$probability" -o "$directory" "$@" memory: 2>/dev/null || true
    rm -rf "${directory:?}"/*
  done | table "$bug"
done
