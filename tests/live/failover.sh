#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress failover: the primary of a cluster is killed under load, and what it
# had acknowledged is looked for at the standby that takes over.  Both standbys
# confirmed each commit, so that none may be missing.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs postgresql-sync
live_needs_driver postgresql libpq-dev
plan 6

# A server that cannot start ends the command; nothing waits for it.
chmod 700 "$work"
if [ "$(id -u)" = 0 ]; then
  ISOSTRESS_SERVERS=$work/servers run timeout 60 isostress failover postgresql-sync --runs 1 -o "$work/runs"
  like "$status $err" '^255 .*cannot enter ' "a server that cannot start is told of"
else skip "a server that cannot start" "all servers run as one user"; fi
chmod 711 "$work"
ISOSTRESS_SERVERS=$work/servers run isostress failover postgresql-sync --runs 1 --time 10s --seed 1 -o "$work/runs" --output json
is "$status" 0 "no write is lost where standbys confirm each commit"
json=$(tr -d ' \n' <<<"$out")
like "$json" '"taken_over":1,"with_losses":0,' "a standby took over"
like "$json" '"workload":"set","taken_over":true,"acknowledged":[1-9][0-9]*,"lost":0,' "after writes that are all there"
like "$json" '"loss_allowed":true,"settings":"fsyncisoff"' "the settings are told"
like "$(<"$work/runs/failover.html")" 'In 0 of 1 failovers acknowledged writes were lost' "the page says it"
