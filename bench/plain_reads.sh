#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Does every run get an answer about its plain reads?  Runs predicate, twitter and
# TPC-C in two forms RUNS times (10) for TIME (7s) at REPEATABLE READ, MariaDB's
# default, and on PostgreSQL at its default, READ COMMITTED, as well, and checks each
# history at six levels with --reads=plain.  From the top of a checkout that was
# configured in build/,
#
#   TOP_BUILDDIR=build WRITE=yes bench/plain_reads.sh [TIME [RUNS [KIND...]]]
#
# prints a line for each run and writes results/plain_reads.txt anew, by throw-away
# servers of the kinds mariadb and postgresql.  KEEP is a directory that keeps the
# histories that are undecided.
. "$(dirname "${BASH_SOURCE[0]}")/answers.sh"
time=${1:-7s}
shift $(($# > 0))
runs=${1:-10}
shift $(($# > 0))
[ $# -gt 0 ] || set -- mariadb postgresql

levels_of() { # levels_of KIND: a line each
  echo 'repeatable read'
  [ "$1" = mariadb ] || echo 'read committed'
}

measure() { # measure KIND LEVEL WORKLOAD SEED
  local verdicts undecided slowest count history=$work/runs/latest/history
  record -w "$3" -i "$2" -c 8 -T "$time" --seed "$4" "$uri" || { tail -n 1 "$work/out" && return; }
  ask_levels "$history" --reads=plain
  count=$(committed)
  [ -z "$undecided" ] || [ -z "${KEEP:-}" ] || cp "$history" "$KEEP/$1-$2-$3-$4.iso"
  printf '%-11s %-16s %-10s %3s %8s %7s s ' "$1" "$2" "$3" "$4" "${count:--}" "${slowest% *}"
  printf ' %-9s' "${verdicts[@]}"
  echo
}

{
  headline bench/plain_reads.sh "$time" "$runs" "$@"
  echo "# database, level, workload, seed, transactions, processor time of the slowest check, verdict at" "${levels[@]}"
  for kind; do
    start "$kind"
    while read -r level; do
      for workload in tpcc tpcc-pc predicate twitter; do
        for ((seed = 1; seed <= runs; seed++)); do measure "$kind" "$level" "$workload" "$seed"; done
      done
    done <<<"$(levels_of "$kind")"
    stop_servers >&2
  done
} > >(tee "$work/result")
wait $! # for tee
[ "${WRITE:-}" != yes ] || cp "$work/result" "$top/results/plain_reads.txt"
