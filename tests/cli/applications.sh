#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs of the workloads that are applications: TPC-C, also without conflicts of
# conditions, Twitter, C-Twitter and RUBiS.
. "${TOP_SRCDIR:?}/tests/tap.sh"
. "${TOP_SRCDIR:?}/tests/tpcc.sh"
cd "$work" || exit 1
plan 35

for workload in tpcc tpcc-pc twitter; do
  run isostress run -v -w "$workload" memory: -c 4 -t 50 --threads 1 --seed 1 --max-tries 20
  is "$status" 0 "$workload runs on the built-in store"
  like "$out" "^PASS: serializability was kept" "$workload keeps serializability on the built-in store"
  run isostress run -v -w "$workload" memory: -c 4 -t 20 --scale 2 --threads 1 --seed 1
  is "$status" 0 "and in twice the size"
done
run isostress run -v -w tpcc memory: -c 4 -t 20 --scale 0
is "$status" 254 "but not in none"

for workload in tpcc tpcc-pc twitter; do
  run isostress run -v -w "$workload" memory: --bug MissingRow:0.3 -c 8 -t 60 --threads 1 --seed 1
  is "$status:$(grep -c "^VIOLATION: serializability was broken by" <<<"$out")" 1:1 "rows that $workload misses are found"
done

for workload in c-twitter rubis; do
  run isostress run -v -w "$workload" memory: -c 8 -t 200 -k 62 --threads 1 --seed 1
  is "$status" 0 "$workload runs over keys and values"
  run isostress run -v -w "$workload" memory: --bug LostUpdate:0.5 -c 8 -t 200 -k 62 --threads 1 --seed 1
  is "$status" 1 "$workload over keys and values finds lost updates"
done

# ---- TPC-C without conflicts of conditions

# rows_of WORKLOAD LEVEL: its statements in text, a line each
rows_of() {
  run isostress run -v -w "$1" memory: -i "$2" -c 6 -t 40 --threads 1 --seed 3 --check=none -o runs
  run isostress convert --to=text runs/latest/history history.txt
  grep -oE '(selu?|upd|del|ins) [a-z_]+[{/][^:]*:?[^:]?' history.txt | grep -v '{TRUE}'
}
for level in ser rc; do
  statements=$(rows_of tpcc-pc "$level")
  is "$(grep -oE '^(del|upd) new_order' <<<"$statements" | sort -u)" "upd new_order" \
    "tpcc-pc at $level marks rows in place of DELETE"
  is "$(grep -cE '^(selu?|upd) .*:[],]$' <<<"$statements")" 0 "and each of its statements finds its rows"
done
is "$(rows_of tpcc ser | grep -cE '^sel new_order.*:[],]$' | sed 's/[1-9][0-9]*/some/')" some "which those of tpcc do not"

# ---- A level for each shape

run isostress run -v -w tpcc memory: --level-of='new-order:ser,payment:ser,*:rc' --check=rc -c 4 -t 20 --threads 1 --seed 1
is "$status" 0 "each shape may have its own level"
like "$out" "level new-order:ser,payment:ser,[*]:rc" "the report names the level of each shape"
run isostress run -v -w mt memory: --level-of='rmw:ser,*:rc' -c 4 -t 20
like "$status $err" "^(0|254) " "also those of keys and values"
run isostress run -v -w tpcc memory: --level-of=new-ordr:ser
is "$status" 254 "an unknown shape is refused"
like "$err" 'did you mean new-order' "an unknown shape: the nearest name is told"
run isostress run -v -w tpcc memory: --level-of=new-order:ser
like "$err" "the shape payment has no level: name it, or [*]:LEVEL" "a shape without a level is refused"
run isostress run -v -w tpcc memory: --level-of='*:ser' --mix=ser:1
is "$status" 254 "a mix of levels beside levels of shapes is refused"
run isostress run -v -w tpcc memory: --level-of='*:ser,*:rc'
is "$status" 254 "a shape with two levels is refused"

# ---- Consistency conditions 1 to 4 of TPC-C (clause 3.3.2)

if [[ $(isostress list drivers) = *sqlite:* ]]; then
  run isostress run -v -w tpcc sqlite:tpcc.db -c 4 -t 100
  is "$status" 0 "TPC-C runs on SQLite"
  question() { python3 -c 'import sqlite3, sys
print(sqlite3.connect("tpcc.db").execute(sys.argv[1]).fetchone()[0])' "$1"; }
  tpcc_is_consistent SQLite
else
  skip 5 "built without SQLite"
fi
