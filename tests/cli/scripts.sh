#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs of the user's own transactions: a schema and pgbench scripts.
. "${TOP_SRCDIR:?}/tests/tap.sh"
cd "$work" || exit 1
cp "$TOP_SRCDIR"/configs/applications/* "$TOP_SRCDIR"/configs/programs/*.sql "$TOP_SRCDIR"/configs/programs/*.pgbench .
plan 106

# ---- Write skew, by random load and by exploring

bank=(-w 'withdraw.pgbench@2,pay.pgbench' --schema bank.sql memory: -c 4 -t 200 --threads 1 --seed 1)
run isostress run -v "${bank[@]}" -i ser
is "$status" 0 "the bank keeps serializability"
like "$err" 'isostress explore --schema bank.sql withdraw.pgbench@2 pay.pgbench@2$' "the run names the exploring"
like "$(<results/runs/latest/report.html)" 'isostress explore --schema bank.sql withdraw.pgbench@2 pay.pgbench@2<' \
  "so does its page"
run isostress run -v "${bank[@]}" -i si --check=ser
is "$status" 1 "and breaks it at snapshot isolation"
like "$out" '^VIOLATION: serializability was broken by WriteSkew' "by write skew"
like "$out" 'row account/[01] to balance = -100' "which is told in the schema's words"
run isostress run -v "${bank[@]}" -i si --check=si
is "$status" 0 "which snapshot isolation allows"
run isostress run -v "${bank[@]}" --level-of='withdraw:ser,*:si' --check=recorded
is "$status" 0 "each script may have its own level"
run isostress explore --schema bank.sql withdraw.pgbench@2 pay.pgbench -i si --explain explored
is "$status" 1 "exploring finds it, too"
like "$(<explored/report.html)" 'isostress run --schema bank.sql -w withdraw.pgbench@2,pay.pgbench TARGET<' "its page names the run"
like "$out" '^Under a random load: isostress run --schema bank.sql -w withdraw.pgbench@2,pay.pgbench TARGET$' "and names the run"
run isostress explore --schema bank.sql withdraw.pgbench@2 pay.pgbench -i ser
is "$status" 0 "but not at serializability"
run isostress run -v results/runs/latest/job.ini
is "$status" 0 "the recorded job file runs again"

for pair in booking.sql:book oncall.sql:leave stock.sql:buy stock.sql:take-atomic; do
  run isostress run -v -w "${pair#*:}.pgbench" --schema "${pair%:*}" memory: -c 4 -t 5 --threads 1 --seed 1
  is "$status" 0 "the explored example ${pair#*:} runs"
done

# ---- Statements do what SQL says

cat >all.sql <<'SQL'
CREATE TABLE result (id int PRIMARY KEY, a int NOT NULL, b bigint NOT NULL);
CREATE TABLE line (n int NOT NULL, no int PRIMARY KEY);
INSERT INTO result VALUES (1, 10, 20), (7, 70, 140);
INSERT INTO line (no, n) VALUES (3, 30), (5, -50), (4, 30);
SQL
cat >all.pgbench <<'SQL'
-- One of each.
\set x (2 + 3) * 4 - 7 / 2 % 2
INSERT INTO result VALUES (100, :x, -:x);
BEGIN;
SELECT COUNT(*), SUM(n) AS s, MIN(n), MAX(n), MAX(no) AS key FROM line \gset l_
INSERT INTO result VALUES (101, :l_count, :l_s);
INSERT INTO result VALUES (102, :l_min, :l_max);
INSERT INTO result VALUES (103, :l_key, 0);
SELECT SUM(n) FROM line WHERE n > 1000 \gset
\if :sum > 0 or :sum <= 0
INSERT INTO result VALUES (104, 0, 0);
\else
INSERT INTO result VALUES (105, 0, 0);
\endif
SELECT a, b AS other FROM result WHERE id = 7 FOR UPDATE \gset
UPDATE result SET a = a + :other - 10, b = :a WHERE id = 7;
UPDATE line SET n = 31 WHERE n = 30 AND NOT (no = 4 OR no >= 5) AND no % 2 = 1;
DELETE FROM line WHERE n < 0;
INSERT INTO line VALUES (1, 4) ON CONFLICT DO NOTHING;
INSERT INTO line VALUES (1, 6) ON CONFLICT DO NOTHING;
COMMIT;
BEGIN;
UPDATE result SET a = 0 WHERE id = 1;
\if 1 = 1
ROLLBACK;
\endif
UPDATE result SET a = 1 WHERE id = 1;
COMMIT;
BEGIN;
UPDATE result SET a = 2 WHERE id = 1;
SELECT a FROM result WHERE id = 999 \gset
COMMIT;
BEGIN;
UPDATE result SET a = 3 WHERE id = 1;
\set y 1 / (:x - :x)
COMMIT;
BEGIN;
UPDATE result SET a = 4 WHERE id = 1;
INSERT INTO result VALUES (7, 0, 0);
COMMIT;
\set r random(5, 6)
INSERT INTO result VALUES (200 + :r, :client_id, 0);
SQL
if [[ $(isostress list drivers) = *sqlite:* ]]; then
  run isostress run -v -w all.pgbench --schema all.sql sqlite:all.db -c 1 -t 7 --max-tries 3 --output json
  is "$status" 0 "all statements run, and are checked"
  rows() { python3 -c 'import sqlite3, sys
print(" ".join("/".join(map(str, row)) for row in sqlite3.connect("all.db").execute(sys.argv[1])))' "$1"; }
  is "$(rows 'SELECT id, a, b FROM isostress_result WHERE id BETWEEN 100 AND 110 ORDER BY id')" \
    "100/19/-19 101/3/10 102/-50/30 103/5/0 105/0/0" "values, functions and branches are those of SQL"
  is "$(rows 'SELECT id, a, b FROM isostress_result WHERE id < 100 ORDER BY id')" "1/10/20 7/200/70" \
    "a row changes by what was read; rolled back transactions leave nothing"
  is "$(rows 'SELECT id, n FROM isostress_line ORDER BY id')" "3/31 4/30 6/1" "conditions, deletes and ON CONFLICT DO NOTHING"
  is "$(rows 'SELECT count(*) FROM isostress_result WHERE id IN (205, 206) AND a = 0')" 1 "a random number is in its range"
else
  skip 5 "built without SQLite"
fi
run isostress run -v -w all.pgbench --schema all.sql memory: -c 1 -t 7 --max-tries 3
like "$out" '^attempts    7 = 3 committed [+] 4 aborted' "four transactions choose to roll back, and are tried once"
like "$out" ' 4  rolled back by the client [(]rollback[)]' "which the counts say"
like "$out" '^ +1  all[.]pgbench:[0-9]+: rolled back by the client [(]no row[)]$' "by statement, with the reason"
like "$out" '^ +1  all[.]pgbench:[0-9]+: rolled back by the client [(]the key is taken[)]$' "of each kind"
isostress run -w all.pgbench --schema all.sql memory: -c 1 -t 7 -o placed >/dev/null 2>&1
is "$(python3 -c 'import json, glob
for p in json.load(open(glob.glob("placed/*/report.json")[0]))["run"]["places"]: print(p["count"], p["code"], p["cause"])' | sort | tr '\n' ';')" \
  "1 ROLLBACK rolled back by the client;1 a value cannot be computed rolled back by the client;1 no row rolled back by the client;1 the key is taken rolled back by the client;" \
  "the report has a list of them"
