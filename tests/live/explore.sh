#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What isostress explore tells of its programs is seen on real servers at the
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
plan 12

seen_on() { # seen_on TARGET NAME
  for program in stock booking oncall course; do
    run isostress explore -i rc-statement "$program" "$1"
    like "$out" "^seen live, $2.*, read committed: 20 of 20 performances\$" "$program on $2"
  done
}

# With the lock that --repair proposes, the second buyer waits and sees what the
# first one left.
cat >"$work/repaired.steps" <<'END'
# Stock, read for update
setup: "DROP TABLE IF EXISTS stock"
setup: "CREATE TABLE stock (k int PRIMARY KEY, n int)"
setup: "INSERT INTO stock VALUES (1, 1)"
A: begin
B: begin
A: sql "SELECT n FROM stock WHERE k = 1 FOR UPDATE" => "1"
B: sql "SELECT n FROM stock WHERE k = 1 FOR UPDATE" => blocks
A: sql "UPDATE stock SET n = 0 WHERE k = 1"
A: commit
B: resumes => "0"
B: rollback
END
repaired_on() {
  run isostress steps "$work/repaired.steps" "$1" -i "read committed"
  is "$status" 0 "the repaired program on ${1%%:*}"
}

live_start postgresql
pg=${server_uri[0]}
seen_on "$pg" PostgreSQL
repaired_on "$pg"
for program in booking oncall; do
  run isostress explore -i si "$program" "$pg"
  like "$out" '^seen live, PostgreSQL.*, repeatable read: 20 of 20 performances$' \
    "$program at PostgreSQL's snapshot isolation"
done

live_start mariadb
seen_on "${server_uri[0]}" MariaDB
repaired_on "${server_uri[0]}"
