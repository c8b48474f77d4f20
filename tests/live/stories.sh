#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Anomalies of single servers, brought about step by step (telling.sh).
. "$(dirname "${BASH_SOURCE[0]}")/telling.sh"
live_needs postgresql mariadb redis
live_needs_driver postgresql libpq-dev
live_needs_driver mysql libmariadb-dev
live_needs_driver redis libhiredis-dev

# Server, level, script, anomaly.
cases='
postgresql|read committed|non-repeatable-reads|NonRepeatableReads
postgresql|read committed|g-single|FracturedRead
postgresql|read committed|causality-violation|CausalityViolation
postgresql|read committed|long-fork|LongFork
postgresql|read committed|p4|LostUpdate
postgresql|repeatable read|g2-item|WriteSkew
mariadb|read uncommitted|g1a|AbortedRead
mariadb|read uncommitted|g1b|IntermediateRead
mariadb|read uncommitted|g1c|G1c
mariadb|read uncommitted|otv|FracturedRead
mariadb|read committed|non-repeatable-reads|NonRepeatableReads
mariadb|read committed|g-single|FracturedRead
mariadb|read committed|causality-violation|CausalityViolation
mariadb|read committed|long-fork|LongFork
mariadb|read committed|p4|LostUpdate
mariadb|repeatable read|p4|LostUpdate
mariadb|repeatable read|g2-item|WriteSkew
mariadb-snapshot|repeatable read|g2-item|WriteSkew
redis|multi|p4|LostUpdate
redis|multi|g2-item|WriteSkew
sqlite|read uncommitted|g1a|AbortedRead
sqlite|read uncommitted|g1b|IntermediateRead
sqlite|read uncommitted|g-single|FracturedRead
sqlite|read uncommitted|p4|LostUpdate'
plan $(($(grep -c '|' <<<"$cases") * 3 + 3))

declare -A target=([sqlite]=sqlite:$work/stories.db)
for kind in postgresql mariadb redis; do
  live_start "$kind"
  target[$kind]=${server_uri[0]}
done
target[mariadb-snapshot]="${target[mariadb]}?innodb_snapshot_isolation=on"
while IFS='|' read -r kind level script anomaly; do
  [ -z "$kind" ] ||
    tells "$kind-${level// /-}-$script" "$anomaly" "${target[$kind]}" "$level" "$script" ser
done <<<"$cases"

# Nothing is kept on disk.
tells redis-watch-restart-lost-write StaleRead "${target[redis]}" watch \
  redis-restart-lost-write sser --server "${server##*/}"