isostress run -v -w all.pgbench --schema all.sql memory: -c 3 -t 70 --seed 4 --threads 1 >1.txt 2>&1
isostress run -v -w all.pgbench --schema all.sql memory: -c 3 -t 70 --seed 4 --threads 1 >2.txt 2>&1
is "$(grep ^attempts 1.txt)" "$(grep ^attempts 2.txt)" "a seed makes the same run"

# ---- Invariants

cat >move.pgbench <<'SQL'
BEGIN;
\set n random(1, 50)
SELECT balance FROM account WHERE id = 0 \gset a_
SELECT balance FROM account WHERE id = 1 \gset b_
UPDATE account SET balance = :a_balance - :n WHERE id = 0;
UPDATE account SET balance = :b_balance + :n WHERE id = 1;
COMMIT;
SQL
move=(isostress run -v -w move.pgbench --schema bank.sql memory: -c 4 -t 200 --threads 1 --seed 1)
sum='SELECT SUM(balance) FROM account'
run "${move[@]}" -i ser --invariant "$sum" --equals 200
is "$status" 0 "serializability keeps the sum"
like "$out" '^invariant   SELECT SUM\(balance\) FROM account = 200: seen by 2[0-9] transactions$' "which was asked for again and again"
like "$out" '^attempts    8[0-9]* = ' "questions are no transactions of the figures"
run "${move[@]}" -t 60 -i rc --check=rc --invariant "$sum" --equals 200
is "$status" 1 "read committed loses some of it"
like "$out" '^VIOLATION of the invariant: SELECT SUM\(balance\) FROM account was -?[0-9]+, not 200, first 0[.][0-9]+ s after' "the report says when and what"
like "$out" '^PASS: read committed was kept' "though the level is kept"
run "${move[@]}" -i rc --check=none --invariant "$sum" --equals 200 --output json
is "$status $(python3 -c 'import json, sys
i = json.load(sys.stdin)["run"]["invariant"]
print(i["equals"], 0 < i["broken"] <= i["checked"], i["first"] != 200, i["time_ns"] > 0)' <<<"$out")" \
  "1 200 True True True" "and so do the figures"
