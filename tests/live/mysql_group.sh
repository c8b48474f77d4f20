#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The mysql driver on a group of three MySQL servers that all take writes: a
# conflict of their commits, for certain and under load.  Part of make check-long,
# which gets the server.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs mysql-group
live_needs_driver mysql libmariadb-dev
plan 3

unset MYSQL_PWD
export HOME=$work
live_start mysql-group replica-parallel-workers=1
mysql_sql "$server/0" "$boss"
MY_URI=${server_uri[0]} MY_URI_1=${server_uri[1]} \
  run "$TOP_BUILDDIR/tests/live/mysql_group"
is "$status" 0 "mysql_group"
[ "$status" = 0 ] || printf '%s\n' "$out" | sed 's/^/# /'

uri=$(all_hosts "${server_uri[@]}")
stress "$uri" -i "read committed" --max-tries 100 -t 200
is "$status" 0 "read committed is kept across members"
like "$out" "^ +[0-9]+  serialization failure \(3101\)" "their commits conflict"
