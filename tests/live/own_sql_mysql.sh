#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Transactions of users as they are, on MariaDB: races that are found by file and
# line, their repaired forms, and all of them at SERIALIZABLE; triggers, cascades,
# savepoints, taken keys; and what bypasses triggers.
# KIND=mysql runs the same on MySQL.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
kind=${KIND:-mariadb}
live_needs "$kind"
live_needs_driver mysql libmariadb-dev
plan 58

unset MYSQL_PWD
export HOME=$work
live_start "$kind" innodb-lock-wait-timeout=10
uri=${server_uri[0]} node=$server/0
as_root() { "${kind}_sql" "$node" "$*" 2>>"$work/log"; }
write() { cat >"$work/$1"; } # write FILE: of the work directory, from stdin
own() { # own "SCRIPT,..." OPTIONS...: a run of scripts of the work directory
  local scripts=$work/${1//,/,$work/}
  run isostress run "$uri" -w "$scripts" --schema "$work/schema.sql" -c 4 -t 60 -T 0 -P 0 --op-delay=1ms \
    -o "$work/runs" "${@:2}"
  flat=$(tr -s ' \n' ' ' <<<"$out")
  said=$(tr -s ' \n' ' ' <<<"$err")
}

write schema.sql <<'SQL'
-- As dumps have it; with a semicolon
/*!40101 SET NAMES utf8mb4 */;
CREATE TABLE `customer` (id bigint AUTO_INCREMENT PRIMARY KEY, `full name` varchar(50), email varchar(50) UNIQUE);
CREATE TABLE account (id int PRIMARY KEY, customer_id bigint, balance decimal(10, 2) NOT NULL CHECK (balance > -1000),
  note json, changed timestamp(6) DEFAULT now(6) ON UPDATE now(6), FOREIGN KEY (customer_id) REFERENCES customer (id));
CREATE TABLE job (id bigint AUTO_INCREMENT PRIMARY KEY, state enum('pending', 'done') NOT NULL DEFAULT 'pending', payload text);
CREATE TABLE sent (id bigint AUTO_INCREMENT PRIMARY KEY, job_id bigint NOT NULL, at timestamp DEFAULT now());
CREATE TABLE doctor (name varchar(20) PRIMARY KEY, on_call boolean NOT NULL, left_at datetime(6)); # a comment; too
CREATE TABLE booking (id bigint AUTO_INCREMENT PRIMARY KEY, room varchar(10) NOT NULL, starts_at datetime NOT NULL, ends_at datetime);
CREATE TABLE booked_day (room varchar(10), day int, PRIMARY KEY (room, day));
CREATE TABLE audit (what varchar(20), n int);
INSERT INTO customer (`full name`, email) VALUES ('c\'1;', "a;b"), ('c2', '2'), ('c3', '3');
INSERT INTO account (id, customer_id, balance, note) VALUES (1, 1, 100.5, '{"a": [1, 2]}'), (2, 2, 100.5, '{"a": 2}'), (3, 3, 100.5, NULL);
INSERT INTO job (payload) VALUES ('x'), ('x'), ('x'), ('x'), ('x'), ('x'), ('x'), ('x'), ('x'), ('x');
INSERT INTO job (payload) SELECT a.payload FROM job a, job b;
INSERT INTO doctor VALUES ('alice', true, NULL), ('bob', true, NULL);
INSERT INTO audit VALUES ('pays', 0);
DELIMITER //
CREATE TRIGGER count_up AFTER UPDATE ON account FOR EACH ROW
BEGIN
  UPDATE audit SET n = n + 1 WHERE what = 'pays';
END//
DELIMITER ;
SQL

# A balance that the client computes: decimals, a join.
write pay.sql <<'SQL'
\set a random(1, 3)
\set amount random(1, 90)
BEGIN;
SELECT a.balance AS have, c.`full name` FROM account AS a JOIN customer c ON c.id = a.customer_id WHERE a.id = :a \gset
UPDATE account SET balance = :have - :amount / 100 WHERE id = :a;
COMMIT;
SQL
sed 's/ \\gset/ FOR UPDATE \\gset/' "$work/pay.sql" >"$work/pay_locked.sql"
write job.sql <<'SQL'
BEGIN;
SELECT id FROM job WHERE state = 'pending' ORDER BY id LIMIT 1 \gset
\if :ROW_COUNT > 0
  UPDATE job SET state = 'done', payload = :client_id WHERE id = :id;
  INSERT INTO sent (job_id) VALUES (:id);
\endif
COMMIT;
SQL
sed 's/ \\gset/ FOR UPDATE SKIP LOCKED \\gset/' "$work/job.sql" >"$work/job_skipped.sql"
# Two doctors who each leave because the other one stays.
write leave.sql <<'SQL'
\set who random(0, 1)
BEGIN;
SELECT sum(on_call) AS there FROM doctor \gset
\if :there > 1
  UPDATE doctor SET on_call = false, left_at = now(6) WHERE name = IF(:who, 'alice', 'bob');
\else
  UPDATE doctor SET on_call = true, left_at = NULL WHERE NOT on_call;
\endif
COMMIT;
SQL
sed 's/ \\gset/ FOR UPDATE \\gset/' "$work/leave.sql" >"$work/leave_locked.sql"
write book.sql <<'SQL'
\set day random(10, 28)
BEGIN;
SELECT count(*) AS taken FROM booking b
  WHERE b.room = 'blue' AND b.starts_at < '2026-02-01' AND ends_at > '2026-01-:day' \gset
\if :taken = 0
  INSERT INTO booking (room, starts_at, ends_at) VALUES ('blue', '2026-01-:day', '2026-01-:day' + interval 2 day);
\else
  DELETE FROM booking WHERE room = 'blue' AND starts_at < '2026-02-01';
\endif
COMMIT;
SQL
write book_keyed.sql <<'SQL'
\set day random(1, 40)
INSERT IGNORE INTO booked_day VALUES ('blue', :day);
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
found pay.sql "read committed" 'scripts .*pay.sql:5: (lost update|non-repeatable)' "a balance"
like "$flat" 'A run of pay.sql read account [123] at pay.sql:4, and at pay.sql:5 it' "the story is told in the script's places"
like "$flat" 'judged 1 of 2 statements in full, 1 by rows' "and how much was judged"
silent pay_locked.sql "read committed" "a balance"
found job.sql "read committed" 'scripts .*job.sql:4: lost update' "a job"
silent job_skipped.sql "read committed" "a job"
found leave.sql "repeatable read" 'leave.sql:3: .*(write skew|non-repeatable|causality)' "two doctors"
silent leave_locked.sql "read committed" "two doctors"
found book.sql "read committed" 'scripts .*book.sql:[38]' "a room"
like "$flat" 'judged 3 of 3 statements in full' "judged in full"
silent book_keyed.sql "read committed" "a room"
own pay.sql,book.sql,job.sql,leave.sql,pay_locked.sql,job_skipped.sql,leave_locked.sql -i serializable --check=sser
is "$status" 0 "all of them are strictly serializable at SERIALIZABLE"
unlike "$flat" 'bypassed|ended in errors' "without an error"
own pay.sql -i "repeatable read"
is "$status" 0 "REPEATABLE READ keeps what it promises"
like "$flat" 'not serializable at REPEATABLE READ' "which is not enough for these scripts"
isostress check "$(ls -d "$work"/runs/*-serializable | tail -1)" -l sser >"$work/again" 2>&1
is "$?" 0 "and the history is checked again"

# An invariant is any SELECT of one number.
for scripts in job.sql job_skipped.sql; do
  own "$scripts" -i "read committed" --equals 0 \
    --invariant "SELECT count(*) FROM (SELECT job_id FROM sent GROUP BY job_id HAVING count(*) > 1) twice"
  [ "$scripts" = job.sql ] && broken=1 || broken=0
  is "$status" "$broken" "an invariant is broken by two workers of one job, and kept by the repaired script ($scripts)"
done

# Conditions of many types, with NULL, are those of the database: what is judged
# in full at SERIALIZABLE is kept.
write schema.sql <<'SQL'
CREATE TABLE thing (id int AUTO_INCREMENT PRIMARY KEY, t text, v varchar(8) COLLATE utf8mb4_bin, c char(4), n decimal(6, 2), f float,
  d date, at datetime, b boolean, i int, e enum('z', 'a', 'm'), y blob, g int AS (i + 1) VIRTUAL);
INSERT INTO thing (t, v, c, n, f, d, at, b, i, e, y) VALUES ('B1', 'a 1', 'x1', 0.5, 0.1, '2026-01-02', '2026-01-01 01:00', 0, 1, 'z', x'00ff'),
  ('b2 ', 'a 2', 'x2', 1, 0.2, '2026-01-03', '2026-01-01 02:00', 1, 2, 'a', 'it''s'), (NULL, 'A 3', 'x3', 1.5, 0.3, '2026-01-04', NULL, 0, 3, 'm', NULL),
  ('B4', 'a 4', 'X4', 2, 0.4, '2026-01-05', '2026-01-01 04:00', 1, 4, 'z', ''), ('B5', 'a 5', 'x5', 2.5, 0.5, '2026-01-06', '2026-01-01 05:00', 0, 5, 'a', '\n,\\'),
  (NULL, 'a 6', 'x6', 3, 16777217, '2026-01-07', '2026-01-01 06:00', 1, 6, 'm', NULL);
SQL
write types.sql <<'SQL'
\set i random(1, 9)
\set k random(0, 5)
BEGIN;
SELECT count(*) FROM thing WHERE t < 'b:i' AND n <= :i / 2.0;
SELECT * FROM thing WHERE v >= 'a :i' AND b = true AND i IS NOT NULL FOR UPDATE;
SELECT max(id) AS m, sum(i) FROM thing WHERE t IS NULL AND f > 0.1;
SELECT count(*) FROM thing WHERE c = 'X:i' AND d <> '2026-01-0:i';
SELECT count(*) FROM thing WHERE g <= :i AND e < 'm' AND i < '4x' AND thing.at <= '2026-01-01 0:i:00';
SELECT i, count(*) AS n FROM thing WHERE i > 1 GROUP BY i HAVING count(*) > 0 LOCK IN SHARE MODE;
\if :k = 0
UPDATE thing SET t = NULL, n = n + 0.25, b = NOT b WHERE i = :i;
\elif :k = 1
UPDATE thing SET t = 'b:i', i = 10 - i, y = x'27' WHERE n > 1.25 AND n < :i;
\elif :k = 2
DELETE FROM thing WHERE i > 6 AND t IS NOT NULL;
\elif :k = 3
INSERT INTO thing (t, v, c, n, i, b, e) VALUES ('B:i', 'a :i', 'x:i', :i / 4.0, :i, true, 'a');
\endif
COMMIT;
SQL
for level in serializable "repeatable read" "read committed"; do
  own types.sql -i "$level" -t 80
  is "$status" 0 "conditions of many types keep $level"
done
like "$flat" 'statements in full' "and are judged in full"

# Rows change out of the statements' sight, too: by triggers that change rows
# again or elsewhere, a function, cascades that call no trigger, a savepoint, a
# key that is taken, rows that are replaced.
write schema.sql <<'SQL'
CREATE TABLE parent (id int PRIMARY KEY, n int NOT NULL DEFAULT 0);
CREATE TABLE child (id int PRIMARY KEY, parent_id int, FOREIGN KEY (parent_id) REFERENCES parent (id) ON DELETE CASCADE ON UPDATE CASCADE);
CREATE TABLE total (what varchar(20), n int);
CREATE TABLE like_total LIKE total;
CREATE TABLE copied AS SELECT 1 AS a UNION SELECT 2;
CREATE VIEW seen AS SELECT * FROM total;
DELIMITER $$
CREATE TRIGGER a_count AFTER UPDATE ON parent FOR EACH ROW UPDATE total SET n = n + 1 WHERE what = 'changes'$$
CREATE TRIGGER b_more BEFORE UPDATE ON parent FOR EACH ROW IF NEW.n % 3 = 0 THEN SET NEW.n = NEW.n + 1; END IF$$
CREATE FUNCTION half(i int) RETURNS int MODIFIES SQL DATA
BEGIN
  DECLARE CONTINUE HANDLER FOR 1062 SET @failed = 1;
  UPDATE total SET n = n + 1 WHERE what = 'tries';
  INSERT INTO copied VALUES (i);
  RETURN 1;
END$$
DELIMITER ;
INSERT INTO parent VALUES (1, 0), (2, 0), (3, 0), (4, 0);
INSERT INTO child VALUES (1, 1), (2, 2), (3, 3), (4, 4), (5, 1), (6, 2);
INSERT INTO total VALUES ('changes', 0), ('tries', 0);
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
UPDATE parent SET n = n WHERE id = :p;
UPDATE parent JOIN child ON child.parent_id = parent.id SET parent.n = parent.n + 1 WHERE child.id = :i;
SELECT a FROM copied HAVING a > 1;
REPLACE INTO parent VALUES (:p, :i);
COMMIT;
BEGIN;
DELETE FROM parent WHERE id = :p;
INSERT INTO parent (id) VALUES (:p) ON DUPLICATE KEY UPDATE n = n + 1;
INSERT INTO child VALUES (:i, :p), (100 + :i, :p) ON DUPLICATE KEY UPDATE parent_id = :p;
INSERT INTO child VALUES (:i, 1);
\if :ROW_COUNT = 0
  UPDATE child SET parent_id = :p WHERE id = :i;
\endif
SELECT what, n FROM seen;
INSERT INTO like_total SELECT what, n FROM total LIMIT 1;
COMMIT;
SELECT DISTINCT n FROM parent;
SQL
own odd.sql -i serializable --check=sser
is "$status" 0 "triggers, functions, cascades and savepoints keep strict serializability at SERIALIZABLE"
like "$flat" 'judged .* not judged: .*odd.sql:26 \(DISTINCT\)' "and what is not judged is named"
unlike "$flat" 'ended in errors' "a key that is taken undoes its statement alone"
own odd.sql -i "read committed"
is "$status" 0 "and their promise at READ COMMITTED"

# A change that triggers do not see ends the run without a verdict.
write schema.sql <<'SQL'
CREATE TABLE total (what varchar(20), n int);
INSERT INTO total VALUES ('a', 0), ('b', 0);
SQL
write hidden.sql <<'SQL'
BEGIN;
UPDATE total SET n = n + 1, isostress_0 = 7 WHERE what = 'a';
SET @isostress_log = '';
SELECT n FROM total;
COMMIT;
SQL
own hidden.sql
is "$status" 0 "who names the column of versions does not set it"
as_root "CREATE DATABASE other; CREATE TABLE other.t (i int) ENGINE=InnoDB; GRANT ALL ON other.* TO isostress@'127.0.0.1'"
printf 'INSERT INTO other.t VALUES (1);\n' >"$work/bypass.sql"
own bypass.sql
is "$status" 255 "a script that changes a table of another database ends the run"
like "$said" 'the instrument was bypassed: the statement of bypass.sql:1 changed 1 row, and triggers told of 0' "by its statement"

refused() { # refused SCRIPT-TEXT PATTERN NAME
  printf '%s\n' "SELECT DISTINCT 1;" "$1" >"$work/bad.sql"
  own bad.sql
  is "$status ${err//$work\//}" "254 isostress: bad.sql:2: $2" "$3"
}
refused "TRUNCATE total;" "TRUNCATE changes rows that no trigger sees" "TRUNCATE is refused"
refused "/* a */ RENAME TABLE a TO b;" "a script cannot change the schema while it runs" "and a change of the schema"
refused "CALL p(1);" "a procedure may catch errors, and then nobody says what was undone: write its statements" "and a procedure"
refused "BEGIN; SELECT 1;" "the transaction that begins here has no COMMIT or ROLLBACK" "and a script that never commits"
printf 'INSERT INTO total VALUES (1);\n' >"$work/any.sql"
bad_schema() { # bad_schema TEXT PATTERN NAME
  printf '%b' "$1" >"$work/schema.sql"
  own any.sql
  like "$status ${said//$work\//}" "$2" "$3"
}
bad_schema 'CREATE TABLE a (i varchar(3));\n\nCREATE TABLE b (i int, j intt);\n' \
  '254 isostress: schema.sql:3: the database refused it: .*intt' "an error of the schema has its line"
is "$(as_root "SELECT count(*) FROM information_schema.tables WHERE table_schema = 'isostress'")" 0 "and what it made is gone"
bad_schema 'CREATE TABLE a (i varchar(3)) ENGINE=MyISAM;\n' '254 .*the table a is kept by MyISAM' "tables without transactions are refused"
bad_schema 'USE other; CREATE TABLE a (i varchar(3));' '254 .*schema.sql:1: the run uses the database of the target' "and another database"
as_root "CREATE TABLE isostress.theirs (i int) ENGINE=InnoDB; INSERT INTO isostress.theirs VALUES (1)"
bad_schema 'CREATE TABLE total (n varchar(9));' \
  '255 .*the database isostress has a table theirs that was not made by isostress: scripts as they are need a database of their own' \
  "a database that is not empty is left alone"
is "$(as_root "SELECT i FROM isostress.theirs; DROP TABLE isostress.theirs")" 1 "with what is in it"
# Advice, also at levels that promise nothing that could be checked.
write total.sql <<'SQL'
BEGIN;
SELECT n FROM total WHERE id = 1 \gset
UPDATE total SET n = :n + 1 WHERE id = 1;
COMMIT;
SQL
cp "$work/schema.sql" "$work/before.sql"
write schema.sql <<'SQL'
CREATE TABLE total (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO total VALUES (1, 0);
SQL
run isostress advise --schema "$work/schema.sql" -c 4 -T 500ms --op-delay=1ms -o "$work/advice" "$work/total.sql" "$uri"
flat=$(tr -s ' \n' ' ' <<<"$out")
is "$status" 1 "advice: the default level does not do"
like "$flat" 'ADVICE: REPEATABLE READ, the default, is not enough for these scripts: change total.sql:2, or run everything at SERIALIZABLE\. .* change total.sql:2: SELECT n FROM total WHERE id = 1 FOR UPDATE|change total.sql:3: UPDATE total SET n = n \+ 1 WHERE id = 1, without line 2' \
  "a level and a change were tried"
cp "$work/before.sql" "$work/schema.sql"
as_root "CREATE USER weak@'127.0.0.1' IDENTIFIED BY '$server_password';
  GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, ALTER, REFERENCES, INDEX ON isostress.* TO weak@'127.0.0.1'"
strong=$uri
uri=${uri/\/\/isostress:/\/\/weak:}
own any.sql
like "$status $said" '255 .*the account may not create triggers on total, .*: GRANT TRIGGER' "a missing right is named"
uri=$strong
own any.sql -i serializable
is "$status" 0 "and the database is free for the next run"
# A run that was killed is judged, and its database ranks.
# shellcheck source=tests/killed.sh
. "$TOP_SRCDIR/tests/killed.sh"
killed "$kind" "$uri" "$uri"
run isostress clean "$uri"
is "$status $(as_root "SELECT count(*) FROM information_schema.tables WHERE table_schema = 'isostress'")" "0 0" "clean drops the tables"