run "${move[@]}" -i ser --invariant 'SELECT SUM(balance) FROM account WHERE id > 7' --equals 0
like "$status $out" 'FROM account WHERE id > 7 was NULL, not 0' "the sum of no row is none"
run "${move[@]}" -i ser --invariant 'SELECT balance FROM account WHERE id = 1 AND balance > -999' --equals -999
like "$out" 'id = 1 AND balance > -999 was -?[0-9]+, not -999' "a column of one row is a number"
for several in 'SELECT balance FROM account' 'SELECT balance FROM account WHERE id >= 0' \
  'SELECT balance FROM account WHERE id = 1 OR id = 0'; do
  run "${move[@]}" --invariant "$several" --equals 100
  like "$status $err" '^254 isostress: .* is a number of each row that it finds' "one of several rows is none: $several"
done
run isostress run -v -w tpcc memory: -c 2 -t 20 --threads 1 --seed 1 --invariant 'SELECT COUNT(*) FROM warehouse' --equals 1
is "$status" 0 "the tables of a workload have invariants, too"
for bad in 'SELECT balance, id FROM account' 'UPDATE account SET balance = 1 WHERE id = 1;' "$sum; $sum"; do
  run "${move[@]}" --invariant "$bad" --equals 200
  like "$status $err" '^254 isostress: an invariant is one SELECT of one number' "no invariant: $bad"
done
if [[ $(isostress list drivers) = *sqlite:* ]]; then
  sqlite=(isostress run -v -w move.pgbench --schema bank.sql sqlite:bank.db -c 4 --seed 1 -t 20)
  run "${sqlite[@]}" --invariant 'SELECT a.balance + b.balance FROM account a JOIN account b ON a.id = 0 AND b.id = 1' --equals 200
  like "$out" 'b.id = 1 = 200: seen by [0-9]+ transactions$' "a database takes its own SQL, under the names of the schema"
  run "${sqlite[@]}" --invariant 'WITH x AS (SELECT AVG(balance) m FROM account) SELECT m + 0.5 FROM x' --equals 100
  like "$out" '^VIOLATION of the invariant: .* was 100.5, not 100' "and says a number that is not whole"
  run "${sqlite[@]}" --invariant 'SELECT AVG(balance) FROM account x' --equals 100
  is "$status" 0 "100.0 is 100"
  run "${sqlite[@]}" --invariant 'SELECT balance FROM account LIMIT 2' --equals 100
  like "$status $err" '^255 isostress: the invariant "SELECT balance .*" is 100 100, and not one number' "two rows are no number"
  for refused in 'SELECT SUM(ballance) x FROM account' 'UPDATE account SET balance = 1' 'SELECT 1; SELECT 2'; do
    run "${sqlite[@]}" --invariant "$refused" --equals 200
    like "$status $err" '^255 isostress: the database refused the invariant "' "the database refuses it before the run: $refused"
  done
else
  skip 7 "built without SQLite"
fi
run "${move[@]}" --invariant "$sum" --equals ten
like "$status $err" '^254 .*equals needs a whole number of 64 bits, not "ten"' "an invariant that is no number"
run "${move[@]}" --invariant "$sum"
like "$status $err" '^254 .*invariant and equals go together' "an invariant without its number"
run isostress run -v -w mt memory: --invariant "$sum" --equals 200
like "$status $err" '^254 .*an invariant is about tables of rows, which the workload mt has none of' "a workload without tables"

