#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress run on the members of an etcd cluster: pinned and hopping sessions,
# stale reads, and the loss of the leader.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs etcd-3
live_needs_driver etcd "libcurl4-openssl-dev libjansson-dev"
plan 16

live_start etcd-3
all=$(all_hosts "${server_uri[@]}")

# ---- Linearizable and stale reads

enough=800 transactions=120
keeps "$all" strict "pinned sessions keep SSER"
like "$out" "^  127\.0\.0\.1:$(line_of "$server/1/port") .*, of sessions 1, 4, 7$" \
  "each session stays with its member"
keeps "$all" strict "hopping sessions keep SSER" --endpoints hop
like "$out" "^  127\.0\.0\.1:$(line_of "$server/1/port") .*, of sessions 0-7$" "they go round"
finds "$all" stale SessionGuaranteeViolation \
  "hopping sessions miss what they have just written when reads may be stale" \
  --endpoints hop -k 2 --shares rmw1:0.5,ro:0.5 -t 100

# ---- The loss of the leader

leader= # the directory of the member that leads
has_leader() { # while they elect one, there is none
  local number
  stress "$all" -t 1 --check none
  number=$(sed -n 's/^database .*, led by node\([0-2]\)$/\1/p' <<<"$out")
  leader=$server/$number
  [ -n "$number" ]
}

# While the leader is away.
go_on_without() { # go_on_without NAME
  local before
  before=$(progress)
  stress_past $((before + 60))
  is "$?" 0 "$1"
}
come_to_an_end() { # come_to_an_end NAME
  kill -TERM "$stressing"
  stress_wait
  kept_when_stopped "SSER is kept over $1"
  like "$out" 'connection lost \(' "sessions lost their connections ($1)"
  accounted "every attempt is accounted for ($1)"
}

wait_for 60 has_leader
stress_start "$all?timeout=1s" -i strict --endpoints hop -T 0 --max-tries 20
stress_past 100
node_crash "$leader"
go_on_without "sessions go on when the leader is dead"
node_start "$leader"
come_to_an_end "the death of the leader"

# A leader that is stopped answers nothing, and what it was sent may take effect
# when it goes on: then it finds out that it leads no more.
wait_for 60 has_leader
stress_start "$all?timeout=1s" -i strict --endpoints random -T 0 --max-tries 20 \
  --resolve-unknown
stress_past 100
node_signal "$leader" STOP
go_on_without "sessions go on when the leader is stopped"
node_signal "$leader" CONT
come_to_an_end "a stopped leader"
