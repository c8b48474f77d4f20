#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Transactions of users as they are, in a file of SQLite: what each kind of
# statement is known to read and write, mixes that SQLite has to keep strictly
# serializable, and what a run refuses.
. "${TOP_SRCDIR:?}/tests/tap.sh"

if ! isostress list drivers | grep -q '^sqlite' || ! command -v sqlite3 >/dev/null; then
  echo "1..0 # SKIP needs the sqlite driver and the program sqlite3"
  exit
fi
cd "$work" || exit 1
plan 36

write() { cat >"$1"; } # write FILE: from stdin
own() { # own "SCRIPT,..." FILE OPTIONS...
  run isostress run -w "$1" --schema schema.sql -T 0 -P 0 -o runs "sqlite:$2" "${@:3}"
  flat=$(tr -s ' \n' ' ' <<<"$out")
  said=$(tr -s ' \n' ' ' <<<"$err")
}
history_of_last() { # as text, without times; "?" is the version at first
  isostress convert --to=text runs/latest/history - 2>/dev/null
}

write schema.sql <<'SQL'
PRAGMA foreign_keys = ON;
BEGIN TRANSACTION; -- as .dump has it; with a comment
CREATE TABLE a (id INTEGER PRIMARY KEY, x TEXT UNIQUE COLLATE NOCASE, n REAL);
CREATE TABLE b (p TEXT, q INT, v, PRIMARY KEY (p, q)) WITHOUT ROWID;
CREATE TABLE c (id INT PRIMARY KEY, a_id INT REFERENCES a ON DELETE CASCADE);
CREATE TABLE log (what TEXT);
CREATE VIEW big AS SELECT * FROM a WHERE n > 1;
CREATE TRIGGER log_a AFTER UPDATE ON a BEGIN
  INSERT INTO log VALUES (OLD.x || NEW.x);
END;
INSERT INTO a VALUES (1, 'one', 1), (2, 'two', 2.5), (3, NULL, 3);
INSERT INTO b VALUES ('k', 1, 'v'), ('k', 2, x'00ff'), ('l''', 1, NULL);
INSERT INTO c VALUES (1, 1), (2, 2), (3, 2);
COMMIT;
SQL

# told NAME STATEMENT-OR-STATEMENTS EXPECTED: how the history has them.
told() {
  printf 'BEGIN;\n%s\nCOMMIT;\n' "$2" >one.sql
  own one.sql one.db -c 1 -t 1
  is "$(history_of_last | sed -n 's/^\[\(.*\)\]@.*/\1/p')" "$3" "$1"
}
told "a condition, with what does not satisfy it" "SELECT * FROM a WHERE id = 1;" 'sel a{rank_0_id = 1}: 1@?'
told "rows that are counted" "SELECT count(*) FROM a;" 'sel a{TRUE}: 3@? 1@? 2@?'
told "rows in groups" "SELECT x FROM a GROUP BY x;" 'sel a{TRUE}: 3@? 1@? 2@?'
told "the collation of the column" "SELECT max(n) FROM a WHERE x > 'O';" 'sel a{rank_0_x > 1}: 1@? 2@?'
told "an outer join" "SELECT a.id, c.id FROM a LEFT JOIN c ON c.a_id = a.id WHERE a.id <> 2;" \
  'sel a{id IN (3, 1)}: 3@? 1@?, sel c{id = 1}: 1@?'
told "the rows of a sub-select are not told" "SELECT id FROM a WHERE id IN (SELECT a_id FROM c);" 'sel a{id IN (1, 2)}: 1@? 2@?'
told "a view is not judged, and a part that counts gathers nothing" \
  "SELECT id FROM big; SELECT id, (SELECT count(*) FROM c) FROM a; SELECT v FROM b WHERE p = 'k' AND q > 1;" \
  'sel a{TRUE}: 3@? 1@? 2@?, sel b{rank_0_p = 1 AND rank_1_q > 1}: 1000000001@?'
told "REPLACE deletes both rows that are in its way, and what hangs on them" "INSERT OR REPLACE INTO a VALUES (1, 'TWO', 7);" \
  'del a{id = 1}: 1@?, del c{id = 1}: 1@?, del a{id = 2}: 2@?, del c{id IN (2, 3)}: 2@? 3@?, ins a/1000000000{version=0}'