# ---- Twins

cat >label.sql <<'SQL'
CREATE TABLE label (id int PRIMARY KEY, name int NOT NULL);
INSERT INTO label VALUES (1, 0);
SQL
cat >get.pgbench <<'SQL'
\set name random(1, 1000000)
\set id random(1, 1000000000)
BEGIN;
SELECT COUNT(*) AS n FROM label WHERE name = :name \gset
\if :n = 0
INSERT INTO label VALUES (:id * 16 + :client_id, :name);
\endif
COMMIT;
SQL
get=(isostress run -v -w get.pgbench --schema label.sql memory: -i si --check=ser -c 4 -t 100 --threads 1 --seed 1)
run "${get[@]}"
is "$status" 0 "sessions hardly ever look for the same label"
run "${get[@]}" --twins 50%
like "$out" '^VIOLATION: serializability was broken by PhantomWriteSkew' "twins do, and both insert it"

# ---- What cannot be run is refused, and nothing is touched

rm -rf results
refused() { # refused SCRIPT REGEX NAME
  printf '%s\n' "$1" >bad.pgbench
  run isostress run -v -w bad.pgbench --schema all.sql memory:
  is "$status" 254 "refused: $3"
  like "$err" "$2" "$3"
}
refused 'SELECT 1;' '^isostress: bad.pgbench:1: ' "no table"
refused $'BEGIN;\nSELECT now() FROM line;' 'bad.pgbench:2: now\(\) cannot' "a function"
refused $'-- x\nUPDATE result SET a = a * 2 WHERE id = 1;' 'bad.pgbench:2: a run can SET a = a value, a [+] a value or a - a value' "a product of a column"
refused 'UPDATE result SET a = b + 1 WHERE id = 1;' 'bad.pgbench:1: a run sends numbers and variables here, no column: "b"' "another column"
refused 'SELECT a FROM result WHERE a + b = 3;' 'bad.pgbench:1: a run compares a column with a value here: COLUMN = VALUE; not "[+]"' "a condition on a sum"
refused 'SELECT a FROM result WHERE 3 = a;' 'bad.pgbench:1: a comparison begins with a column of result here' "a value before its column"
refused 'SELECT a FROM result WHERE id = 1 FOR SHARE;' 'bad.pgbench:1: FOR SHARE cannot be run; use FOR UPDATE' "a shared lock"
refused '\sleep 1' 'bad.pgbench:1: expected .*, not .sleep; leave it out' "another command"
run isostress run -v -w all.pgbench memory:
like "$status $err" '^254 .*scripts need --schema=FILE' "scripts need a schema"
run isostress run -v -w mt --schema all.sql memory:
like "$status $err" '^254 .*schema goes with a workload of scripts' "a schema needs scripts"
echo 'CREATE TABLE t (k int PRIMARY KEY, wid int NOT NULL);' >bad.sql
run isostress run -v -w all.pgbench --schema bad.sql memory:
like "$status $err" '^254 isostress: bad.sql:1: t cannot have a column wid in a run' "a column of the recorder's"
echo 'CREATE TABLE t (k int PRIMARY KEY); INSERT INTO t VALUES (1), (2), (1);' >bad.sql
run isostress run -v -w all.pgbench --schema bad.sql memory:
like "$status $err" '^254 isostress: bad.sql:1: t has a row of the key 1 twice' "a key twice"
run isostress run -v -w all.pgbench,./all.pgbench --schema all.sql memory:
like "$status $err" '^254 .*there is a script all already' "a name twice"
run isostress run -v -w missing.pgbench --schema all.sql memory:
like "$status $err" '^254 .*cannot read missing.pgbench: No such file' "a script that is not there"
is "$(ls -d none.db results 2>/dev/null)" "" "and nothing was made"

# ---- Own scripts are held against serializability, whatever was promised

printf 'CREATE TABLE stock (id int PRIMARY KEY, n int NOT NULL);\nINSERT INTO stock VALUES (1, 1000000);\n' >stock.sql
printf 'BEGIN;\nSELECT n FROM stock WHERE id = 1 \\gset\nUPDATE stock SET n = :n - 1 WHERE id = 1;\nCOMMIT;\n' >sell.pgbench
sell=(-w sell.pgbench --schema stock.sql memory: -c 4 -t 100 --threads 1 --seed 1)
run isostress run memory: --schema stock.sql sell.pgbench
is "$status $err" \
  "254 isostress: sell.pgbench is no job file; a script of transactions is given as -w sell.pgbench, and its tables as --schema FILE" \
  "a script in the place of a job file"
