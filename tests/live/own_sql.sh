#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Transactions of users as they are, on PostgreSQL: three races that are found by
# file and line, their repaired forms, and all of them at SERIALIZABLE; triggers,
# cascades, savepoints and functions that take back; and what bypasses triggers.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs postgresql
live_needs_driver postgresql libpq-dev
plan 60

live_start postgresql
uri=${server_uri[0]}
as_admin() { psql -qXAt -v ON_ERROR_STOP=1 "${server_admin[0]:-$uri}" "$@"; }
write() { cat >"$work/$1"; } # write FILE: of the work directory, from stdin
own() { # own "SCRIPT,..." OPTIONS...: a run of scripts of the work directory
  local scripts=$work/${1//,/,$work/}
  run isostress run "$uri" -w "$scripts" --schema "$work/schema.sql" -c 4 -t 60 -T 0 -P 0 --op-delay=1ms \
    -o "$work/runs" ${own_max:+"$own_max"} "${@:2}"
  flat=$(tr -s ' \n' ' ' <<<"$out")
}

write schema.sql <<'SQL'
BEGIN;
CREATE TYPE job_status AS ENUM ('pending', 'done');
CREATE TABLE customer (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text, email text UNIQUE);
CREATE TABLE account (id int PRIMARY KEY, customer_id int REFERENCES customer, balance numeric(10, 2) NOT NULL,
  note jsonb, changed timestamptz DEFAULT now());
CREATE TABLE job (id bigserial PRIMARY KEY, status job_status NOT NULL DEFAULT 'pending', payload text);
CREATE TABLE sent (id bigserial PRIMARY KEY, job_id bigint NOT NULL, at timestamptz DEFAULT now());
CREATE TABLE doctor (name text PRIMARY KEY, on_call boolean NOT NULL, left_at timestamptz); -- a comment; with a semicolon
CREATE TABLE booking (id serial PRIMARY KEY, room text NOT NULL, starts_at timestamptz NOT NULL, ends_at timestamptz);
CREATE TABLE booked_day (room text, day int, PRIMARY KEY (room, day));
INSERT INTO customer (name, email) SELECT 'c''' || i, i || '@example.org' FROM generate_series(1, 3) i;
INSERT INTO account SELECT i, 1 + i % 3, 100.50, '{"a": [1, 2]}' FROM generate_series(1, 3) i;
INSERT INTO job (payload) SELECT 'x' FROM generate_series(1, 300);
INSERT INTO doctor VALUES ('alice', true, NULL), ('bob', true, NULL);
COMMIT;
SQL

# A balance that the client computes: decimals, a join, JSON.
write pay.sql <<'SQL'
\set a random(1, 3)
BEGIN;
SELECT a.balance AS have, c.name FROM account a JOIN customer c ON c.id = a.customer_id
  WHERE a.id = :a AND a.note @> '{"a": [1]}' \gset
UPDATE account SET balance = :have - 0.25, changed = now() WHERE id = :a;
COMMIT;
SQL
sed 's/ \\gset/ FOR UPDATE \\gset/' "$work/pay.sql" >"$work/pay_locked.sql"
# The oldest job, which two workers may take.
write job.sql <<'SQL'
BEGIN;
SELECT id FROM job WHERE status = 'pending' ORDER BY id LIMIT 1 \gset
\if :ROW_COUNT > 0
  UPDATE job SET status = 'done' WHERE id = :id;
  INSERT INTO sent (job_id) VALUES (:id);
\endif
COMMIT;
SQL
write job_skipped.sql <<'SQL'
BEGIN;
UPDATE job SET status = 'done' WHERE id = (SELECT id FROM job WHERE status = 'pending' ORDER BY id LIMIT 1
  FOR UPDATE SKIP LOCKED) RETURNING id \gset
\if :ROW_COUNT > 0
  INSERT INTO sent (job_id) VALUES (:id);
\endif
COMMIT;
SQL
# Two doctors who each leave because the other one stays.
write leave.sql <<'SQL'
\set who random(0, 1)
BEGIN;
SELECT count(*) FILTER (WHERE on_call) AS there FROM doctor \gset
\if :there > 1
  UPDATE doctor SET on_call = false, left_at = now() WHERE name = CASE :who WHEN 0 THEN 'alice' ELSE 'bob' END;
\else
  UPDATE doctor SET on_call = true, left_at = NULL WHERE NOT on_call;
\endif
COMMIT;
SQL
sed 's/^SELECT count/SELECT 1 AS locked FROM doctor ORDER BY name FOR UPDATE;\n&/' "$work/leave.sql" >"$work/leave_locked.sql"

write book.sql <<'SQL'
\set day random(1, 40)
BEGIN;
SELECT count(*) AS taken FROM booking b
  WHERE b.room = 'blue' AND b.starts_at < timestamptz '2026-01-01' + (:day + 2) * interval '1 day'
    AND ends_at > timestamptz '2026-01-01' + :day * interval '1 day' \gset
\if :taken = 0
  -- two days
  INSERT INTO booking (room, starts_at, ends_at) VALUES ('blue', timestamptz '2026-01-01' + :day * interval '1 day',
    timestamptz '2026-01-01' + (:day + 2) * interval '1 day');
\endif
COMMIT;
SQL
write book_keyed.sql <<'SQL'
\set day random(1, 40)
INSERT INTO booked_day VALUES ('blue', :day) ON CONFLICT DO NOTHING;
SQL

found() { # found SCRIPT LEVEL PATTERN NAME: the race is found, within five runs
  local i
  for ((i = 0; i < 5; i++)); do
    own "$1" -i "$2"
    ! grep -qE "$3" <<<"$flat" || break
  done
  is "$status" 0 "$4: the level keeps what it promises"
  like "$flat" "$3" "$4: the race is found, by file and line"
}
silent() { # silent SCRIPT LEVEL NAME
  own "$1" -i "$2"
  is "$status" 0 "$3: the level is kept"
  unlike "$flat" 'not serializable' "$3: repaired, it is silent"
}
found pay.sql "read committed" 'scripts pay.sql:5: lost update' "a balance"
like "$flat" 'A run of pay.sql read account [123] at pay.sql:3, and at pay.sql:5 it wrote over what a run of pay.sql' \
  "the story is told in the script's places"
like "$flat" 'judged 1 of 2 statements in full, 1 by rows' "and how much was judged"
like "$flat" 'helps REPEATABLE READ rules out all of it: try again at error 40001. Or lock the row that pay.sql:3 reads: FOR UPDATE. Or let the database calculate in pay.sql:5' \
  "one remedy for all that was found, by its places"
silent pay_locked.sql "read committed" "a balance"
# Each script that shows something is named, however few cases are shown; and
# nothing is lost where the database calculates.
sed 's/:have - 0.25/balance - 0.25/; s/^COMMIT/\\if :have < -1000000\nDELETE FROM job;\n\\endif\n&/' "$work/pay.sql" >"$work/take.sql"
cp "$work/pay.sql" "$work/refund.sql"
own_max=--max=1
found pay.sql,refund.sql,take.sql "read committed" \
  'scripts pay.sql:5: lost update in [0-9]+ writes?, .*refund.sql:5: lost update in [0-9]+ writes?, .*take.sql:5: non-repeatable reads' \
  "three scripts"
own_max=
found take.sql "read committed" 'at take.sql:5 the database calculated from .*: no change is lost, but' "a sum"
unlike "$flat" 'lost update' "which is called otherwise"
like "$flat" 'by rows, 1 never executed: take.sql:7 ' "a statement to which no transaction came"
found job.sql "read committed" 'scripts job.sql:4: lost update' "a job"
silent job_skipped.sql "read committed" "a job"
found leave.sql "repeatable read" 'leave.sql:3: write skew' "two doctors"
silent leave_locked.sql "read committed" "two doctors"
# A room that is booked twice, since neither search sees the row of the other.
found book.sql "repeatable read" 'scripts book.sql:3: phantom write skew' "a room"
# The smallest case of a run may be one of three transactions.
missed="missed each other's row: the search at book.sql:3 did not find booking [0-9]+, which was written at book.sql:8"
last_document() { cat "$(ls -td "$work"/runs/*-repeatable-read* | head -1)/report.json"; }
for _ in {1..10}; do
  ! grep -qE "$missed" < <(last_document) || break
  own book.sql -i "repeatable read"
done
like "$(last_document)" "$missed" \
  "with the row that each of them missed"
like "$flat" 'judged 2 of 2 statements in full' "judged in full"
silent book_keyed.sql "read committed" "a room"
own pay.sql,book.sql,job.sql,leave.sql,pay_locked.sql,job_skipped.sql,leave_locked.sql -i serializable --check=sser
is "$status" 0 "all of them are strictly serializable at SERIALIZABLE"
unlike "$flat" 'bypassed|ended in errors' "without an error"
isostress check "$(ls -d "$work"/runs/*-serializable | tail -1)" -l sser >"$work/again" 2>&1
is "$?" 0 "and the history is checked again"

# Conditions of many types, with NULL, are those of the database: what is judged
# in full at SERIALIZABLE is kept.
cp "$work/schema.sql" "$work/first.sql"
write schema.sql <<'SQL'
CREATE TABLE thing (id serial PRIMARY KEY, t text, v varchar(8), c char(4), n numeric(6, 2), f float4, d date,
  at timestamptz, b boolean, i int, u uuid);
INSERT INTO thing (t, v, c, n, f, d, at, b, i) SELECT CASE WHEN i % 3 > 0 THEN 'B' || i END, 'a ' || i, 'x' || i, i / 2.0, i / 10.0,
  date '2026-01-01' + i, '2026-01-01 00:00+00'::timestamptz + i * interval '1 hour', i % 2 = 0, i FROM generate_series(1, 8) i;
SQL
write types.sql <<'SQL'
\set i random(1, 9)
\set k random(0, 5)
BEGIN;
SELECT count(*) FROM thing WHERE t < 'B:i' AND n <= :i / 2.0;
SELECT * FROM thing WHERE v >= 'a :i' AND b = true AND i IS NOT NULL FOR UPDATE;
SELECT max(id) AS m, sum(i) FROM thing WHERE t IS NULL AND f > 0.1;
SELECT count(*) FROM thing WHERE c = 'x:i' AND d <> date '2026-01-0:i';
SELECT count(*) FROM thing WHERE f <> 0.3 AND i < 4.5 AND thing.at <= '2026-01-01 0:i:00+00';
SELECT count(*) FROM thing WHERE NOT (t IN ('B1', 'b:i') OR b) AND (i BETWEEN 2 AND :i OR n NOT IN (1.5, :i));
SELECT * FROM thing WHERE 3 < i AND NOT t > 'B3' OR u IS NULL AND d NOT BETWEEN '2026-01-03' AND '2026-01-0:i';
\if :k = 0
UPDATE thing SET t = NULL, n = n + 0.25, b = NOT b WHERE i = :i;
\elif :k = 1
UPDATE thing SET t = 'b:i', i = 10 - i WHERE n > 1.25 AND n < :i;
\elif :k = 2
DELETE FROM thing WHERE i > 6 AND t IS NOT NULL;
\elif :k = 3
INSERT INTO thing (t, v, c, n, i, b) VALUES ('B:i', 'a :i', 'x:i', :i / 4.0, :i, true);
\endif
COMMIT;
SQL
for level in serializable "repeatable read" "read committed"; do
  own types.sql -i "$level" -t 100
  is "$status" 0 "conditions of many types keep $level"
done
like "$flat" 'judged 9 of 11 statements in full' "but for two that compare a float"
cp "$work/first.sql" "$work/schema.sql"

# An invariant is any SELECT of one number; a unique row per job breaks when two
# workers take one.
for scripts in job.sql job_skipped.sql; do
  own "$scripts" -i "read committed" --equals 0 \
    --invariant "SELECT count(*) FROM (SELECT job_id FROM sent GROUP BY job_id HAVING count(*) > 1) twice"
  if [ "$scripts" = job.sql ]; then
    is "$status" 1 "an invariant that the race breaks is broken"
    like "$flat" 'INVARIANT|invariant' "and told"
  else
    is "$status" 0 "and kept by the repaired script"
    unlike "$flat" 'broken' "and told so"
  fi
done

# Rows change out of the statements' sight, too: by triggers that change rows again or
# elsewhere, a function whose block fails half of the time, a cascade, a
# savepoint, a constraint that waits for the commit, a row that moves.
write schema.sql <<'SQL'
CREATE TABLE parent (id int PRIMARY KEY, n int NOT NULL DEFAULT 0);
CREATE TABLE child (id int, parent_id int REFERENCES parent ON DELETE CASCADE ON UPDATE CASCADE DEFERRABLE, PRIMARY KEY (id));
CREATE TABLE total (what text, n int);
CREATE TABLE part (k int, v text) PARTITION BY LIST (k);
CREATE TABLE part_1 PARTITION OF part FOR VALUES IN (1);
CREATE TABLE part_2 PARTITION OF part FOR VALUES IN (2);
CREATE FUNCTION count_up() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE total SET n = n + 1 WHERE what = 'changes';
  IF NEW.n % 3 = 0 THEN UPDATE parent SET n = n + 1 WHERE id = NEW.id; END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER a_count AFTER UPDATE ON parent FOR EACH ROW EXECUTE FUNCTION count_up();
CREATE FUNCTION half(i int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
  BEGIN
    UPDATE total SET n = n + 1 WHERE what = 'tries';
    DELETE FROM child WHERE id = -i;
    IF i % 2 = 0 THEN RAISE EXCEPTION 'no'; END IF;
  EXCEPTION WHEN raise_exception THEN RETURN 0;
  END;
  RETURN 1;
END $$;
INSERT INTO parent SELECT i FROM generate_series(1, 4) i;
INSERT INTO child SELECT i, 1 + i % 4 FROM generate_series(1, 12) i;
INSERT INTO child SELECT -i, 1 FROM generate_series(1, 4) i;
INSERT INTO total VALUES ('changes', 0), ('tries', 0);
INSERT INTO part SELECT 1, i FROM generate_series(1, 4) i;
SQL
write odd.sql <<'SQL'
\set p random(1, 4)
\set i random(1, 40)
BEGIN;
SAVEPOINT one;
UPDATE parent SET n = n + 1 WHERE id = :p;
ROLLBACK TO one;
SELECT p.id, p.n, sum(c.id) AS s FROM parent p LEFT JOIN child c ON c.parent_id = p.id GROUP BY p.id;
UPDATE parent SET n = n + 1 WHERE id IN (:p, 1 + :p % 4);
SELECT half(:i);
UPDATE part SET k = 3 - k WHERE v = ':p';
COMMIT;
BEGIN;
SET CONSTRAINTS ALL DEFERRED;
DELETE FROM parent WHERE id = :p;
INSERT INTO parent (id) VALUES (:p) ON CONFLICT (id) DO UPDATE SET n = parent.n + 1;
INSERT INTO child VALUES (:i, :p) ON CONFLICT (id) DO UPDATE SET parent_id = excluded.parent_id;
WITH gone AS (DELETE FROM child WHERE id > 30 RETURNING id) SELECT count(*) FROM gone;
COMMIT;
SELECT DISTINCT v FROM part;
SQL
own odd.sql -i serializable --check=sser
is "$status" 0 "triggers, functions, cascades and savepoints keep strict serializability at SERIALIZABLE"
like "$flat" 'judged .* 4 not judged: .*odd.sql:19 \(DISTINCT\)' "and what is not judged is named"
own odd.sql -i "read committed"
is "$status" 0 "and their promise at READ COMMITTED"

# A change that triggers do not see ends the run without a verdict.
write bypass.sql <<'SQL'
BEGIN;
DO $$ BEGIN ALTER TABLE total DISABLE TRIGGER USER; END $$;
UPDATE total SET n = n + 1;
COMMIT;
SQL
own bypass.sql
is "$status" 255 "a script that switches triggers off ends the run"
like "$(tr -s ' \n' ' ' <<<"$err")" 'the instrument was bypassed: the statement of bypass.sql:3 changed 2 rows, and triggers told of 0' \
  "by its statement"
write hidden.sql <<'SQL'
BEGIN;
DO $$ BEGIN ALTER TABLE total DISABLE TRIGGER USER; UPDATE total SET n = n + 1; ALTER TABLE total ENABLE TRIGGER USER; END $$;
SELECT n FROM total;
COMMIT;
SQL
own hidden.sql
is "$status" 255 "so do changes within a block"
like "$(tr -s ' \n' ' ' <<<"$err")" 'the instrument was bypassed: after the run .* versions of rows, the first in total' \
  "by the tables that the run left"

refused() { # refused SCRIPT-TEXT PATTERN NAME
  printf '%s\n' "SELECT DISTINCT 1;" "$1" >"$work/bad.sql"
  own bad.sql
  is "$status ${err//$work\//}" "254 isostress: bad.sql:2: $2" "$3"
}
refused "TRUNCATE total;" "TRUNCATE changes rows that no trigger sees" "TRUNCATE is refused"
refused "CREATE TABLE x (i int);" "a script cannot change the schema while it runs" "and a change of the schema"
refused "BEGIN; SELECT 1;" "the transaction that begins here has no COMMIT or ROLLBACK" "and a script that never commits"
refused "SELECT * FROM public.total;" 'the run has a schema of its own: leave "public." away' "and a table of others"
as_admin -c "CREATE TABLE theirs AS SELECT 1 AS i"
printf 'CREATE TABLE a (i text);\n\nCREATE TABLE b (i int, j intt);\n' >"$work/schema.sql"
printf 'SELECT DISTINCT i FROM a;\n' >"$work/any.sql"
own any.sql
is "$status ${err//$work\//}" '254 isostress: schema.sql:3: the database refused it: type "intt" does not exist' \
  "an error of the schema has its line"
printf 'CREATE TABLE public.a (i text);\n' >"$work/schema.sql"
own any.sql
like "$err" 'it makes (public\.)?a outside of the run.s own schema' "a schema that names another one is refused"
is "$(as_admin -c "SELECT to_regclass('public.a') IS NULL, to_regclass('isostress_own.total') IS NOT NULL")" "t|t" \
  "and what was there is still there"
printf 'CREATE TABLE a (i text);\n' >"$work/schema.sql"
own any.sql
is "$(as_admin -c "SELECT * FROM theirs")" "1" "tables of others are left alone"
# A run that was killed is judged, and its database ranks.
# shellcheck source=tests/killed.sh
. "$TOP_SRCDIR/tests/killed.sh"
killed postgresql "$uri" "$uri"
run isostress clean "$uri"
is "$(as_admin -c "SELECT count(*) FROM pg_namespace WHERE nspname = 'isostress_own'")" "0" "clean drops the schema"
