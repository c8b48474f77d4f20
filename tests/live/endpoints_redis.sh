#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress run on a Redis primary and its replica: what reading from the replica
# breaks, and the failover to it.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs redis-replica
live_needs_driver redis libhiredis-dev
plan 10

live_start redis-replica
both=$(all_hosts "${server_uri[@]}")
primary=$server/0 replica=$server/1
port=$(line_of "$replica/port")

# ---- Reading from the replica

finds "$both" watch SessionGuaranteeViolation \
  "sessions miss on the replica what they have just written" \
  --endpoints replica-reads -k 10 -t 300
like "$out" "^  127\.0\.0\.1:$port +[0-9]+ = .*, of sessions 0-7$" "all sessions read from the replica"
like "$out" " at 127\.0\.0\.1:$port: it read [a-z]" "the counterexample names it"
stress "$both" -i watch --endpoints replica-reads --no-session-order -k 20 -t 1000
is "$status" 0 "a replica shows an earlier state, which keeps the level without session order"
finds "$both" watch StaleRead "which may be stale" --endpoints replica-reads \
  --no-session-order --check sser --shares rmw1:0.3,ro:0.7 -k 5 -t 500

# ---- Failover

# The replica becomes the primary in mid-run; sessions that hop find it.
promote() {
  node_crash "$primary"
  redis_ask "$replica" replicaof no one >"$work/said"
}
stress_start "$both" -i watch --endpoints hop -T 0 -c 4 --check none
stress_past 100
promote
before=$(progress)
stress_past $((before + 200))
is "$?" 0 "hopping sessions go on at the host that was promoted"
kill -TERM "$stressing"
stress_wait
like "$out" 'other \(READONLY\): ' "a replica that is not yet promoted refuses to write"
accounted "every attempt is accounted for"