run isostress run memory: -t 50 --threads 1 --seed 1 --check rc
like "$out" '^PASS: The built-in store kept read committed in this run\.$' \
  "a check of less than the level promises is not called the promise"
run isostress run "${sell[@]}" -i rc
is "$status" 0 "the store kept its promise"
flat=$(tr -s ' \n' ' ' <<<"$out")
like "$flat" "^PASS: The built-in store kept its promise in this run. But these scripts are not serializable at rc: lost update in [0-9,]+ writes?. si rules that out\." \
  "the first line says that the scripts are not serializable, why, and what rules that out"
latest=results/runs/latest
is "$(python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); o = d["own_scripts"]
print(d["verdict"]["verdict"], o["serializable"], o["ruled_out_from"], d["beyond"]["counterexample"]["anomaly"])
print([(s["place"], s["executed"], [(f["anomaly"], f["ruled_out_from"]) for f in s["findings"]]) for s in o["statements"]])
print(o["changes"])' $latest/report.json)" \
  "pass violation si LostUpdate
[('sell.pgbench:2', 400, []), ('sell.pgbench:3', 400, [('LostUpdate', 'si')])]
[{'place': 'sell.pgbench:3', 'text': 'UPDATE stock SET n = n - 1 WHERE id = 1;'}]" "the report says so, and which line of which script"
case='Two runs of sell.pgbench both read n = ([0-9]+) of stock 1, and both wrote ([0-9]+)\.'
like "$flat" " The smallest case: $case " "the case is told in the script's own names"
[[ $flat =~ $case ]]
is "$((BASH_REMATCH[1] - 1))" "${BASH_REMATCH[2]}" "with the numbers of two runs of the script"
like "$flat" ' scripts sell\.pgbench:3: lost update.*, none from si on judged 2 of 2 statements in full' \
  "script, line, anomaly, level, and how much was judged"
page=$(<$latest/report.html)
like "$page" "<h1>$case The built-in store.s level rc allows that.</h1>" "the page leads with it"
like "$page" "<title>$case The built-in store&#39;s level rc allows that.</title>" "so does its tab"
like "$(sed -n '/id="prevents"/,/<\/section>/p' <<<"$page" | paste -sd " ")" '<li>si rules out the lost update\.</li>.*<code>sell.pgbench:3</code>.*<code>UPDATE stock SET n = n - 1 WHERE id = 1;</code>' \
  "it says what prevents it, with the statement to write instead"
like "$(sed -n '/id="judged"/,/<\/section>/p' <<<"$page" | paste -sd " ")" '>sell.pgbench:2<.*<code>SELECT n FROM stock WHERE id = 1</code>.*found by its key.*>400<.*>none<.*>sell.pgbench:3<.*lost update' \
  "and how each statement was judged"
like "$page" "Do <b>sell</b>, run at <b>level rc</b>, have the same result as if the transactions ran one after another" \
  "it says what was asked"
like "$page" "What the built-in store promises at this level was kept" "and that the promise was kept"
printf 'CREATE TABLE stock (id int PRIMARY KEY, n int NOT NULL);\nINSERT INTO stock VALUES (1, 50), (2, 50);\n' >two.sql
printf 'BEGIN;\nUPDATE stock SET n = n + 1 WHERE id = 1;\nUPDATE stock SET n = n - 1 WHERE id = 2;\nCOMMIT;\n' >shift.pgbench
printf 'BEGIN;\nSELECT n FROM stock WHERE id = 1;\nSELECT n FROM stock WHERE id = 2;\nCOMMIT;\n' >both.pgbench
run isostress run "memory:?bug=AbortedRead:0.2" -c 6 -t 200 --seed 3 --schema two.sql -w shift.pgbench,both.pgbench -i ser
like "$(tr -s ' \n' ' ' <<<"$out")" \
  '^VIOLATION: A run of (shift|both)\.pgbench saw the change of a run of shift\.pgbench to stock [12], which was rolled back\.' \
  "a read of what was rolled back is told in the scripts' own names"
