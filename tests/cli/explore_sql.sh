#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress explore on a schema and pgbench scripts: what they are found to do,
# and what is refused.
. "${TOP_SRCDIR:?}/tests/tap.sh"
cd "$work" || exit 1
cp "$TOP_SRCDIR"/configs/programs/*.sql "$TOP_SRCDIR"/configs/programs/*.pgbench .

row() { sed -n "s/^$1  *\([^<]*[^< ]\).*/\1/p" <<<"$out" | tr -s ' '; }
# script NAME: writes stdin as a script.
script() { cat >"$1.pgbench"; }

plan 160

# ---- The installed example

run isostress explore --schema stock.sql buy.pgbench@3 --repair
is "$status" 1 "a look before an update is not serializable"
is "$(row rc-statement)" "21 7 18" "the scripts have these histories and outcomes at rc-statement"
is "$(row si)" "3 3 0" "the scripts have fewer histories at si"
like "$out" '^Would help:  *read article for update in buy\.pgbench:3$' "what helps, with its line"
run isostress explore --schema stock.sql buy.pgbench@3 -i rc-statement memory: --save-steps buy.steps
like "$out" '^Something is read for update: performed on PostgreSQL, MariaDB and MySQL only\.$' "no store without SQL can be told"
like "$(cat buy.steps)" 'sql "SELECT v FROM isostress_story WHERE k = [0-9]* FOR UPDATE" => "0" \(seen\)' "a step script tells the lock"
run isostress explore --schema stock.sql buy-locked.pgbench@3
is "$status" 0 "a lock in all scripts helps"
run isostress explore --schema stock.sql buy.pgbench buy-locked.pgbench
is "$status" 1 "a lock in one of two scripts does not help"

# ---- One UPDATE for a SELECT, an \if and an UPDATE

run isostress explore --schema stock.sql take.pgbench@3 -i rc-statement --repair
like "$out" '^Would help:  *read article for update in take\.pgbench:3$' "a lock would help"
like "$out" '^  *or:  *UPDATE article SET stock = stock - 1 WHERE id = 1 AND stock > 0; for lines 3 to 6 in take\.pgbench$' "one UPDATE is proposed, too"
run isostress explore --schema stock.sql take-atomic.pgbench@3 -i rc-statement
is "$status" 0 "the proposed UPDATE helps"
run isostress explore --schema stock.sql take.pgbench@2 -i rc-statement --repair --output json
is "$(python3 -c 'import json, sys
for r in json.load(sys.stdin)["repairs"]:
  if r["kind"] == "statement": print(r["transaction"], r["line"], r["last_line"], r["statement"])' <<<"$out")" \
  "take_1 3 6 UPDATE article SET stock = stock - 1 WHERE id = 1 AND stock > 0" "in JSON"

# ---- A level for one kind of transaction

like "$(isostress explore --schema stock.sql take.pgbench@3 -i rc-statement --repair)" '^  *or:  *take\.pgbench at si$' \
  "a level helps the script, by the name that was given"
{
  printf 'BEGIN;\nSELECT stock AS seen FROM article WHERE id = 1 \\gset\nCOMMIT;\n'
  cat take.pgbench
} >twice.pgbench
run isostress explore --schema stock.sql twice.pgbench@2 -i rc-statement --repair
like "$out" '^  *or:  *transaction 2 of twice\.pgbench at si$' "of two transactions it says which"
run isostress explore --schema stock.sql take.pgbench@2 --allocate
like "$out" '^Enough: take\.pgbench at ' "so do the levels that are enough"

# proposed LINE...: a script with these lines in one transaction; `got` is the
# UPDATE that is proposed for two of it, or nothing.
proposed() {
  { echo "BEGIN;"; printf '%s\n' "$@"; echo "COMMIT;"; } >proposed.pgbench
  run isostress explore --schema stock.sql proposed.pgbench@2 -i rc-statement --repair
  got=$(sed -n 's/.*\(UPDATE .*\); for lines \(.*\) in .*/\1: \2/p' <<<"$out")
}
proposed 'SELECT stock AS n FROM article WHERE id = 1 \gset old_' 'UPDATE article' \
  'SET stock = :old_n + 2 * (:old_n + 1) WHERE id = 1;'
is "$got" "UPDATE article SET stock = stock + 2 * (stock + 1) WHERE id = 1: 2 to 4" "without a condition"
proposed 'SELECT stock AS n FROM article WHERE id = 1 \gset' '\if :n > 7 or :n = 1' \
  'UPDATE article SET stock = 0 WHERE id = 1;' '\endif'
