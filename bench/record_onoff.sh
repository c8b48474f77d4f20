#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The share of the throughput that recording takes on SQLite: pairs of runs of the same
# transactions, one recorded and one not, in turns, on one thread; with SQLite's
# writes synchronous=off, which leaves it the least to do, and as they are by
# default; on the memory driver; and of SQL with predicates on SQLite and, if
# it is given, on another target.  Prints the medians of the pairs' ratios, and
# between which the middle half of them is.  A transaction has 2.6 operations.
#
#   bench/record_onoff.sh [PAIRS [TRANSACTIONS [TARGET]]]
#
# Runs of less than a second measure how a recording is opened and closed.
# Instructions and cycles, of all threads and of the kernel for them, are those
# that perf counts: without it they are left out.
#
# Expects to be started where isostress was built.
set -eu
pairs=${1:-15} transactions=${2:-300000} target=${3:-}
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
TIMEFORMAT='%U %S'
count=()
if perf stat -e "instructions,cycles" -o "$directory/perf" true 2>/dev/null &&
  ! grep -q 'not supported\|not counted' "$directory/perf"; then
  count=(perf stat "-x," -e "instructions,cycles" -o "$directory/perf")
fi

load=()

# measure on|off TARGET: prints microseconds of processor time,
# instructions and cycles of a transaction, and transactions a second.
measure() {
  local time
  rm -rf "$directory"/x.db* "$directory/runs"
  time=$({ time "${count[@]}" ./isostress run -v "$2" -c 1 "${load[@]}" \
    -t "$transactions" -T 0 -P 0 --seed=1 --check=none --record="$1" \
    -o "$directory/runs" >"$directory/out" 2>/dev/null; } 2>&1)
  [ "${#count[@]}" -gt 0 ] || : >"$directory/perf"
  awk -F'[, ]+' -v n="$transactions" -v time="$time" '
    /instructions/ { instructions = $1 }
    /cycles/ { cycles = $1 }
    /^throughput/ { rate = $2 }
    END { split(time, t, " ")
      printf "%.4f %.1f %.1f %d", (t[1] + t[2]) * 1e6 / n, instructions / n,
        cycles / n, rate }' "$directory/perf" "$directory/out"
}

# say COLUMN NAME: the median of on / off and its quartiles.
say() {
  awk -v c="$1" '$c && $(c + 4) { print $c / $(c + 4) }' "$directory/pairs" |
    sort -n | awk -v name="$2" '{ a[NR] = $1 } END {
      if (NR) printf "%-15s  %.4f  (%.4f to %.4f)\n", name,
        a[int((NR + 1) / 2)], a[int((NR + 3) / 4)], a[int((3 * NR + 3) / 4)] }'
}

# mean COLUMN
mean() { awk -v c="$1" '{ s += $c } END { print s / NR }' "$directory/pairs"; }

# compare TITLE TARGET
compare() {
  local i on off
  : >"$directory/pairs"
  measure off "$2" >/dev/null
  for ((i = 0; i < pairs; i++)); do
    if ((i % 2)); then
      off=$(measure off "$2") on=$(measure on "$2")
    else
      on=$(measure on "$2") off=$(measure off "$2")
    fi
    echo "$on $off" >>"$directory/pairs"
  done
  echo "$1: recording on / off, $pairs pairs of $transactions transactions"
  say 1 "processor time"
  say 2 instructions
  say 3 cycles
  say 4 throughput
  echo "a transaction without, and what recording adds: processor time" \
    "$(mean 5) us + $(awk '{ s += $1 - $5 } END { print s / NR }' \
      "$directory/pairs") us, instructions" \
    "$(mean 6) + $(awk '{ s += $2 - $6 } END { print s / NR }' \
      "$directory/pairs"); $(mean 8) a second"
}

compare "SQLite, synchronous=off" "sqlite:$directory/x.db?synchronous=off"
compare "SQLite as by default" "sqlite:$directory/x.db"
transactions=$((10 * transactions))
compare "the memory driver" memory:
transactions=$((transactions / 100)) load=(-w predicate -k 192)
compare "SQL with predicates, SQLite, synchronous=off" "sqlite:$directory/x.db?index=btree&synchronous=off"
[ -z "$target" ] || compare "SQL with predicates, ${target%%:*}" "$target"
