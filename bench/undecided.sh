#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Does every run of every workload get an answer, and how soon?  Runs each workload
# at each level of a database for TIME (7s), records it, and checks the history at six
# levels.  From the top of a checkout that was configured in build/,
#
#   TOP_BUILDDIR=build WRITE=yes bench/undecided.sh [TIME [KIND...]]
#
# prints a line for each run and writes results/undecided.txt anew, by throw-away
# servers of the kinds sqlite, postgresql, mariadb, redis and etcd.  A workload that
# the database cannot run has no line.  KEEP is a directory that keeps the histories
# that are undecided.
. "$(dirname "${BASH_SOURCE[0]}")/answers.sh"
time=${1:-7s}
shift $(($# > 0))
[ $# -gt 0 ] || set -- sqlite postgresql mariadb redis etcd

# The levels of a driver in its own words, a line each.
levels_of() { # levels_of DRIVER
  "$isostress" list drivers | awk -v driver="$1" '
    /^[^ ]/ { here = $1 == driver; told = 0 }
    here && / levels "/ { told = 1 }
    here && /^ *\?/ { told = 0 }
    told' | grep -o '"[^"]*"' | tr -d '"'
}

measure() { # measure DRIVER URI LEVEL WORKLOAD
  local verdicts undecided slowest count history=$work/runs/latest/history
  record -w "$4" -i "$3" -c 8 -T "$time" --seed 1 "$2" || return 0
  ask_levels "$history"
  count=$(committed)
  [ -z "$undecided" ] || [ -z "${KEEP:-}" ] || cp "$history" "$KEEP/$1-$3-$4.iso"
  printf '%-11s %-17s %-12s %9s  %6s s at %-4s %s\n' "$1" "$3" "$4" "${count:--}" \
    "${slowest% *}" "${slowest##* }" "${undecided:+UNDECIDED at$undecided}"
}

{
  headline bench/undecided.sh "$time" "$@"
  echo "# database, level, workload, transactions, processor time of the slowest check of" "${levels[@]}"
  for kind; do
    uri=sqlite:$work/database
    [ "$kind" = sqlite ] || start "$kind"
    driver=${uri%%:*}
    while read -r level; do
      for workload in $("$isostress" list workloads | sed -nE 's/^([a-z][a-z-]*) .*/\1/p'); do
        measure "$kind" "$uri" "$level" "$workload"
      done
    done <<<"$(levels_of "$driver")"
    stop_servers >&2
  done
} > >(tee "$work/result")
wait $! # for tee
[ "${WRITE:-}" != yes ] || cp "$work/result" "$top/results/undecided.txt"
