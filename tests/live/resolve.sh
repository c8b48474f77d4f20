#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress run --resolve-unknown behind a proxy that loses answers: which of the
# transactions without an answer to their commit did commit is found out, and
# the level is kept with them.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs mariadb postgresql redis etcd
for driver in postgresql mysql redis etcd; do
  live_needs_driver "$driver" libpq-dev libmariadb-dev libhiredis-dev \
    libcurl4-openssl-dev libjansson-dev
done
plan 28
unset MYSQL_PWD
export HOME=$work

lossy=
trap 'lossy_end; live_stop' EXIT
lossy_end() {
  [ -z "$lossy" ] || kill "$lossy" 2>/dev/null
  lossy=
}
lossy_start() { # lossy_start PORT FIRST EVERY: in front of that port; sets $port
  lossy_end
  : >"$work/lossy"
  "$TOP_BUILDDIR/tests/live/lossy" "$@" >"$work/lossy" </dev/null &
  lossy=$!
  wait_for 60 test -s "$work/lossy" || exit 1
  port=$(line_of "$work/lossy")
}

# What is lost is a matter of luck: some seed will lose answers to commits.
resolves() { # resolves NAME TARGET LEVEL EVERY OPTION...
  local name=$1 target=$2 level=$3 every=$4 port seed
  shift 4
  for seed in {1..20}; do
    lossy_start "$(line_of "$server/0/port")" 300 "$every"
    run isostress run "${target/":$(line_of "$server/0/port")"/":$port"}" -i "$level" \
      --resolve-unknown -t 200 --seed "$seed" "$@" -o "$work/runs"
    ! { [ "$status" = 0 ] &&
      grep -qE '^resolved +.*: [1-9][0-9]* committed' <<<"$out"; } || break
  done
  is "$status" 0 "$name: the level is kept"
  like "$out" '^resolved +.*: [1-9][0-9]* committed' "$name: some committed"
  like "$out" 'connection lost \(' "$name: connections were lost"
  accounted "$name: every attempt is accounted for"
}

live_start mariadb
uri=${server_uri[0]}
resolves MariaDB "$uri" serializable 70
resolves "MariaDB, pipelined" "$uri?pipeline=yes" serializable 20
live_start postgresql
resolves PostgreSQL "${server_uri[0]}" serializable 70
resolves "PostgreSQL, pipelined" "${server_uri[0]}?pipeline=yes" serializable 20
live_start redis
resolves Redis "${server_uri[0]}" watch 40
resolves "Redis, by scripts" "${server_uri[0]/redis:/redis+lua:}" script 20
live_start etcd
resolves etcd "${server_uri[0]}" strict 20
