#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Anomalies of replicated servers: no script of steps can hold a replica back, so
# they are found under load, and the story is told word for word as in
# tests/stories/live/, but for numbers and names of hosts.  What lies before the
# anomaly can make it a step longer: there is a story for each of the likely
# ways, NAME-1.txt and so on, and it counts if one of them is told of one of a
# a few hundred histories.  In the long tests only.
#
# Not here: WriteSkew between nodes of Galera (told in too many ways; found in
# endpoints_galera.sh), LongFork on a standby and stale reads of an etcd follower
# (seldom; endpoints_postgresql.sh, endpoints_etcd.sh).  Nothing free that Debian
# has shows ThinAirRead, FutureRead, NotMyLastWrite and NotMyOwnWrite, since a
# transaction sees its own writes everywhere, nor NonMonotonicRead, since it reads
# one node and no statement goes back: the memory driver does
# (tests/cli/stories.sh).
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs redis-replica postgresql-standby galera
live_needs_driver redis libhiredis-dev
live_needs_driver postgresql libpq-dev
live_needs_driver mysql libmariadb-dev
stories=$TOP_SRCDIR/tests/stories/live
cd "$work" || exit 1
plan 12

# The first counterexample of the report, without numbers.
words() {
  sed -n '/^VIOLATION/,/^results:/p' <<<"$out" |
    awk '/^$/ && ++empty == 2 || /^results:/ { exit } { print }' |
    sed -E -e '/^  Found: /d' -e 's/ (and|,) did [0-9]+ more operations?//' \
      -e 's/127\.0\.0\.1:[0-9]+/HOST/g' -e 's/[0-9]+(\.[0-9]+)?/N/g'
}

# told KIND ANOMALY LEVEL OPTION...: three checks.
told() {
  local kind=$1 anomaly=$2 level=$3 seed story same=
  local name=$stories/$kind-${level// /-}-$anomaly
  shift 3
  for seed in {1..400}; do
    run isostress run "$all" -i "$level" --seed "$seed" -o "$work/runs" --distribution uniform "$@"
    for story in "$name"-*.txt; do
      [ "$(words)" != "$(cat "$story")" ] || same=$story
    done
    [ -z "$same" ] || break
  done
  is "$(words)" "$(cat "${same:-$name-1.txt}")" "the story of $anomaly on $kind at $level"
  like "$out" "^VIOLATION: .* was broken by $anomaly( |\.)" "is called $anomaly"
  if command -v dot >/dev/null; then
    is "$(python3 "$TOP_SRCDIR/tests/lacking.py" "$work/runs/latest" 2>&1)" "" "and both pictures show it"
  else
    skip "and both pictures show it" "no Graphviz"
  fi
}

live_start redis-replica
all=$(all_hosts "${server_uri[@]}")
told redis-replica SessionGuaranteeViolation watch --endpoints replica-reads -k 50 -t 500 \
  --shares rmw1:0.5,ro:0.5

live_start postgresql-standby
all=$(all_hosts "${server_uri[@]}")
told postgresql-standby SessionGuaranteeViolation "repeatable read" \
  --endpoints replica-reads -k 50 -t 300 --shares rmw1:0.5,ro:0.5
told postgresql-standby StaleRead "repeatable read" --endpoints replica-reads \
  --no-session-order --check sser --shares rmw1:0.5,ro:0.5 -k 50 -t 300

live_start galera
all=$(all_hosts "${server_uri[@]}")
told galera LostUpdate "repeatable read" -c 6 -k 20 --shares rmw1:1 -t 200