printf 'BEGIN;\nSELECT n AS a FROM stock WHERE id = 1 \\gset\nSELECT n AS b FROM stock WHERE id = 2 \\gset\nUPDATE stock SET n = :a - 1 WHERE id = 1;\nUPDATE stock SET n = :b + 1 WHERE id = 2;\nCOMMIT;\n' >move.pgbench
run isostress run -w move.pgbench --schema two.sql memory: -c 4 -t 100 --threads 1 --seed 1 -i rc \
  --invariant 'SELECT SUM(n) FROM stock' --equals 100
is "$status" 1 "a broken invariant is no success"
told='SELECT SUM\(n\) FROM stock was [0-9]+, not 100\. [A-Z].* runs? of move\.pgbench .*allows that\.'
like "$(tr -s ' \n' ' ' <<<"$out")" "^VIOLATION: $told read committed: .* invariant SELECT SUM\(n\) FROM stock was .* transactions saw another number " \
  "it leads, and the case follows"
like "$(<$latest/report.html)" "<h1>$told</h1>" "on the page, too"
case='Two runs of get\.pgbench each wrote a row that the search of the other one had missed: label [0-9]+ and label [0-9]+\.'
run isostress run -w get.pgbench --schema label.sql memory: -i si -c 4 -t 100 --threads 1 --seed 1 --twins 50%
like "$(tr -s ' \n' ' ' <<<"$out")" " The smallest case: $case " "a phantom is told in the scripts' own names, without a picture, too"
like "$(<$latest/report.html)" "<h1>$case The" "and on the page"
printf 'CREATE TABLE stock (id int PRIMARY KEY, n int NOT NULL);\nINSERT INTO stock VALUES (1, 50), (2, 50), (3, 50);\n' >three.sql
printf '\\set a random(1, 3)\nBEGIN;\nSELECT n FROM stock WHERE id = :a \\gset\nUPDATE stock SET n = :n WHERE id = :a %% 3 + 1;\nCOMMIT;\n' >ring.pgbench
run isostress run -w ring.pgbench --schema three.sql memory: -i si -c 12 -t 60 --threads 1 --seed 1
like "$(tr -s ' \n' ' ' <<<"$out")" \
  ' The smallest case: Three runs of ring\.pgbench, in a ring, each changed what the next one had just read: stock [1-3], stock [1-3] and stock [1-3]\.' \
  "a write skew of three"
cat >role.pgbench <<'SQL'
BEGIN;
\if :client_id < 2
UPDATE stock SET n = n + 1 WHERE id = :client_id + 1;
\else
SELECT n FROM stock WHERE id = :client_id - 1;
SELECT n FROM stock WHERE id = 4 - :client_id;
\endif
COMMIT;
SQL
role=(-w role.pgbench --schema two.sql memory: -i rc -c 4 -t 60 --threads 1)
run isostress run "${role[@]}" --seed 3
like "$(tr -s ' \n' ' ' <<<"$out")" \
  ' The smallest case: A run of role\.pgbench saw what a run of role\.pgbench did to stock [12], and not what one of role\.pgbench did to stock [12]; a run of role\.pgbench saw them the other way round\.' \
  "a long fork"
run isostress run "${role[@]}" --seed 5
like "$(tr -s ' \n' ' ' <<<"$out")" \
  ' The smallest case: A run of role\.pgbench missed what an earlier run of role\.pgbench in the same session had done to stock [12]\.' \
  "a session that went back"
printf '\\set i random(1, 2)\nUPDATE stock SET n = n + 1 WHERE id = :i;\n' >one.pgbench
run isostress run -w one.pgbench --schema two.sql memory: -i rc -c 12 -t 60 --threads 1 --seed 1
like "$(tr -s ' \n' ' ' <<<"$out")" \
  ' The smallest case: Two runs of one\.pgbench both changed stock [12], and neither saw what the other did to it\.' \
  "two changes without a look"
run isostress run "${sell[@]}" -i si
is "$status" 0 "snapshot isolation prevents it"
like "$(tr -s ' \n' ' ' <<<"$out")" "^PASS: .* The scripts ran as if one after another, too: serializability was kept\." "and the run says that"
run isostress run "${sell[@]}" -i rc --check=ser
is "$status" 1 "asked for serializability, the same run fails"