is "$got" "UPDATE article SET stock = 0 WHERE id = 1 AND (stock > 7 or stock = 1): 2 to 5" "with OR"
select='SELECT stock FROM article WHERE id = 1 \gset' update='UPDATE article SET stock = :stock - 1 WHERE id = 1;'
proposed "$select" "$update" 'UPDATE sold SET articles = :stock WHERE buyer = 0;'
is "$got" "" "none where the value goes elsewhere"
proposed "$select" '\if :stock > 0' "$update" 'UPDATE sold SET articles = 1 WHERE buyer = :client_id;' '\endif'
is "$got" "" "none where the condition decides about more"
proposed "$select" '\if :stock > 0' "$update" '\else' '\endif'
is "$got" "" "none with an \\else"
proposed 'SELECT articles AS n FROM sold WHERE buyer = :client_id \gset' \
  'UPDATE sold SET articles = :n + 1 WHERE buyer = 1 - :client_id;'
is "$got" "" "none for another row"
proposed "$select" '\if :stock' "$update" '\endif'
is "$got" "" "none where SQL would not take the condition"

# ---- Statements

cat >bank.sql <<'END'
CREATE TABLE account (owner bigint, balance int, PRIMARY KEY (owner));
INSERT INTO account (balance, owner) VALUES (100, 1), (-5, 2);
END
script add <<'END'
\set amount 2 + 3 * (1 - 0)
UPDATE account SET balance = balance + :amount WHERE owner = 1;
END
run isostress explore --schema bank.sql add.pgbench@3 -i rc-statement
is "$status $(row rc-statement)" "0 6 1 0" "an UPDATE is atomic"
script transfer <<'SCRIPT'
BEGIN;
UPDATE account SET balance = balance - 1 WHERE owner = 1;
UPDATE account SET balance = balance + 1 WHERE owner = 2;
END;
SCRIPT
run isostress explore --schema bank.sql transfer.pgbench@2 -i rc-statement
is "$status $(row rc-statement)" "0 2 1 0" "transfers keep their order"
script open <<'END'
INSERT INTO account VALUES (3, 7);
END
run isostress explore --schema bank.sql open.pgbench@2 -i rc-statement
is "$status $(row rc-statement)" "0 2 2 0" "two inserts of a row have two orders"
script open_quietly <<'END'
INSERT INTO account VALUES (3, 7) ON CONFLICT DO NOTHING;
DELETE FROM account WHERE owner = 3;
END
run isostress explore --schema bank.sql open_quietly.pgbench@2 -i ser
is "$status" 0 "inserts and deletes"
script branches <<'END'
BEGIN;
SELECT balance AS b FROM account WHERE owner = 2 \gset a_
\if :a_b < 0 and not :a_b = -6
UPDATE account SET balance = 0 WHERE owner = 2;
\else
ROLLBACK;
\endif
COMMIT;
END
run isostress explore --schema bank.sql branches.pgbench@2 -i ser
is "$status $(row ser)" "0 2 2 0" "branches"
script alone <<'END'
SELECT balance FROM account WHERE owner = 1;
SELECT balance FROM account WHERE owner = 1;
END
run isostress explore --schema bank.sql alone.pgbench add.pgbench -i ser
is "$(row ser)" "3 3 0" "statements outside of a transaction are transactions"

# value OPERATIONS VALUE: the SELECT on stdin puts the value into :v, so that the
# script performs so many operations, two of them for the UPDATE.
value() {
  { echo "BEGIN;"; cat
    printf '\\if :v = %s\nUPDATE account SET balance = 0 WHERE owner = 1;\n\\endif\nCOMMIT;\n' "$2"; } >value.pgbench
  run isostress explore --schema many.sql value.pgbench -i ser
  is "$status $(sed -n 's/.*at most \([0-9]*\) operations/\1/p' <<<"$out")" "0 $1" "$(cut -d' ' -f2 value.pgbench | sed -n 2p) is $2"
}
cat >many.sql <<'END'
CREATE TABLE account (owner int PRIMARY KEY, branch int, balance int);
INSERT INTO account VALUES (1, 1, 10), (2, 1, 20), (3, 2, 30), (4, 2, 40);
END
value 6 2 <<<'SELECT COUNT(*) AS v FROM account WHERE branch = 2 \gset'
value 6 4 <<<'SELECT COUNT(owner) AS v FROM account \gset'
value 6 70 <<<'SELECT SUM(balance) AS v FROM account WHERE branch = 2 \gset'
value 6 20 <<<'SELECT MIN(balance) AS v FROM account WHERE NOT balance = 10 \gset'
value 6 40 <<<'SELECT MAX(balance) AS v FROM account WHERE branch = 1 OR owner > 2 \gset'
value 6 30 <<<'SELECT balance AS v FROM account WHERE balance = 20 + 10 AND branch <> 1 \gset'
value 4 1 <<<'SELECT owner AS v FROM account WHERE branch = 1 \gset'
value 3 40 <<<'SELECT balance AS v FROM account WHERE balance > 0 AND owner = 4 \gset'
value 4 40 <<<'SELECT MAX(balance) AS v FROM account WHERE owner >= 3 \gset'

