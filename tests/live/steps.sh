#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The grid of step scripts on real servers: at each level, just the anomalies
# that are known to occur there are seen.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs postgresql mariadb
for driver in postgresql mysql; do
  case $(isostress list drivers) in
    *"$driver":*) ;;
    *)
      echo "1..0 # SKIP built without the driver $driver"
      exit 0
      ;;
  esac
done
export ISOSTRESS_FILES=$TOP_SRCDIR
grid=(g0 g1a g1b g1c otv pmp p4 p4-delete p4-undelete g-single g-single-write g2-item g2)
conditions=(changed-by-update delete-skips-row locking-read-differs phantom-write-skew update-skew update-skips-row
  fractured-update unseen-key)
plan 34

# Those of which the anomaly was seen.
seen_on() { # seen_on TARGET LEVEL
  run isostress steps "${scripts[@]}" "$1" -i "$2"
  awk '/^script/ { name = $2; sub(/.*\//, "", name); sub(/\.steps:$/, "", name) }
    /^anomaly +seen$/ { printf "%s%s", apart, name; apart = " " }' <<<"$out"
}
scripts=("${grid[@]}")
lets_through() { # lets_through TARGET LEVEL ANOMALIES
  is "$(seen_on "$1" "$2")" "$3" "${1%%:*} at $2 lets through: ${3:-nothing}"
}
# In the scripts with conditions, rows are found by an index.
lets_through_conditions() { # lets_through_conditions TARGET LEVEL ANOMALIES
  local scripts=("${conditions[@]}")
  lets_through "$1" "$2" "$3"
}
# The server says who waits: a statement that is only slow does not, however busy
# the machine is, and what comes after it finds its locks.
tells_slow_from_blocked() { # tells_slow_from_blocked TARGET SLEEP CODE
  cat >"$work/slow.steps" <<END
setup: "DROP TABLE IF EXISTS slow"
setup: "CREATE TABLE slow (k int PRIMARY KEY, v int)"
setup: "INSERT INTO slow VALUES (1, 0), (2, 0)"
A: begin
B: begin
C: begin
A: sql "SELECT $2"
A: sql "UPDATE slow SET v = 1 WHERE k = 1" => ok
C: sql "SELECT v FROM slow WHERE k = 1 FOR UPDATE NOWAIT" => aborts $3
B: sql "UPDATE slow SET v = 2 WHERE k = 1" => blocks
A: commit => ok
B: resumes => ok
B: commit => ok
END
  run isostress steps "$work/slow.steps" "$1" -i "read committed" --blocked-after 200ms
  is "$status $(grep -c 'told by time' <<<"$out")" "0 0" "${1%%:*} tells what is slow from what is blocked"
  like "$out" 'UPDATE slow SET v = 2 WHERE k = 1" +blocks, then ok$' "a statement that waits is called blocked"
  unlike "$out" 'SELECT (pg_)?(sleep|SLEEP).*blocks' "a slow statement is not called blocked"
}

live_start postgresql
pg=${server_uri[0]}
weak="pmp p4 g-single g-single-write g2-item g2"
lets_through "$pg" "read committed" "$weak"
lets_through "$pg" "repeatable read" "g2-item g2"
lets_through "$pg" serializable ""
lets_through_conditions "$pg?index=btree" "read committed" \
  "changed-by-update delete-skips-row phantom-write-skew update-skew update-skips-row fractured-update"
lets_through_conditions "$pg?index=btree" "repeatable read" "phantom-write-skew update-skew"
lets_through_conditions "$pg?index=btree" serializable ""
step_7='^ +7  T2: write x b +blocks, then aborts 40001: '
run isostress steps p4 "$pg" -i "repeatable read"
like "$out" "$step_7" "PostgreSQL blocks, then aborts a lost update"
tells_slow_from_blocked "$pg" "pg_sleep(1)" 55P03

