#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# TPC-C and Twitter on PostgreSQL and MariaDB: serializable is kept and leaves
# TPC-C's tables consistent, read committed is not serializable, and each kind of
# transaction may have a level.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
. "$TOP_SRCDIR/tests/tpcc.sh"
live_needs postgresql mariadb
live_needs_driver postgresql libpq-dev
live_needs_driver mysql libmariadb-dev
plan 24

applications() { # applications NAME TARGET
  stress "$2" -w twitter -i serializable -c 4 -t 50
  is "$status" 0 "Twitter on $1"
  like "$out" "^PASS: serializability was kept" "$1: and it is serializable"
  stress "$2" -w tpcc -i serializable -c 4 -t 50
  is "$status" 0 "TPC-C on $1"
  like "$out" "^PASS: serializability was kept" "$1: and it is serializable"
  tpcc_is_consistent "$1"
  stress "$2" -w tpcc-pc -i serializable -c 4 -t 30
  is "$status" 0 "TPC-C without conflicts of conditions on $1"
  stress "$2" -w tpcc -i "read committed" --check=ser -c 6 -t 150
  is "$status" 1 "$1: at read committed it is not"
  stress "$2" -w tpcc --level-of='new-order:serializable,payment:serializable,*:read committed' \
    --check=rc -c 4 -t 50
  is "$status" 0 "$1: a level for each kind of transaction"
  like "$out" "level new-order:serializable,payment:serializable" "$1: which the report names"
}

live_start postgresql
question() { "$(postgresql_program psql)" -qAtX "${server_uri[0]}" -c "$1"; }
applications PostgreSQL "${server_uri[0]}"
server_stop "$server"
live_start mariadb
question() { mariadb_sql "$server/0" "USE isostress; $1" | tail -n 1; }
applications MariaDB "${server_uri[0]}"
server_stop "$server"
