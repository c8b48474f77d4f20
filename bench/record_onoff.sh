#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What recording takes from the throughput on SQLite: pairs of runs of the same
# transactions, one recorded and one not, in turns, on one thread.  Prints for
# each pair the microseconds of processor time of a transaction and the
# throughput, and the medians of the ratios.
#
#   bench/record_onoff.sh [PAIRS [TRANSACTIONS]]
#
# Runs of less than a second measure how a recording is opened and closed.
#
# Expects to be started where isostress was built.
set -eu
pairs=${1:-9} transactions=${2:-300000}
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
TIMEFORMAT='%U %S'

# measure on|off: prints microseconds per transaction and transactions a second.
measure() {
  local time
  rm -f "$directory"/x.db*
  time=$({ time ./isostress run "sqlite:$directory/x.db?synchronous=off" -c 1 \
    -t "$transactions" -T 0 -P 0 --seed=1 --check=none --record="$1" \
    -o "$directory/runs" >"$directory/out" 2>/dev/null; } 2>&1)
  awk -v n="$transactions" -v time="$time" '/^throughput/ {
    split(time, t, " "); printf "%.3f %d", (t[1] + t[2]) * 1e6 / n, $2 }' \
    "$directory/out"
}

median() { sort -n | awk '{ a[NR] = $1 } END { printf "%.4f", a[int((NR + 1) / 2)] }'; }

echo "cpu us: on      off     per second: on     off"
measure off >/dev/null
for ((i = 0; i < pairs; i++)); do
  if ((i % 2)); then
    off=$(measure off) on=$(measure on)
  else
    on=$(measure on) off=$(measure off)
  fi
  echo "$on $off" | awk '{ printf "%10.3f %8.3f %14d %8d\n", $1, $3, $2, $4 }'
  echo "$on $off" >>"$directory/pairs"
done
echo "recording on / off, medians of $pairs pairs of $transactions transactions:" \
  "processor time $(awk '{ print $1 / $3 }' "$directory/pairs" | median)," \
  "throughput $(awk '{ print $2 / $4 }' "$directory/pairs" | median)"
