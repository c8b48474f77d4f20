#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Everything that isostress explore tells of its programs is seen on real servers at the
# level that it says.
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
plan 54

# told NAME TARGET OPTION...: explores at read committed, with repairs.
told() {
  run isostress explore -i rc-statement --repair --repeat 4 --blocked-after 100ms "$@"
}

# A story is seen, and with each repair that explore proposes it is gone.
seen_and_gone() { # seen_and_gone STORY REPAIRS
  like "$out" "^seen live, $name.*, read committed: 4 of 4 performances\$" "$1 is seen on $name"
  is "$(grep -c '^with .*: 4 of 4 performances prevented' <<<"$out")" "$2" "the $2 repairs prevent the story"
}

stories() { # stories TARGET
  told stock "$1"
  seen_and_gone stock 2
  told booking "$1"
  seen_and_gone booking 1
  told oncall "$1"
  seen_and_gone oncall 2
  told course "$1"
  seen_and_gone course 2
  told "$work/lost.program" "$1"
  seen_and_gone "a lost increment" 3
}

scripts() { # scripts TARGET
  local place=$TOP_SRCDIR/configs/programs
  told --schema "$place/stock.sql" "$place/buy.pgbench@2" "$1"
  seen_and_gone buy.pgbench 2
  told --schema "$place/stock.sql" "$place/take.pgbench@2" "$1"
  seen_and_gone take.pgbench 3
  like "$out" '^with one UPDATE for lines 3 to 6: 4 of 4 performances prevented' "an atomic UPDATE prevents the story"
  told --schema "$place/booking.sql" "$place/book.pgbench@2" "$1"
  seen_and_gone book.pgbench 1
  told --schema "$place/oncall.sql" "$place/leave.pgbench@2" "$1"
  seen_and_gone leave.pgbench 1
  told --schema "$place/course.sql" "$place/enrol.pgbench@3" "$1"
  seen_and_gone enrol.pgbench 2
  told --schema "$work/guard.sql" "$work/guarded.pgbench@2" "$1"
  seen_and_gone "a lock of a row that is not there" 3
}

cat >"$work/lost.program" <<'END'
initially x=0
transaction inc; read x into v; write x v + 1; end
session A: inc
session B: inc
finally; read x into v; assert v == 2 "nothing is lost"; end
END

cat >"$work/guard.sql" <<'END'
CREATE TABLE guard (id int PRIMARY KEY);
CREATE TABLE account (owner int PRIMARY KEY, balance int);
INSERT INTO account VALUES (1, 5);
END
cat >"$work/guarded.pgbench" <<'END'
BEGIN;
SELECT id FROM guard WHERE id = 1 FOR UPDATE;
SELECT balance AS b FROM account WHERE owner = 1 \gset
UPDATE account SET balance = :b + 1 WHERE owner = 1;
COMMIT;
END

cat >"$work/dish.sql" <<'END'
CREATE TABLE ticket (id int PRIMARY KEY, done int NOT NULL);
CREATE TABLE dish (id int PRIMARY KEY, ticket int NOT NULL, ready int NOT NULL);
INSERT INTO ticket VALUES (1, 0);
INSERT INTO dish VALUES (0, 1, 0), (1, 1, 0);
END
cat >"$work/finish.pgbench" <<'END'
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
# Locks of two snapshots, of which one waits.
cat >"$work/waits.program" <<'END'
initially x=0, y=0, z=0
transaction a; read x into v for update; read z into w; write y 1; end
transaction b; read x into v for update; read y into w; write z 1; end
session A: a
session B: b
END

live_start postgresql
name=PostgreSQL
pg=${server_uri[0]}
stories "$pg"
scripts "$pg"
for program in booking oncall; do
  run isostress explore -i si "$program" "$pg"
  like "$out" '^seen live, PostgreSQL.*, repeatable read: 20 of 20 performances$' \
    "$program at PostgreSQL's snapshot isolation"
done

run isostress explore -i "repeatable read" --robust "$work/waits.program" "$pg"
like "$out" ' waits$' "the story has a statement that waits"
like "$out" '^seen live, PostgreSQL.*, repeatable read: 20 of 20 performances$' "and PostgreSQL performs it"

live_start mariadb
name=MariaDB
stories "${server_uri[0]}?innodb_snapshot_isolation=on"
scripts "${server_uri[0]}?innodb_snapshot_isolation=on"
told stock "${server_uri[0]}?innodb_snapshot_isolation=off"
like "$out" '^with buy at SERIALIZABLE: 4 of 4 performances prevented' "without it only SERIALIZABLE helps"
unlike "$out" 'buy at REPEATABLE READ' "InnoDB's repeatable read is not proposed"
run isostress explore -i "repeatable read" --schema "$work/dish.sql" "$work/finish.pgbench@2" "${server_uri[0]}?innodb_snapshot_isolation=off"
like "$out" '^VIOLATION at REPEATABLE READ, ' "InnoDB's repeatable read is a level"
like "$out" '^seen live, MariaDB.*, repeatable read: 20 of 20 performances$' "a plain sum behind a lock is seen on MariaDB"
