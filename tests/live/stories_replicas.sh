#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Anomalies of replicated servers, brought about step by step (telling.sh): what
# lags is made to, so that nothing is left to chance.
#
# Nothing free that Debian has shows ThinAirRead, FutureRead, NotMyLastWrite and
# NotMyOwnWrite, since a transaction sees its own writes everywhere, nor
# NonMonotonicRead, since it reads one node and no statement goes back: the memory
# driver does (tests/cli/stories.sh).
. "$(dirname "${BASH_SOURCE[0]}")/telling.sh"
live_needs redis-replica postgresql-standby galera etcd-3
live_needs_driver redis libhiredis-dev
live_needs_driver postgresql libpq-dev
live_needs_driver mysql libmariadb-dev
live_needs_driver etcd "libcurl4-openssl-dev libjansson-dev"

# Server, level, script, check, anomaly.  What does not count the order of a session is told
# of two of them.
cases='
redis-replica|watch|redis-replica-stale-read|ser|SessionGuaranteeViolation
redis-replica|watch|redis-replica-stale-read|sser --no-session-order|StaleRead
redis-replica|watch|redis-failover-lost-write|sser|StaleRead
postgresql-standby|repeatable read|postgresql-standby-stale-read|ser|SessionGuaranteeViolation
postgresql-standby|repeatable read|postgresql-standby-stale-read|sser --no-session-order|StaleRead
postgresql-standby|repeatable read|postgresql-standby-long-fork|ser|LongFork
galera|repeatable read|galera-stale-read|ser|SessionGuaranteeViolation
galera|repeatable read|galera-stale-read|sser --no-session-order|StaleRead
galera|repeatable read|galera-lost-update|ser|LostUpdate
galera|serializable|galera-write-skew|ser|WriteSkew
etcd-3|stale|etcd-stale-read|ser|SessionGuaranteeViolation
etcd-3|stale|etcd-stale-read|sser --no-session-order|StaleRead'
plan $(($(grep -c '|' <<<"$cases") * 3 + 1))

start() { # start KIND
  case $1 in
    postgresql-standby)
      live_start "$1" synchronous_commit=local 'synchronous_standby_names=2(*)'
      ;;
    *) live_start "$1" ;;
  esac
}

started=
while IFS='|' read -r kind level script check anomaly; do
  [ -n "$kind" ] || continue
  # A Redis replica is not given back to its primary, and members of etcd take
  # their time to find together again.
  case $kind in
    "$started") ;;
    *) start "$kind" ;;
  esac
  started=$kind
  [[ $kind != redis-* && $kind != etcd-* ]] || started=
  tells "$script-$anomaly" "$anomaly" "$(all_hosts "${server_uri[@]}")" "$level" "$script" \
    "$check" --server "${server##*/}"
done <<<"$cases"

# The default reads of etcd ask the others, and wait until they are there again.
sed -e '/^ops: node [01] resume/d' -e '/^T1: at 2/,/^T1: commit/d' \
  -e '/^T2: commit/s/=>.*/=> aborts/' "$TOP_SRCDIR/configs/steps/etcd-stale-read.steps" >alone.steps
run isostress steps alone.steps "$(all_hosts "${server_uri[@]}")?timeout=1s" -i strict \
  --server "${server##*/}"
is "$status" 0 "a member that is alone answers no read that may not be stale"
