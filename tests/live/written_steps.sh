#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Step scripts with what rows of numbers cannot express, on real servers: NULL,
# texts, keys that change, SKIP LOCKED, two tables, savepoints; and modes of
# transactions.  All of it is judged.
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
plan 25

script() { # script NAME: a script from the standard input
  cat >"$work/$1.steps"
}

script key <<'END'
# an update moves a row to another key
table t (b): (1, 1) (2, 2)
A: begin
A: select t                        => "1,1 2,2"
B: begin
B: update t set id = 3 where b = 2 => "3,2"
B: commit
A: update t set b = 3              => "1,3 3,3" | aborts
A: select t                        => "1,3 3,3" (seen)
A: commit
END
script owner <<'END'
# two workers take the row that nobody owns
table t (name, owner): (1, 'first', NULL) (2, 'second', 'carol')
A: begin
B: begin
A: select t where owner is null          => "1,first,NULL"
B: select t where owner is null          => "1,first,NULL"
A: update t set owner = 'ann' where id = 1 => "1,first,ann"
A: commit
B: update t set owner = 'bob' where id = 1 => "1,first,bob" (seen) | aborts
B: commit                                => ok (seen)
C: begin
C: delete t where owner = 'carol'        => "2"
C: insert t (3, 'it''s', NULL)           => "3,it's,NULL"
C: commit
END
script queue <<'END'
# two workers take a task each
table task (state): (1, 0) (2, 0)
A: begin
B: begin
A: select task where state = 0 for update skip locked limit 1 => "1,0"
B: select task where state = 0 for update skip locked limit 1 => "2,0"
A: commit
B: commit
END
script tables <<'END'
# the sum of two tables is seen half
schema: "CREATE TABLE a (id int PRIMARY KEY, n int); CREATE TABLE b (id int PRIMARY KEY, n int)"
schema: "INSERT INTO a VALUES (1, 50); INSERT INTO b VALUES (1, 50)"
A: begin
A: sql "SELECT a.n, b.n FROM a JOIN b ON a.id = b.id" => "50,50"
B: begin
B: sql "UPDATE a SET n = n - 10 WHERE id = 1"
B: sql "SAVEPOINT s"
B: sql "UPDATE a SET n = 0 WHERE id = 1"
B: sql "ROLLBACK TO SAVEPOINT s"
B: sql "UPDATE b SET n = n + 10 WHERE id = 1" => "1,60"
B: commit
A: sql "SELECT a.n, b.n FROM a JOIN b ON a.id = b.id" => "40,60" (seen) | "50,50"
A: commit
END

steps() { # steps NAME LEVEL TARGET
  run isostress steps "$work/$1.steps" -i "$2" "$3"
}

# The scripts at READ COMMITTED; each shows what it is about, and is judged.
show_all_at_read_committed() { # show_all_at_read_committed TARGET
  local database=${1%%:*}
  steps key "read committed" "$1"
  is "$status $(grep -c '^anomaly     seen' <<<"$out")" "0 1" "$database: an UPDATE moves a row to another key"
  like "$out" 'history +keeps rc, breaks ra by' "$database: and that is judged"
  steps owner "read committed" "$1"
  is "$status $(grep -c '^anomaly     seen' <<<"$out")" "0 1" "$database: two take the row that nobody owns"
  like "$out" 'history +keeps rc, breaks ra by|history +keeps pc, breaks si by LostUpdate' "$database: and that is judged"
  steps queue "read committed" "$1"
  is "$status $(grep -c '^history     keeps sser' <<<"$out")" "0 1" "$database: SKIP LOCKED gives each its own task"
  steps tables "read committed" "$1"
  like "$out" 'history +keeps rc, breaks ra by' "$database: one statement reads two tables, and is judged"
}

live_start postgresql
pg=${server_uri[0]}
show_all_at_read_committed "$pg"
steps key "repeatable read" "$pg"
is "$status $(grep -c '^anomaly     prevented by an abort' <<<"$out")" "0 1" "a snapshot prevents it on PostgreSQL"
steps tables "repeatable read" "$pg"
is "$status $(grep -c '^history     keeps sser' <<<"$out")" "0 1" "a snapshot is of both tables"
run isostress steps "$work/owner.steps" -i "read committed" "$pg" --save-history="$work/owner.jsonl" --repeat=2
is "$status" 0 "each performance has new tables"
run isostress check -l si "$work/owner.jsonl"
is "$status" 1 "the history is saved, and breaks si"

script modes <<'END'
A: admin "SELECT 7, NULL"
A: begin serializable read only, deferrable
A: sql "SHOW transaction_read_only" => "on"
A: sql "SHOW transaction_deferrable" => "on"
A: commit
END
steps modes "read committed" "$pg"
is "$status $(grep -c '"7,NULL"$' <<<"$out")" "0 1" "PostgreSQL: READ ONLY and DEFERRABLE; rows of an admin step are shown"
script snapshot <<'END'
A: begin with consistent snapshot
B: begin
B: write x b
B: commit
A: read x => initial
A: commit
C: begin read only
C: read x => b
C: write x c => aborts 1792
END
steps snapshot "repeatable read" "$pg"
is "$status" 254 "PostgreSQL has no WITH CONSISTENT SNAPSHOT"
like "$err" 'snapshot.steps:1: the postgresql driver has no transaction that is "with consistent snapshot"' "and that is said"

script wrong <<'END'
schema: "CREATE TABLE t (a int"
A: begin
A: sql "SELECT 1"
A: commit
END
steps wrong "read committed" "$pg"
is "$status" 254 "a schema that is wrong ends it"
like "$err" 'wrong.steps' "and the sentence names the file"
script commits <<'END'
schema: "CREATE TABLE t (a int)"
A: begin
A: sql "COMMIT" => aborts refused
END
steps commits "read committed" "$pg"
is "$status" 0 "COMMIT as a statement is refused"
run isostress steps "$work/owner.steps" memory:
is "$status" 254 "a database without SQL is refused"
like "$err" 'owner.steps: NULL, texts, types and the like need a database that tells' "and the sentence says why"

live_start mariadb
maria=${server_uri[0]}
show_all_at_read_committed "$maria"
steps snapshot "repeatable read" "$maria"
is "$status" 0 "MariaDB: WITH CONSISTENT SNAPSHOT and READ ONLY"
