#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Each driver that needs a server, briefly: a run of each workload, pipelined
# where that can be, and one whose server crashes in mid-run.  What the
# sanitizers are given to look at; the other tests of this directory look closer.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs postgresql mariadb redis etcd
for driver in postgresql mysql redis etcd; do
  live_needs_driver "$driver" libpq-dev libmariadb-dev libhiredis-dev \
    libcurl4-openssl-dev libjansson-dev
done
plan 54
unset MYSQL_PWD
export HOME=$work

# The findings of a sanitizer are on stderr, whatever the exit status.
brief() { # brief NAME TARGET LEVEL OPTION...
  local name=$1 target=$2 level=$3
  shift 3
  stress "$target" -i "$level" -t 100 --resolve-unknown "$@"
  is "$status" 0 "$name"
  unlike "$err" 'Sanitizer|runtime error' "$name: nothing is found"
}

briefly() { # briefly NAME TARGET LEVEL CHECKED [OPTION-OF-TARGET]
  local name=$1 target=$2 level=$3 checked=$4 piped=${5:-}
  brief "$name, mt" "$target" "$level"
  brief "$name, append" "$target" "$level" "${append[@]}"
  [ -z "$piped" ] || brief "$name, pipelined" "$target?$piped" "$level"
  survives_crash "$server/0" "$target" "$level" "$checked"
  unlike "$err" 'Sanitizer|runtime error' "$name, crashed: nothing is found"
  server_stop "$server"
}

live_start postgresql
briefly PostgreSQL "${server_uri[0]}" serializable ser pipeline=yes
live_start mariadb
briefly MariaDB "${server_uri[0]}" serializable ser
# Every second: Redis answers before it writes while the disk is busy.
live_start redis appendonly=yes appendfsync=no
briefly Redis "${server_uri[0]}" watch ser pipeline=yes
live_start redis
brief "Redis, by scripts" "${server_uri[0]/redis:/redis+lua:}" script
server_stop "$server"
live_start etcd
briefly etcd "${server_uri[0]}" strict sser