told "a key without rowid that changes" "UPDATE b SET q = 9 WHERE p = 'l'''; UPDATE b SET v = 'u' WHERE q = 9;" \
  'upd b{rank_0_p = 2}: 1000000002@?{rank_0_p=2,rank_1_q=3}, upd b{rank_1_q = 3}: 1000000002@w1{rank_0_p=2,rank_1_q=3}'
told "what a trigger wrote is deleted" "UPDATE a SET n = 0 WHERE id < 3; DELETE FROM log;" \
  'upd a{rank_0_id < 3 AND rank_0_id > 0}: 1@?{rank_0_id=1} 2@?{rank_0_id=2}, ins log/1000000003{version=0} log/1000000004{version=0}, del log{TRUE}: 1000000003@w2 1000000004@w2'
told "upserts, and rows that IGNORE leaves alone" \
  "INSERT INTO a (x) VALUES ('four'), ('ONE') ON CONFLICT DO NOTHING;
INSERT INTO a (x) VALUES ('FOUR') ON CONFLICT (x) DO UPDATE SET n = 4; UPDATE OR IGNORE a SET x = 'four' WHERE id = 3;" \
  'ins a/4{version=0}, upd a{id = 4}: 4@w1{version=1}, ins log/1000000003{version=0}'
told "what is behind a savepoint is taken back" \
  "SAVEPOINT s; UPDATE a SET n = 9 WHERE id = 1; ROLLBACK TO s; DELETE FROM c WHERE id = 1 RETURNING a_id;" \
  'del c{rank_0_id = 1}: 1@?'
printf 'BEGIN;\nUPDATE a SET n = 1 WHERE id < 3;\nSELECT changes() AS n, total_changes() AS m \\gset\n%s\nCOMMIT;\n' \
  'UPDATE a SET n = :n * 10 + :m WHERE id = 3;' >one.sql
own one.sql one.db -c 1 -t 1
is "$(sqlite3 one.db 'SELECT n FROM a WHERE id = 3')" "24.0" "changes() and total_changes() are those of the script"

# Mixes.  SQLite runs them one after another, so none may be told as broken.
cp schema.sql first.sql
write schema.sql <<'SQL'
CREATE TABLE thing (id INTEGER PRIMARY KEY, t TEXT, c TEXT COLLATE NOCASE, n NUMERIC(6, 2), f REAL, any_thing, i INT, b BLOB);
CREATE TABLE parent (id INTEGER PRIMARY KEY, n INT NOT NULL DEFAULT 0);
CREATE TABLE child (id INTEGER PRIMARY KEY, parent_id INT REFERENCES parent ON DELETE CASCADE ON UPDATE CASCADE);
CREATE TABLE total (what TEXT, n INT, PRIMARY KEY (what)) WITHOUT ROWID;
CREATE TRIGGER count_up AFTER UPDATE ON parent BEGIN
  UPDATE total SET n = n + 1 WHERE what = 'changes';
  UPDATE parent SET n = n + 1 WHERE id = NEW.id AND NEW.n % 3 = 0;
END;
PRAGMA foreign_keys = ON;
WITH RECURSIVE s (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 8)
INSERT INTO thing (t, c, n, f, any_thing, i) SELECT CASE WHEN i % 3 > 0 THEN 'B' || i END, CASE i % 2 WHEN 0 THEN 'x' ELSE 'X' END || i / 2,
  i / 2.0, i / 10.0, CASE i % 3 WHEN 0 THEN i WHEN 1 THEN '' || i ELSE i / 4.0 END, i FROM s;
