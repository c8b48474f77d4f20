#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Known anomalies: all of them, by every recipe that needs no server of its own,
# and how long some of them take from the command to the counterexample, on
# servers that are up; and how long a scorecard of PostgreSQL takes: wall
# seconds, median and longest of some repetitions, beside what they should stay
# below.  On an idle machine, from the top of a checkout that was configured in
# build/,
#
#   TOP_BUILDDIR=build WRITE=yes bench/anomalies.sh [REPETITIONS]
#
# writes results/repro.txt and results/anomalies.txt anew.  5 repetitions unless
# said otherwise.
. "$(dirname "${BASH_SOURCE[0]}")/throwaway.sh"
repetitions=${1:-${REPETITIONS:-5}}

seconds=0 # that the command took
timed() { # timed COMMAND...: its exit status
  local begin=$EPOCHREALTIME status
  "$@" >"$work/out" 2>"$work/err"
  status=$?
  seconds=$(awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')
  return "$status"
}

row() { # row WHAT BAR SECONDS...
  local what=$1 bar=$2
  shift 2
  printf '%s\n' "$@" | sort -g | awk -v what="$what" -v bar="$bar" '
    { s[NR] = $1 }
    END {
      printf "%-34s %8.2f %8.2f %6d  %s\n", what, s[int((NR + 1) / 2)], s[NR],
        bar, s[NR] < bar ? "met" : s[int((NR + 1) / 2)] < bar ? "median" : "MISSED"
    }'
}

recipe() { # recipe NAME BAR
  local all=() i
  for ((i = 1; i <= repetitions; i++)); do
    timed "$isostress" repro "$1" "$uri" --seed "$i" -o "$work/runs" || {
      echo "$1: not as expected"
      cat "$work/out" "$work/err"
      return
    }
    all+=("$seconds")
  done
  row "$1" "$2" "${all[@]}"
}

bars() {
  printf '%-34s %8s %8s %6s\n' 'recipe' 'median s' 'longest' 'bar s'
  start postgresql
  recipe postgresql-rc-lost-update 2
  recipe postgresql-rr-write-skew 2
  timed "$isostress" scorecard "$uri" -o "$work/runs"
  row 'scorecard of PostgreSQL' 90 "$seconds"
  start mariadb
  recipe mariadb-rr-lost-update 2
  start redis
  recipe redis-multi-lost-update 2
  start galera
  recipe galera-rr-lost-update 10
  recipe galera-serializable-write-skew 10
}

catalogue() {
  "$isostress" repro --all -o "$work/runs" 2>"$work/err" | sed 's/ *$//'
}

# With the command and the machine, and into results/ if WRITE=yes.
publish() { # publish NAME COMMAND FUNCTION
  local cpu
  cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
  {
    echo "\$ $2"
    echo "# $(nproc) cores of $cpu; load before $(cut -d ' ' -f 1 /proc/loadavg)"
    "$3"
  } >"$work/$1"
  cat "$work/$1"
  [ "${WRITE:-}" != yes ] || cp "$work/$1" "$top/results/$1.txt"
}

publish repro 'isostress repro --all' catalogue
publish anomalies "bench/anomalies.sh $repetitions" bars
