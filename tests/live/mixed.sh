#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Transactions at levels of their own: each run has an answer, and of what a
# transaction at a weaker level does to others at SERIALIZABLE the verdict says
# what PostgreSQL promises.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs postgresql
live_needs_driver postgresql libpq-dev
plan 9
live_start postgresql
pg=${server_uri[0]}

undecided=''
mixed() { # mixed LEVELS: until a run breaks them
  local seed
  for seed in {1..10}; do
    run isostress run -w tpcc "$pg" --mix="$1" --check=recorded -t 100 -c 8 --seed "$seed" -P 0 -o "$work/runs"
    [ "$status" != 2 ] || undecided="$undecided $1 $seed"
    [ "$status" != 1 ] || return 0
  done
}

mixed serializable:1,rc:1
is "$status" 1 "who runs at READ COMMITTED breaks the order of those at SERIALIZABLE"
among='SERIALIZABLE is promised among transactions at SERIALIZABLE only'
like "$(xargs <<<"$out")" "PostgreSQL allows that where levels are mixed.*promised No. $among" "the terminal says what is promised"
found=$work/runs/latest
like "$(cat "$found/report.txt")" "Promised: $among" "the text says it"
like "$(cat "$found/report.html")" "<b>No.</b> $among" "the page says it"
is "$(python3 -c 'import json, sys
verdict = json.load(open(sys.argv[1]))["verdict"]
print(verdict["promise"], verdict["promise_among"], sep=": ")' "$found/report.json")" "allowed: $among" "JSON says it"
like "$(cat "$found/report.txt")" ' at level rc\.' "the story says who was at which level"

mixed serializable:1,"repeatable read:1"
is "$status" 1 "so does who runs at REPEATABLE READ"
like "$(cat "$work/runs/latest/report.txt")" "Promised: $among" "which is allowed, too"
is "$undecided" '' "no run is undecided"
