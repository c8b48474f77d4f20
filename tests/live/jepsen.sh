#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Jepsen's tests as workloads on PostgreSQL, MariaDB and SQLite: serializable
# keeps what they promise, and weaker levels do not.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs postgresql mariadb
live_needs_driver postgresql libpq-dev
live_needs_driver mysql libmariadb-dev
live_needs_driver sqlite libsqlite3-dev
plan 30

tests='bank comments counter dirty-reads long-fork monotonic sequential set'

kept() { # kept NAME TARGET
  for workload in $tests; do
    stress "$2" -w "$workload" -i serializable -c 4 -t 40 --max-tries 5
    is "$status:$(grep -cE '^model .*: kept, by [0-9]+ reads|^PASS: ' <<<"$out")" 0:2 "$1: $workload is kept at serializable"
  done
}
# Tries until it is broken: whether transactions meet is up to the machine.
broken() { # broken TEXT TARGET WORD OPTION...
  for ((try = 0; try < 10; try++)); do
    stress "$2" -c 8 -t 80 --op-delay 200us "${@:4}"
    [[ $out == *"VIOLATION of the model $3"* ]] && break
  done
  is "$status:$(grep -c "^VIOLATION of the model $3" <<<"$out")" 1:1 "$1"
}

kept SQLite "sqlite:$work/tests.db?busy=5s"

live_start postgresql
target=${server_uri[0]}
kept PostgreSQL "$target"
broken "PostgreSQL: transfers to what was read lose money at read committed" "$target" \
  'bank: WrongTotal' -w bank -i "read committed"
like "$out" "PASS: read committed was kept" "though the level is kept"
stress "$target" -c 4 -t 40 -w bank -i "read committed" --shares=in-place:1,read:1
is "$status:$(grep -c "^model       bank: kept" <<<"$out")" 0:1 "PostgreSQL: transfers in place do not"
broken "PostgreSQL: nor are additions to what was read" "$target" counter: -w counter -i "read committed"
server_stop "$server"

live_start mariadb
target=${server_uri[0]}
kept MariaDB "$target"
broken "MariaDB: read uncommitted shows what was rolled back" "$target" \
  'dirty-reads: DirtyRead' -w dirty-reads -i "read uncommitted"
broken "MariaDB: repeatable read loses money" "$target" 'bank: WrongTotal' -w bank -i "repeatable read"
server_stop "$server"