live_start mariadb
maria=${server_uri[0]}
lets_through "$maria" "read uncommitted" "g1a g1b g1c otv $weak"
lets_through "$maria" "read committed" "$weak"
lets_through "$maria" "repeatable read" "p4 g-single-write g2-item g2"
lets_through "$maria?innodb_snapshot_isolation=on" "repeatable read" "g2-item g2"
lets_through "$maria" serializable ""
rows="$maria?index=btree&innodb_snapshot_isolation"
lets_through_conditions "$rows=off" "read committed" "changed-by-update phantom-write-skew update-skew"
lets_through_conditions "$rows=off" "repeatable read" \
  "changed-by-update locking-read-differs phantom-write-skew unseen-key"
lets_through_conditions "$rows=on" "repeatable read" "phantom-write-skew"
lets_through_conditions "$rows=off" serializable ""
tells_slow_from_blocked "$maria" "SLEEP(1)" 1205
# The statement that deadlocks had changed one row of two.
cat >"$work/half.steps" <<'END'
# A statement that is rolled back was seen half done
table t (b, v): (1, 0, 10) (2, 0, 11) (3, 1, 12) (4, 1, 13)
T2: begin
T2: update t set v = 9 where b = 1
T2: update t set v = 7 where id = 2
T1: begin
T1: update t set v = 5 where b = 0     => blocks
T3: begin
T3: select t                           => "1,0,5 2,0,7 3,1,9 4,1,9"
T3: commit
T2: update t set v = 8 where id = 1    => ok
T1: resumes                            => aborts 1213
T2: commit                             => ok
END
run isostress steps "$work/half.steps" "$maria" -i "read uncommitted" --blocked-after 200ms --output json
is "$(grep -E 'unexpected|broken_by' <<<"$out" | xargs)" "unexpected: 0, broken_by: AbortedRead" \
  "the value of a statement that was rolled back is an aborted read"
isostress steps "$work/half.steps" "$maria" -i "read uncommitted" --blocked-after 200ms \
  --save-history "$work/half.iso" >/dev/null 2>&1
run isostress check -l rc "$work/half.iso"
like "$out" '^VIOLATION: read committed was broken by AbortedRead ' "and in the file"
run isostress convert --to=jsonl "$work/half.iso" "$work/half.jsonl"
like "$status $err" '^255 .*half.jsonl was not written: a row t/1 came back that a statement wrote which was rolled back, ' \
  "a format that cannot say so is not written"

case $(isostress list drivers) in
  *sqlite:*) lets_through_conditions "sqlite:$work/rows.db?index=btree&busy=1s" serializable "" ;;
  *) skip "sqlite at serializable lets through: nothing" "built without the driver sqlite" ;;
esac

# A counterexample found under load comes back step by step.
replayed() { # replayed TARGET LEVEL CHECK
  local seed
  for seed in {1..10}; do
    isostress run -v "$1" -i "$2" --check "$3" --shares rmw1:1 -k 5 -t 500 --seed "$seed" \
      -o "$work/runs" >/dev/null 2>&1
    run isostress replay "$work/runs/latest" "$1" -i "$2" -l "$3" --repeat 20 \
      --save-commands "$work/commands"
    [ "$status" != 1 ] || break
  done
  is "$status" 1 "a lost update comes back on ${1%%:*}"
  like "$(cat "$work/commands")" '^UPDATE t SET v = ' "the interleaving is written as SQL"
}
replayed "$pg" "read committed" si
replayed "$maria" "repeatable read" si

# The scorecard puts the same, and what random load shows, in one table.
export ISOSTRESS_FILES=$TOP_SRCDIR
run isostress scorecard "$pg" -i "repeatable read" -T 1s -o "$work/runs"
# Rows with conditions may show one primary key twice (results/predicate.txt).
like "$status: $(grep 'BROKEN PROMISE' <<<"$out")" '^(0: *|1: .*BROKEN PROMISE.*)$' \
  "PostgreSQL's repeatable read keeps what it promises, but perhaps of rows"
like "$out" '^Lost update +-$' "the scorecard of PostgreSQL has what repeatable read prevents"
run isostress scorecard "$maria" -i "repeatable read" -T 1s -k 10 -o "$work/runs"
is "$status" 0 "MariaDB's repeatable read promises nothing of lists, so nothing is broken"
unlike "$out" 'BROKEN PROMISE' "the scorecard of MariaDB has no broken promise"
