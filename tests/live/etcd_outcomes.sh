#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Starts three etcds, one of them as a cluster, for etcd_outcomes.c.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs etcd-3
program=$TOP_BUILDDIR/tests/live/etcd_outcomes
if [ ! -x "$program" ]; then
  echo "1..0 # SKIP built without libcurl: apt-get install libcurl4-openssl-dev libjansson-dev"
  exit 0
fi
live_start etcd
ETCD_URI=${server_uri[0]}
live_start etcd quota-backend-bytes=4000000
ETCD_SMALL_URI=${server_uri[0]}
live_start etcd-3
ETCD_CLUSTER_URI=${server_uri[0]}
ETCD_OTHERS="$(node_pid "$server/1") $(node_pid "$server/2")"
export ETCD_URI ETCD_SMALL_URI ETCD_CLUSTER_URI ETCD_OTHERS
"$program"
