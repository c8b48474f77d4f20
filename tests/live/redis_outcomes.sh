#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Starts a Redis, and another one as a cluster of its own, for redis_outcomes.c.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs redis
program=$TOP_BUILDDIR/tests/live/redis_outcomes
if [ ! -x "$program" ]; then
  echo "1..0 # SKIP built without hiredis: apt-get install libhiredis-dev"
  exit 0
fi
live_start redis cluster-enabled=yes
REDIS_CLUSTER_URI=${server_uri[0]}
redis_ask "$server/0" cluster addslotsrange 0 16383 >"$work/said"
cluster_is_up() { redis_ask "$server/0" cluster info | grep -q cluster_state:ok; }
wait_for 60 cluster_is_up
live_start redis enable-debug-command=yes enable-protected-configs=yes
REDIS_URI=${server_uri[0]}
export REDIS_URI REDIS_CLUSTER_URI
"$program"