# ---- Rows that come and go

for program in "booking book 3:13:13:3:3" "oncall leave 2:3:3:2:2" "course enrol 3:19:19:6:6"; do
  IFS=': ' read -r schema script copies weak si ser locked <<<"$program"
  run isostress explore --schema "$schema.sql" "$script.pgbench@$copies" -i rc-statement,si,ser
  is "$status $(row rc-statement | cut -d' ' -f1) $(row si | cut -d' ' -f1) $(row ser)" "1 $weak $si $ser $ser 0" "$script"
  run isostress explore --schema "$schema.sql" "$script-locked.pgbench@$copies" -i rc-statement,ser
  is "$status $(row rc-statement)" "0 $locked $locked 0" "$script-locked holds"
done
script late <<'END'
BEGIN;
SELECT balance AS b FROM account WHERE owner = 1 \gset
INSERT INTO account VALUES (:b, 0);
SELECT COUNT(*) FROM account;
COMMIT;
END
run isostress explore --schema bank.sql late.pgbench
like "$status $err" '^254 isostress: late.pgbench:3: account is scanned, so the primary key of a row that is inserted is computed from numbers' \
  "rows that a scan could not know"
script shared <<'END'
BEGIN;
SELECT balance AS b FROM account WHERE owner = 1 FOR SHARE \gset
UPDATE account SET balance = :b WHERE owner = 2;
COMMIT;
END
run isostress explore --schema bank.sql shared.pgbench add.pgbench -i rc-statement
is "$status $(row rc-statement)" "0 2 2 0" "a row for share is not written meanwhile"

# ---- Locks of what is there

cat >guard.sql <<'END'
CREATE TABLE guard (id int PRIMARY KEY, open int);
CREATE TABLE account (owner int PRIMARY KEY, balance int);
INSERT INTO guard VALUES (1, 1);
INSERT INTO account VALUES (1, 5);
END
# guarded STATEMENT: two transactions add to the balance behind the statement.
guarded() {
  script guarded <<END
BEGIN;
$1
SELECT balance AS b FROM account WHERE owner = 1 \gset
UPDATE account SET balance = :b + 1 WHERE owner = 1;
COMMIT;
END
  run isostress explore --schema guard.sql guarded.pgbench@2 -i rc-statement
}
while IFS=: read -r wanted statement; do
  guarded "$statement"
  is "$status $(row rc-statement)" "$wanted" "$statement"
done <<'END'
0 2 2 0:SELECT id FROM guard WHERE id = 1 FOR UPDATE;
1 4 3 2:SELECT id FROM guard WHERE id = 2 FOR UPDATE;
1 4 3 2:SELECT id FROM guard WHERE id = 1 AND open = 0 FOR UPDATE;
0 2 2 0:UPDATE guard SET open = 2 WHERE id = 1;
1 4 3 2:UPDATE guard SET open = 2 WHERE id = 2;
1 4 3 2:UPDATE guard SET open = 2 WHERE id = 1 AND open > 1;
1 4 3 2:DELETE FROM guard WHERE id = 2;
0 2 2 0:INSERT INTO guard VALUES (2, 0) ON CONFLICT DO NOTHING;
1 4 3 2:INSERT INTO guard VALUES (1, 0) ON CONFLICT DO NOTHING;
END
script take <<'END'
UPDATE account SET balance = balance - 3 WHERE owner = 1 AND balance >= 3;
END
run isostress explore --schema guard.sql take.pgbench@3 -i rc-statement
is "$status $(row rc-statement)" "0 3 3 0" "an UPDATE with a condition is atomic"

# ---- What clients are told

cat >visits.sql <<'END'
CREATE TABLE visits (page int PRIMARY KEY, n int NOT NULL, seen int NOT NULL);
INSERT INTO visits VALUES (1, 5, 0);
END
# told STATEMENT: two transactions perform the statement, and count a visit.
told() {
  printf 'BEGIN;\n%s\nUPDATE visits SET n = n + 1 WHERE page = 1;\nCOMMIT;\n' "$1" >told.pgbench
  run isostress explore --schema visits.sql told.pgbench@2 -i rc-statement --repair
}
while IFS=: read -r wanted statement; do
  told "$statement"
  is "$status $(row rc-statement)" "$wanted" "$statement"
