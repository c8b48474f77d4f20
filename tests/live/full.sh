#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Servers whose disk is full in mid-run: what they refuse is counted by their own
# code, nothing of the history is missing, the verdict is right, and sessions go
# on as soon as there is room again.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs postgresql mariadb redis etcd
live_needs_driver postgresql libpq-dev
live_needs_driver mysql libmariadb-dev
live_needs_driver redis libhiredis-dev
live_needs_driver etcd libcurl4-openssl-dev libjansson-dev
plan 35

# The servers' users are to read this.
cp "$TOP_BUILDDIR/tests/live/full_disk.so" "$work" && chmod 711 "$work"

start_on_disk() { # start_on_disk KIND [NAME=VALUE...]: that can be full
  LD_PRELOAD=$work/full_disk.so FULL_DISK=$work/full live_start "$@"
}

disk_is_full() {
  (umask 0 && : >"$work/.full" && mv "$work/.full" "$work/full")
}

# A server that ended for want of room is started again.
disk_has_room() {
  rm -f "$work/full"
  node_alive "$server/0" ||
    LD_PRELOAD=$work/full_disk.so FULL_DISK=$work/full node_start "$server/0"
}

# Whether something did not fit this often.
disk_refused() { # disk_refused COUNT
  [ "$(stat -c %s "$work/full")" -ge "$1" ]
}

# The end of a run; five checks.
ends_well() { # ends_well NAME CHECKED REGEX: of how the server says it
  local name=$1 counts
  kill -TERM "$stressing"
  stress_wait
  kept_when_stopped "$name: the level is kept"
  like "$out" "$3" "$name: the reason is counted"
  accounted "$name: every attempt is accounted for"
  counts=$(grep -m 1 ' count\.$' <<<"$out")
  run isostress check "$results/history" -l "$2"
  is "$status" 0 "$name: the record is complete"
  is "$(grep -m 1 ' count\.$' <<<"$out")" "$counts" "$name: and holds the same"
}

# Starts a run whose server has a full disk until a command has seen what follows,
# and then room again; seven checks.
fills_up() { # fills_up NAME CHECKED REGEX FULL_WHEN TARGET OPTION...
  local name=$1 checked=$2 regex=$3 full_when=$4 before
  shift 4
  stress_start "$@" -T 0
  stress_past 500
  disk_is_full
  $full_when
  is "$?" 0 "$name: there is no room"
  disk_has_room
  before=$(progress)
  stress_past $((before + 200))
  is "$?" 0 "$name: sessions go on when there is room again"
  ends_well "$name" "$checked" "$regex"
}

# ---- Data

data_is_refused() { wait_for 120 disk_refused 20; }

# Lists grow.  The log has a file left to go on in, so that it is the table that
# does not fit.
start_on_disk postgresql autovacuum=off
as_superuser() {
  "$(postgresql_program psql)" -qAtX "${server_admin[0]}" "${@/#/-c}" \
    >"$work/said" 2>&1
}
as_superuser 'SELECT pg_switch_wal()' CHECKPOINT
fills_up "PostgreSQL's table" rc '\(53100\): could not extend file .*: No space left on device' \
  data_is_refused "${server_uri[0]}" -i rc -w append -k 4

# ---- PostgreSQL's log

# It panics, and does not come up again as long as there is no room.
log_is_refused() {
  local tries=600
  while node_alive "$server/0" && ((tries-- > 0)); do
    as_superuser 'SELECT pg_switch_wal()' 'SELECT txid_current()'
    sleep .1
  done
  ! node_alive "$server/0"
}
fills_up "PostgreSQL's log" rc 'connection lost \(' log_is_refused \
  "${server_uri[0]}" -i rc -k 100
server_stop "$server"

# ---- MariaDB

# Transactions of one operation, since a rollback that finds no room ends it.
start_on_disk mariadb innodb-use-native-aio=0
fills_up MariaDB rc "\(1114\): The table 'isostress' is full" data_is_refused \
  "${server_uri[0]}" -i rc -w append -k 4 --ops 1
server_stop "$server"

# ---- Redis

start_on_disk redis appendonly=yes appendfsync=no
fills_up Redis ser '\(MISCONF\): .*: No space left on device' data_is_refused \
  "${server_uri[0]}" -i watch -k 100
server_stop "$server"

# ---- etcd, which has a quota

# A write that it first refuses for want of space, it does all the same, and that is
# seen; so nothing that it answers so is known to have had no effect.

live_start etcd quota-backend-bytes=500000
unknown() { sed -n 's/.* committed, .*, \([0-9]*\) unknown$/\1/p' "$work/.stress.err" | tail -n 1; }
has_unknown() { [ "$(unknown)" -ge "$1" ] 2>/dev/null; } # has_unknown COUNT
is_alarmed() {
  ETCDCTL_API=3 "$(etcd_program etcdctl)" \
    --endpoints="$(line_of "$server/0/client")" alarm list | grep -q NOSPACE
}
stress_start "${server_uri[0]}" -i strict -T 0
wait_for 120 is_alarmed
is "$?" 0 "etcd: there is no room"
wait_for 120 has_unknown 100
is "$?" 0 "etcd: what does not fit is refused"
ends_well etcd sser '\(RESOURCE_EXHAUSTED\): etcdserver: mvcc: database space exceeded'
