#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Random loads of SQL with predicates on PostgreSQL and MariaDB: every level
# runs to the end and its file opens; SERIALIZABLE keeps what it says with every
# index; weaker levels show what they are known for, by rows that came back and by
# conditions side by side; so does SQLite.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs postgresql mariadb
live_needs_driver postgresql libpq-dev
live_needs_driver mysql libmariadb-dev
plan 51
unset MYSQL_PWD
export HOME=$work
live_start postgresql
pg=${server_uri[0]}
live_start mariadb
my=${server_uri[0]}
load=(-w predicate -k 96 -t 150 --max-tries 5 --timeout 60s)

runs() { # runs TARGET LEVEL NAME: is what was recorded whole?
  stress "$1" -i "$2" --check none "${load[@]}"
  is "$status" 0 "$3: it runs to the end"
  run isostress stat "$results/history"
  # READ UNCOMMITTED may show rows of a statement that failed, which has none.
  case $2 in
    "read uncommitted") like "$out" "row insert" "$3: rows are in its history" ;;
    *) like "$out" "out of thin air 0" "$3: all that was seen was written" ;;
  esac
}
for level in "read committed" "repeatable read" serializable; do
  runs "$pg" "$level" "PostgreSQL, $level"
done
for level in "read uncommitted" "read committed" "repeatable read" serializable; do
  for si in off on; do
    runs "$my?index=btree&innodb_snapshot_isolation=$si" "$level" "MariaDB, $level, snapshot isolation $si"
  done
done

for index in none btree hash brin gin; do
  stress "$pg?index=$index" -i serializable "${load[@]}"
  is "$status" 0 "PostgreSQL keeps SER, with the index $index"
done
for index in none btree; do
  stress "$my?index=$index" -i serializable "${load[@]}"
  is "$status" 0 "MariaDB keeps SER, with the index $index"
done

shows() { # shows TARGET LEVEL CHECKED SHARES NAME OPTION...: some seed does
  local target=$1 level=$2 checked=$3 shares=$4 name=$5 seed shown=0 again=0
  shift 5
  for seed in {1..20}; do
    run isostress run -v -w predicate "$target" -i "$level" --check "$checked" \
      --shares="$shares" -k 96 -t 150 --seed "$seed" -o "$work/runs" "$@"
    case $status in 0 | 2) continue ;; esac
    shown=$status
    # Locks bring some back whenever they are asked to, and luck others.
    run isostress replay -l "$checked" "$work/runs/latest" "$target" --repeat 3
    again=$status
    [ "$status" = 0 ] || break
  done
  is "$shown" 1 "$name"
  is "$again" 1 "$name, again when it is replayed"
}
shows "$pg?index=btree" "repeatable read" ser guard:1,delete:1 \
  "PostgreSQL, repeatable read: two guards insert"
page=$(cat "$work/runs/latest/report.html")
is "$(grep -c '^BEGIN ISOLATION LEVEL repeatable read;</code>' <<<"$page") $(grep -c '<code>SELECT id, b, v, f FROM t[0-9]* WHERE .*;</code><br><span class="soft">returned ' <<<"$page") $(grep -c 'CREATE TABLE isostress_try.t' <<<"$page")" \
  "2 2 1" "its page has the statements to type, and what came back"
shows "$pg?index=btree" "read committed" ra refill:1 \
  "PostgreSQL, read committed: an UPDATE sees half a transaction"
shows "$my?index=btree" "repeatable read" ser guard:1,delete:1 \
  "MariaDB, repeatable read: two guards insert"
shows "$my?index=btree&innodb_snapshot_isolation=off" "repeatable read" ra same:1,insert:1 \
  "MariaDB, repeatable read: an UPDATE changes what SELECT does not show"
shows "$my?index=btree&innodb_snapshot_isolation=off" "repeatable read" ra ignore:1 \
  "MariaDB, repeatable read: an INSERT IGNORE meets a row that SELECT does not show" --reuse-keys=on
shows "$my?index=btree&innodb_snapshot_isolation=on" "repeatable read" si locking:1,delete:1,insert:0.5 \
  "MariaDB, snapshot isolation: a locking read misses a row" --op-delay 1ms

# Anomalies by conditions stand beside those by items, each with a smallest case.
cases() { # cases: the anomalies that have one, in the report
  python3 -c 'import json, sys
verdict = json.load(open(sys.argv[1]))["verdict"]
for case in [verdict.get("counterexample")] + verdict.get("others", []):
    if case:
        print(case["anomaly"])' "$work/runs/latest/report.json"
}
both() { # both TARGET LEVEL NAME: in some run
  local seed found
  for seed in {1..20}; do
    rm -f "$work"/s.db*
    run isostress run -w predicate "$1" -i "$2" --check ser -c 8 -t 200 --seed "$seed" -o "$work/runs"
    found=$(cases)
    ! grep -q '^Phantom' <<<"$found" || ! grep -qv '^Phantom' <<<"$found" || break
  done
  is "$(grep -q '^Phantom' <<<"$found" && grep -v '^Phantom' <<<"$found" | head -c 1 | wc -c)" 1 \
    "$3: JSON has cases by items and by conditions"
  run isostress check -l ser "$work/runs/latest"
  is "$(sed -nE 's/^  ([A-Z][A-Za-z0-9-]*): [A-Z].*/\1/p' <<<"$out" | grep -Fxc "$found")" \
    "$(wc -l <<<"$found")" "$3: the terminal has each"
  is "$(grep -Fo "$found" "$work/runs/latest/report.html" | sort -u | wc -l)" "$(wc -l <<<"$found")" "$3: so has the page"
}
both "$pg" "read committed" "PostgreSQL, read committed"
both "$pg" "repeatable read" "PostgreSQL, repeatable read"
both "sqlite:$work/s.db" "read uncommitted" "SQLite, read uncommitted"