done <<'END'
0 4 1 0:INSERT INTO visits VALUES (1, 0, 0) ON CONFLICT DO NOTHING;
0 2 2 0:INSERT INTO visits VALUES (2, 0, 0) ON CONFLICT DO NOTHING;
0 4 1 0:SELECT page FROM visits WHERE page = 1;
0 4 1 0:SELECT seen FROM visits WHERE page = 1;
0 4 1 0:SELECT COUNT(*) FROM visits;
0 4 1 0:SELECT MIN(seen) FROM visits;
0 4 1 0:SELECT COUNT(*) FROM visits WHERE n > 4;
1 4 3 2:SELECT COUNT(*) FROM visits WHERE n > 5;
1 4 3 2:SELECT n FROM visits WHERE page = 1;
1 4 3 2:SELECT SUM(n) FROM visits;
1 4 3 2:SELECT page FROM visits WHERE n = 5;
0 4 1 0:UPDATE visits SET seen = 1 WHERE page = 1 AND n > 6;
1 4 3 2:UPDATE visits SET seen = 1 WHERE page = 1 AND n > 5;
END
script ensure_and_lock <<'END'
BEGIN;
INSERT INTO visits VALUES (1, 0, 0) ON CONFLICT DO NOTHING;
SELECT n FROM visits WHERE page = 1 FOR UPDATE \gset
UPDATE visits SET n = :n + 1 WHERE page = 1;
COMMIT;
END
run isostress explore --schema visits.sql ensure_and_lock.pgbench@2 -i rc-statement --outcomes
is "$status $(row rc-statement)" "0 4 2 0" "ensure the row, lock it, change it"
like "$out" '^  *2  ensure_and_lock1 ensure_and_lock_1\(0\): 0 \[\[5\]\] 1; ensure_and_lock2 ensure_and_lock_1\(1\): 0 \[\[6\]\] 1$' \
  "outcomes are what clients are told"
# The clients are told the same in the order count, raise, but not left the same.
script count <<'END'
BEGIN;
UPDATE visits SET n = n + 1 WHERE page = 1 AND seen = 1;
UPDATE visits SET n = 2 * n + 1 WHERE page = 2;
COMMIT;
END
script raise <<'END'
BEGIN;
UPDATE visits SET seen = 1 WHERE page = 1;
UPDATE visits SET n = 1 WHERE page = 2;
COMMIT;
END
echo 'INSERT INTO visits VALUES (2, 0, 0);' >>visits.sql
run isostress explore --schema visits.sql count.pgbench raise.pgbench -i rc-statement,ser
is "$status $(row rc-statement) $(row ser)" "1 3 3 1 2 2 0" "what is left counts, too"
like "$out" '^level  *histories  outcomes  not serializable$' "no column of assertions where there are none"

# ---- The story names each statement

script raise_seen <<'END'
BEGIN;
SELECT n FROM visits WHERE page = 1 \gset
UPDATE visits
  SET n = :n + 1 WHERE page = 1;
COMMIT;
END
run isostress explore --schema visits.sql raise_seen.pgbench@2 -i rc-statement --explain seen
is "$(python3 -c 'import json; print(json.load(open("seen/report.json"))["verdict"]["found"])')" "{'LostUpdate': 1}" \
  "the page counts the case that it tells, and no read that the client did not see"
wanted='  raise_seen1 raise_seen.pgbench:2  read visits[1] => [1 5 0] (initial)
  raise_seen2 raise_seen.pgbench:2  read visits[1] => [1 5 0] (initial)
  raise_seen2 raise_seen.pgbench:3  read visits[1] for update => [1 5 0] (initial)
  raise_seen2 raise_seen.pgbench:3  write visits[1] [1 6 0]
  raise_seen2 raise_seen.pgbench    commit
  raise_seen1 raise_seen.pgbench:3  read visits[1] for update => [1 6 0] (of raise_seen2 raise_seen.pgbench)
  raise_seen1 raise_seen.pgbench:3  write visits[1] [1 6 0]
  raise_seen1 raise_seen.pgbench    commit'
is "$(grep '^  raise_seen' <<<"$out")" "$wanted" "by script and line"
is "$(grep -c '^\(<pre>\)\?  raise_seen[12] raise_seen\.pgbench' seen/report.html)" 8 "on the page, too, a line each"
unlike "$(<seen/report.html)" 'Another case' "where it is one case"

