#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A rehearsal of scripts on PostgreSQL: each statement with how it will be judged
# and why not more, what the database refuses by file and line, and nothing that
# stays; and twins, which run scripts of their own SQL together.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs postgresql
live_needs_driver postgresql libpq-dev
plan 22

live_start postgresql
uri=${server_uri[0]}
write() { cat >"$work/$1"; } # write FILE: of the work directory, from stdin
rehearse() { # rehearse SCRIPT OPTIONS...
  run isostress run --rehearse -w "$work/${1//,/,$work/}" --schema "$work/schema.sql" "$uri" -o "$work/runs" "${@:2}"
  flat=$(tr -s ' \n' ' ' <<<"$out")
}

write schema.sql <<'SQL'
CREATE TABLE customer (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL);
CREATE TABLE account (id int PRIMARY KEY, customer_id int REFERENCES customer, balance numeric(10, 2) NOT NULL,
  changed timestamptz DEFAULT now());
CREATE TABLE tag (id serial PRIMARY KEY, label text NOT NULL);
INSERT INTO customer (name) SELECT 'c''' || i FROM generate_series(1, 3) i;
INSERT INTO account SELECT i, i, 100.50 FROM generate_series(1, 3) i;
SQL
write pay.sql <<'SQL'
\set a random(1, 3)
\set rare random(1, 4)
BEGIN;
SELECT a.balance AS have, c.name FROM account a JOIN customer c ON c.id = a.customer_id WHERE a.id = :a \gset
UPDATE account SET balance = :have - 0.25 WHERE id = :a;
SELECT DISTINCT name FROM customer;
SELECT count(*) FROM account WHERE changed < now();
\if :rare = 1
  DELETE FROM account WHERE id = :a AND balance > 7.5;
\endif
INSERT INTO tag (label) VALUES ('x');
COMMIT;
SQL
rehearse pay.sql
is "$status" 0 "scripts without a mistake"
like "$flat" 'pay.sql:4 by rows SELECT a.balance [^.]*\.[^.]*\.\.\. it has more than one table' "a join, by rows, with the reason"
like "$flat" 'pay.sql:5 in full UPDATE account' "a change by key, in full"
like "$flat" 'pay.sql:6 not judged SELECT DISTINCT name FROM customer DISTINCT' "DISTINCT, not judged"
like "$flat" 'pay.sql:7 by rows .* its condition has more than comparisons of columns with constants' "now() is no constant"
like "$flat" 'pay.sql:9 in full DELETE' "a branch that is seldom taken is reached"
like "$flat" 'pay.sql:11 in full INSERT' "new rows, in full"
like "$flat" 'Of 6 statements 3 will be judged in full, 2 by rows and 1 not\.' "the sum"
place=$(psql -qXAt "$uri" -c "SELECT relnamespace::regnamespace FROM pg_class WHERE relname = 'tag'")
is "$(psql -qXAt "$uri" -c "SELECT count(*) FROM $place.tag" 2>&1)" 0 "nothing stays of what was played"
[ ! -e "$work/runs" ]
is "$?" 0 "no results are kept"
rehearse pay.sql --output=json
is "$(jq -r '.statements[] | select(.place == "pay.sql:6") | .tier + ": " + .why' <<<"$out")" "not judged: DISTINCT" "as JSON"

# A NULL that is kept is one in the next statement; a time limit changes no comparison.
write null.sql <<'SQL'
BEGIN;
SET LOCAL lock_timeout = '2s';
SELECT NULLIF(name, name) AS name FROM customer WHERE id = 1 \gset
UPDATE customer SET name = coalesce(:name, 'c') WHERE id = 1 RETURNING id, name;
COMMIT;
SQL
rehearse null.sql
is "$status" 0 "a NULL that a script keeps"
like "$flat" 'null.sql:4 in full UPDATE' "behind a SET of a limit, judged in full"
write wrong.sql <<'SQL'
BEGIN;
SELECT balance FROM account WHERE id = 1;
UPDATE account SET balanse = 0 WHERE id = 1;
COMMIT;
SQL
rehearse pay.sql,wrong.sql
is "$status" 254 "a mistake of a script is one of usage"
like "$err" 'wrong.sql:3: the database refused it while rehearsing: column "balanse" .*\(42703\)' "with file, line and the database's words"
like "$flat" 'wrong.sql:3 refused UPDATE' "in the list, too"
like "$flat" 'pay.sql:5 in full' "the other script is told"
echo 'CREATE TABLE a (id int PRIMARY KEY);; CREATE TABEL b (id int);' >"$work/schema.sql"
rehearse wrong.sql
is "$status" 254 "a schema with a mistake"
like "$err" 'schema.sql' "by its name"
run isostress run --rehearse -w "$work/pay.sql" --schema "$work/schema.sql" memory:
is "$status" 254 "a database that runs no text"
like "$err" 'a rehearsal needs a database that runs your own SQL' "in a sentence"

# Twins draw the same values, so that both miss the label and insert it.
write schema.sql <<'SQL'
CREATE TABLE tag (id serial PRIMARY KEY, label text NOT NULL, made timestamptz DEFAULT now());
SQL
write tag.sql <<'SQL'
\set l random(1, 1000000)
BEGIN;
SELECT count(*) AS there FROM tag WHERE label = 'l:l' \gset
\if :there = 0
  INSERT INTO tag (label) VALUES ('l:l');
\endif
COMMIT;
SQL
run isostress run "$uri" -w "$work/tag.sql" --schema "$work/schema.sql" -c 4 -t 100 -T 0 -P 0 -i "read committed" \
  --invariant 'SELECT count(*) - count(DISTINCT label) FROM tag' --equals 0 --op-delay=1ms -o "$work/runs"
is "$status" 1 "by default some transactions of own SQL are twins: a label of a million is there twice"