INSERT INTO parent (id) VALUES (1), (2), (3), (4);
INSERT INTO child SELECT id + 4 * i, id FROM parent, (SELECT 1 AS i UNION SELECT 2);
INSERT INTO total VALUES ('changes', 0);
SQL
write types.sql <<'SQL'
\set i random(1, 9)
\set k random(0, 4)
BEGIN;
SELECT count(*) FROM thing WHERE t < 'B:i' AND n <= :i / 2.0;
SELECT * FROM thing WHERE c = 'x:k' AND i IS NOT NULL;
SELECT max(id) AS m, sum(i) FROM thing WHERE t IS NULL AND f > 0.1;
SELECT count(*) FROM thing WHERE any_thing >= :i AND any_thing <> '3';
SELECT count(*) FROM thing WHERE i > '3' AND t <> 4;
\if :k = 0
UPDATE thing SET t = NULL, n = n + 0.25, any_thing = x'01' WHERE i = :i;
\elif :k = 1
UPDATE thing SET t = 'b:i', i = 10 - i WHERE n > 1.25 AND n < :i;
\elif :k = 2
DELETE FROM thing WHERE i > 6 AND t IS NOT NULL;
\elif :k = 3
INSERT INTO thing (t, c, n, i, any_thing) VALUES ('B:i', 'X:k', :i / 4.0, :i, 'B:i');
\endif
COMMIT;
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
COMMIT;
BEGIN;
DELETE FROM parent WHERE id = :p;
INSERT INTO parent (id) VALUES (:p) ON CONFLICT (id) DO UPDATE SET n = parent.n + 1;
INSERT INTO child VALUES (:i, :p) ON CONFLICT (id) DO UPDATE SET parent_id = excluded.parent_id;
INSERT OR REPLACE INTO child SELECT id + 1, parent_id FROM child WHERE id > 20;
DELETE FROM child WHERE id > 30 RETURNING id;
COMMIT;
SELECT DISTINCT n FROM total;
SQL
for target in mix.db "mix.db?journal=delete" "mix.db?begin=immediate"; do
  own types.sql,odd.sql "$target" -c 4 -t 150 --check=sser
  is "$status" 0 "$target: types, triggers, cascades and savepoints are strictly serializable"
  unlike "$flat $said" 'bypassed|ended in errors' "$target: without an error"
done
like "$flat" 'judged [0-9]+ of 18 statements in full, [0-9]+ by rows, 1 not judged: odd.sql:17 \(DISTINCT\)' "and it is said how much was judged"

# A run refuses this, and leaves it as it was.
cp first.sql schema.sql
printf 'SELECT id FROM a;\n' >one.sql
own one.sql mix.db -c 1 -t 1
is "$status $(sqlite3 mix.db "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'isostress_*'" | xargs)" "2 a b c log" \
  "tables of an earlier run make room"
sqlite3 theirs.db 'CREATE TABLE theirs AS SELECT 1 AS i'
own one.sql theirs.db
is "$status $said$(sqlite3 theirs.db .schema)" \
  "254 isostress: theirs.db has the table theirs, which isostress did not make: name a new file for scripts that run as they are CREATE TABLE theirs(i);" \
  "a file with other tables is left alone"
own one.sql mix.db -i "read uncommitted"
like "$status $said" '^254 .*at the level "read uncommitted" of sqlite nobody could tell' "a level at which versions come too late"
refused() { # refused SCHEMA PATTERN NAME
  printf '%s\n' "CREATE TABLE z (i TEXT);" "$1" >schema.sql
  own one.sql mix.db
  like "$status $said" "^254 isostress: schema.sql:2: $2" "$3"
}
refused "CREATE TABLE z (i);" "the database refused it: table z already exists" "an error of the schema has its line"
refused "PRAGMA journal_mode = wal;" "this PRAGMA is an option of the target" "and a setting that the target has"
cp first.sql schema.sql
printf 'BEGIN;\nUPDATE isostress_version SET writer = 7;\nSELECT id FROM a;\nCOMMIT;\n' >bypass.sql
own bypass.sql mix.db -c 1 -t 1
like "$status $said" '^255 .*the instrument was bypassed: the statement of bypass.sql:2 changed 9 rows' "who changes versions ends the run"
run isostress clean sqlite:mix.db
is "$(sqlite3 mix.db .schema)" "" "clean drops what runs made"

# A run that is killed is judged by the rows that statements came to; in full with an
# empty database.
# shellcheck source=tests/killed.sh
. "$TOP_SRCDIR/tests/killed.sh"
killed sqlite sqlite:killed.db sqlite:empty.db
cp seats.sql schema.sql
own take.sql killed.db -t 5
run isostress rank runs/latest sqlite:empty.db
is "$status $err" "254 isostress: runs/latest: it is no run of scripts that was killed: it has no file seen" \
  "a run that came to its end has nothing to rank"
run isostress rank runs/latest
is "$status" 254 "and a target is needed"
mkdir cut && printf 'isostress seen 1' >cut/seen
run isostress check cut
like "$status $err" '^255 .*cut/seen: the run was killed before its first transaction' "a file without a run is told"