# ---- InnoDB's repeatable read

cat >dish.sql <<'END'
CREATE TABLE ticket (id int PRIMARY KEY, done int NOT NULL);
CREATE TABLE dish (id int PRIMARY KEY, ticket int NOT NULL, ready int NOT NULL);
INSERT INTO ticket VALUES (1, 0);
INSERT INTO dish VALUES (0, 1, 0), (1, 1, 0);
END
script finish <<'END'
BEGIN;
SELECT ready FROM dish WHERE id = :client_id \gset
SELECT done FROM ticket WHERE id = 1 FOR UPDATE \gset
UPDATE dish SET ready = 1 WHERE id = :client_id;
SELECT SUM(ready) AS n FROM dish WHERE ticket = 1 \gset
\if :n = 2
UPDATE ticket SET done = 1 WHERE id = 1;
\endif
COMMIT;
END
run isostress explore --schema dish.sql --as='mysql:repeatable read' finish.pgbench@2 --repair
is "$status $(row 'REPEATABLE READ')" "1 3 3 1" "a plain sum after a lock sees the snapshot"
like "$out" '^VIOLATION at REPEATABLE READ, ' "the level has the database's name"
run isostress explore --schema dish.sql finish.pgbench@2 -i rc-statement,si,ser
is "$status $(row rc-statement) $(row si | cut -d' ' -f3) $(row ser)" "1 2 2 0 1 2 2 0" "not at read committed"
sed '/SELECT ready/d' finish.pgbench >late_snapshot.pgbench
run isostress explore --schema dish.sql late_snapshot.pgbench@2 -i mysql-rr
is "$status $(row mysql-rr)" "0 2 2 0" "the snapshot begins with the first plain SELECT, behind the lock"
# Where there is no row, locks are of the gap: two transactions may hold it.
script gap <<'END'
BEGIN;
SELECT done FROM ticket WHERE id = 2 FOR UPDATE;
SELECT COUNT(*) AS n FROM dish WHERE ready = 0 \gset
UPDATE dish SET ready = :n WHERE id = :client_id;
COMMIT;
END
run isostress explore --schema dish.sql gap.pgbench@2 -i mysql-rr,rc-statement
is "$status $(row mysql-rr) $(row rc-statement)" "1 3 3 1 3 3 1" "two transactions lock one gap"
sed 's/id = 2/id = 1/' gap.pgbench >row.pgbench
run isostress explore --schema dish.sql row.pgbench@2 -i mysql-rr
is "$status $(row mysql-rr)" "0 2 2 0" "but not one row"

# ---- What changes nothing is taken as people write it

mkdir plain usual
cat >plain/s.sql <<'END'
CREATE TABLE item (id int PRIMARY KEY, n int NOT NULL, m int NOT NULL);
INSERT INTO item VALUES (1, 10, 0), (2, 20, 0), (3, 30, 0);
END
cat >usual/s.sql <<'END'
DROP TABLE IF EXISTS "item";
CREATE TABLE IF NOT EXISTS public."item" (
  `id` int(11) NOT NULL, n integer NOT NULL DEFAULT 0, m bigint NULL DEFAULT NULL,
  KEY by_n (n, m), CONSTRAINT item_pk PRIMARY KEY (id)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT='a; b';
CREATE INDEX item_n ON item (n);
GRANT SELECT ON item TO PUBLIC;
INSERT INTO public.item (id, m, n) VALUES (1, 0, 10), (2, 0, 20), (3, 0, 30);
END
cat >plain/a.pgbench <<'END'
BEGIN;
SELECT id, n, m FROM item WHERE id = 1 \gset
SELECT COUNT(*) AS c FROM item WHERE (n = 10 OR n = 30) AND NOT (m = 7 OR m = 8) \gset
SELECT MAX(n) AS x FROM item WHERE (id >= 1 AND id <= 2) AND NOT (n >= 3 AND n <= 4) \gset
SELECT n AS y FROM item WHERE id = 2 FOR UPDATE \gset
UPDATE item SET n = n + 1, m = m + :c WHERE id = 2 AND n > 5;
UPDATE item SET n = :n + 1 WHERE id = 1;
INSERT INTO item VALUES (:client_id + 10, 1, 2) ON CONFLICT DO NOTHING;
INSERT INTO item VALUES (20, 3, 4); INSERT INTO item VALUES (:client_id + 30, :x, :y);
COMMIT;
DELETE FROM item WHERE id = 3 AND m = 0;
BEGIN; INSERT INTO item VALUES (:client_id + 40, 1, 2); INSERT INTO item VALUES (:client_id + 50, 1, 2); COMMIT;
END
cat >usual/a.pgbench <<'END'
START TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE; SET TRANSACTION ISOLATION LEVEL SERIALIZABLE;
SELECT * FROM item WHERE (id = 1) \gset
SELECT COUNT(1) AS c FROM "item" AS i WHERE i.n IN (10, 30) AND i.m NOT IN (7, 8) \gset
SELECT MAX(x.n) AS x FROM item x WHERE id BETWEEN 1 AND 2 AND x.n NOT BETWEEN 3 AND 4 \gset
SELECT item.n AS y FROM public.item WHERE item.id = 2 ORDER BY id DESC FOR NO KEY UPDATE \gset
UPDATE item i SET n = (1 + n), m = (i.m + :c) WHERE ((i.id) = 2) AND (n > 5);
UPDATE item SET n = (:n + 1) WHERE id IN (1);
INSERT IGNORE INTO item VALUES (:client_id + 10, 1, 2) ON CONFLICT (id) DO NOTHING;
INSERT INTO item VALUES (20, 3, 4), (:client_id + 30, :x, :y);
COMMIT WORK;
DELETE FROM item AS i WHERE i.id = 3 AND i.m = 0;
INSERT INTO item VALUES (:client_id + 40, 1, 2), (:client_id + 50, 1, 2);
END
for level in rc-statement si ser; do
  for form in plain usual; do
    (cd "$form" && isostress explore --schema s.sql a.pgbench@2 -i "$level" >"../$form.txt" 2>&1)
  done
  is "$(grep -c outcome plain.txt) $(grep -E '^[^ ].*(outcome|histor)' usual.txt)" \
    "$(grep -c outcome usual.txt) $(grep -E '^[^ ].*(outcome|histor)' plain.txt)" "the same is explored at $level"
done
if [[ $(isostress list drivers) = *sqlite:* ]]; then
  for form in plain usual; do
    (cd "$form" && isostress run --schema s.sql -w a.pgbench -c 1 -t 4 sqlite:x.db >run.txt 2>&1; echo "$?" >>run.txt
      python3 -c 'import sqlite3
print(sorted(sqlite3.connect("x.db").execute("SELECT id, n, m FROM isostress_item")))' >rows.txt)
  done
  is "$(tail -n 1 usual/run.txt; cat usual/rows.txt)" "$(tail -n 1 plain/run.txt; cat plain/rows.txt)" "and the same is run"
else
  skip 1 "built without SQLite"
fi

# ---- What is refused

refused() { # refused NAME SENTENCE: the script on stdin, after a first line
  { echo "-- a script"; cat; } >bad.pgbench
  run isostress explore --schema bank.sql bad.pgbench
  is "$status ${#out} $(wc -l <.err)" "254 0 2" "$1: status 254, a line, and where the SQL is listed"
  like "$err" "^isostress: bad.pgbench:2: $2" "$1: the sentence"
}
refused "a function" 'avg\(\) cannot be explored; there are COUNT, SUM, MIN and MAX of one column' <<<'SELECT avg(balance) FROM account;'
refused "a column beside a sum" 'columns beside COUNT, SUM, MIN or MAX cannot be explored; use two SELECTs' <<<'SELECT owner, sum(balance) FROM account;'
refused "an UPDATE of several rows" 'WHERE names one row here, by its primary key: WHERE owner = ' <<<'UPDATE account SET balance = 0 WHERE balance < 0;'
refused "a DELETE of several rows" 'WHERE names one row here, by its primary key: WHERE owner = ' <<<'DELETE FROM account WHERE balance = 1 AND owner > 3;'
refused "a lock of several rows" 'FOR UPDATE and FOR SHARE lock one row here, which WHERE names' <<<'SELECT owner FROM account WHERE balance = 1 FOR UPDATE;'
refused "an upsert" 'ON CONFLICT DO NOTHING can be explored; for DO UPDATE use that and an UPDATE' <<<'INSERT INTO account VALUES (1, 2) ON CONFLICT DO UPDATE SET balance = 1;'
refused "another table in front of a column" 'the statement has no table "b"' <<<'SELECT b.balance FROM account a WHERE a.owner = 1;'
refused "the table behind its other name" 'the statement has no table "account"' <<<'SELECT account.balance FROM account a;'
refused "a conflict of another column" 'ON CONFLICT is of the primary key here, which is owner' <<<'INSERT INTO account VALUES (3, 2) ON CONFLICT (balance) DO NOTHING;'
refused "a setting" 'expected TRANSACTION, not "local"' <<<'SET LOCAL lock_timeout = 1;'
refused "a part of a transaction" 'expected ";", not "to"' <<<'BEGIN; ROLLBACK TO a;'
refused "a join" 'joins cannot be explored; use a SELECT for each table' <<<'SELECT balance FROM account, other WHERE owner = 3;'
refused "an unknown table" 'the schema has no table "accounts"' <<<'DELETE FROM accounts WHERE owner = 1;'
refused "an unknown column" 'account has no column "amount"' <<<'UPDATE account SET amount = 1 WHERE owner = 1;'
refused "a changed key" 'a primary key cannot be changed here' <<<'UPDATE account SET owner = 2 WHERE owner = 1;'
refused "a random value of a wide range" 'random\(1, 100000\) has more than 64 values, and each is tried; write a smaller range' <<<'\set x random(1, 100000 * :scale)'
refused "a random value of an unknown range" 'LOW and HIGH of random\(\) are numbers here' <<<'\set x random(1, :client_id)'
refused "a random value of no range" 'random\(2, 1\) has no value; write the lower number first' <<<'\set x random(2, 1)'
refused "an unset variable" ':x has no value here' <<<'DELETE FROM account WHERE owner = :x;'
refused "a text" 'a text has no meaning here; write a number instead of the text$' <<<"UPDATE account SET balance = 'a' WHERE owner = 1;"
refused "a decimal" 'only integers' <<<'UPDATE account SET balance = 1.5 WHERE owner = 1;'
refused "another command" 'expected \\set, \\if, \\else, \\endif or \\gset, not \\sleep; leave it out; every order' <<<'\sleep 1 s'
refused "another statement" 'expected BEGIN, COMMIT, ROLLBACK, SELECT, INSERT, UPDATE or DELETE, not "truncate"; write a DELETE of each row$' <<<'TRUNCATE account;'
refused "an open transaction" 'there is an open transaction already' <<<'BEGIN; BEGIN; COMMIT;'
refused "a commit too much" 'no transaction is open' <<<'COMMIT;'
refused "an \\if outside" '\\if must stand between BEGIN and COMMIT' <<<'\if 1'
refused "an \\endif too much" '\\endif without \\if' <<<'\endif'
refused "a missing value" 'expected a value, not "where"' <<<'UPDATE account SET balance = WHERE owner = 1;'
refused "an insert of too few" 'all 2 columns of account need a value' <<<'INSERT INTO account (owner) VALUES (1);'
echo 'CREATE TABLE t (a int);' >bad.sql
run isostress explore --schema bad.sql add.pgbench
is "$status $(head -1 .err)" "254 isostress: bad.sql:1: t needs a PRIMARY KEY, which identifies its rows; write id int PRIMARY KEY, and number the rows" "a table without a key"
echo 'CREATE TABLE t (a text PRIMARY KEY);' >bad.sql
run isostress explore --schema bad.sql add.pgbench
like "$status $err" '^254 isostress: bad.sql:1: expected int, integer, bigint or smallint, not "text"; write int, and number the texts$' "a column of texts"

# ---- Numbers that the database would give, where each INSERT says them

echo 'CREATE TABLE a (id serial PRIMARY KEY, n int); CREATE TABLE b (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, n int);
CREATE TABLE c (id int GENERATED BY DEFAULT AS IDENTITY (START WITH 5) PRIMARY KEY, n int); CREATE TABLE d (id int(11) NOT NULL AUTO_INCREMENT PRIMARY KEY);
INSERT INTO a VALUES (1, 5);' >numbered.sql
echo 'UPDATE a SET n = n + 1 WHERE id = 1;' >numbered.pgbench
run isostress explore --schema numbered.sql numbered.pgbench@2
is "$status" 0 "columns that the database numbers"
echo 'INSERT INTO a (n) VALUES (1);' >numbered.pgbench
run isostress explore --schema numbered.sql numbered.pgbench@2
is "$status $(grep -c '^isostress: numbered.pgbench:1: ' .err)" "254 1" "an INSERT that leaves the number to it is refused"

# ---- All of it at once, with what to write instead

cat >many.sql <<'END'
CREATE TABLE IF NOT EXISTS log (id uuid PRIMARY KEY);
/* a comment; and one more */
CREATE TABLE item (id int(11) PRIMARY KEY, name varchar(20) NOT NULL, price numeric(10, 2) DEFAULT 0,
  shop int REFERENCES shop (id), UNIQUE (name, shop), at timestamptz,
  PRIMARY KEY (id, shop), FOREIGN KEY (shop) REFERENCES shop (id)) ENGINE=InnoDB;
CREATE INDEX by_name ON item (name);
CREATE TABLE shop (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO shop VALUES (1, NULL);
INSERT INTO item VALUES (1, 'a;b', 1.5, 1);
DROP TABLE old;
END
cat >many.pgbench <<'END'
\set x random_zipfian(1, 2, 1.5)
\sleep 1 ms
START TRANSACTION;
SELECT * FROM shop WHERE id = :x;
SELECT n FROM shop s;
SELECT n FROM shop JOIN item USING (id);
SELECT n FROM shop WHERE id IN (1, 2) \gset
SELECT n FROM shop WHERE n IS NULL;
SELECT n FROM shop LIMIT 1 FOR UPDATE SKIP LOCKED \gset
\if :n > coalesce(:y, 2)
UPDATE shop SET n = 'a;b' WHERE id = 1 RETURNING n \gset
UPDATE shop SET n = n + 1 WHERE id = 1 RETURNING n;
\elif 1
INSERT INTO item VALUES (1, now());
INSERT INTO shop VALUES (:y::int, 3);
\endif
UPDATE shop SET m = 1 WHERE id = 1;
COMMIT;
END
refusals() { # refusals: "FILE:LINE token" of each line of .err
  sed -n 's/^isostress: //; s/^\(many[^ ]*\): .* not "\?\([^";]*\)"\?; .*/\1 \2/p; t; s/^\(many[^ ]*\): \(.*\)/\1 \2/p' .err
}
wanted='many.sql:1 uuid
many.sql:3 varchar
many.sql:3 numeric
many.sql:4 references
many.sql:4 unique
many.sql:4 timestamptz
many.sql:5 a primary key has one column here; write one that numbers the pairs
many.sql:5 foreign
many.sql:8 null'
run isostress explore --schema many.sql many.pgbench@2
is "$status" 254 "a schema and a script as people write them are refused"
is "$(refusals | grep '^many.sql')" "$wanted" "all of the schema at once, with what to write instead"
wanted='many.pgbench:1 random_zipfian
many.pgbench:2 expected
many.pgbench:6 expected
many.pgbench:8 expected
many.pgbench:9 expected
many.pgbench:10 coalesce
many.pgbench:11 a
many.pgbench:12 expected
many.pgbench:13 expected
many.pgbench:15 ":"
many.pgbench:17 shop'
is "$(sed -n 's/^\(many.pgbench:[0-9]*\): \([^ (]*\).*/\1 \2/p' .err)" "$wanted" "all of the script at once, each once"
like "$err" '^`isostress help scripts` lists the SQL that is understood' "and where the SQL is listed"
run isostress run --schema many.sql -w many.pgbench memory:
is "$status $(sed -n 's/^\(many.pgbench:[0-9]*\): \([^ (]*\).*/\1 \2/p' .err)" "254 $wanted" "a run refuses the same lines"
cat >draw.pgbench <<'END'
\set delta random(-1, 0)
\set account random(1, 2 * :scale)
BEGIN;
SELECT balance FROM account WHERE owner = :account \gset
UPDATE account SET balance = :balance + :delta WHERE owner = :account;
COMMIT;
END
run isostress explore --schema bank.sql -i rc-statement draw.pgbench@2
is "$status $(grep -c '^program ' <<<"$out")" "1 16" "each value of random() is explored"
like "$out" '^program +draw.pgbench@2 random_delta_1\[0\]=-1 random_account_2\[0\]=1 random_delta_1\[1\]=-1 random_account_2\[1\]=1: ' "and told"
like "$out" '^random\(\) made 16 programs, one for each combination of its values; [1-9][0-9]* of them may' "and counted"
run isostress explore --schema bank.sql -i rc-statement draw.pgbench@9
like "$status $err" '^254 isostress: draw.pgbench: the values of random\(\) make more than 1024 programs' "too many are refused"
printf 'BEGIN;\n\\if 1\n\\set y 1 2\n\\endif\nCOMMIT;\n' >line.pgbench
run isostress explore --schema bank.sql line.pgbench
is "$(grep -c '^isostress: line.pgbench:3: expected the end of the line, not "2"$' .err) $(wc -l <.err)" "1 2" \
  "a line that goes on is refused alone, and the next command is read"
run isostress explore --schema bank.sql none.pgbench
like "$status $err" '^254 isostress: cannot read none.pgbench: ' "no such script"
run isostress explore --schema bank.sql add.pgbench@0
like "$status $err" '^254 isostress: add.pgbench@0: a number of sessions, 1 to 63, must follow the @' "no sessions"
