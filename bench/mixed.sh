#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Does every run at mixed levels get an answer, and how soon?  Runs TPC-C in two
# forms, predicate and twitter RUNS times (10) for TIME (15s), and once for two
# minutes, with the mixes of a database in turn, and checks each transaction at the
# level that it ran at.  From the top of a checkout that was configured in build/,
#
#   TOP_BUILDDIR=build WRITE=yes bench/mixed.sh [TIME [RUNS [KIND...]]]
#
# prints a line for each run and writes results/mixed.txt anew, by throw-away
# servers of the kinds sqlite, postgresql and mariadb.  KEEP is a directory that
# keeps the histories that are undecided; LONG is the time of the longest run (2m, 0 for none).
. "$(dirname "${BASH_SOURCE[0]}")/throwaway.sh"
time=${1:-15s}
shift $(($# > 0))
runs=${1:-10}
shift $(($# > 0))
[ $# -gt 0 ] || set -- sqlite postgresql mariadb
long=${LONG:-2m}

mixes_of() { # mixes_of KIND: a line each
  case $1 in
    sqlite) echo 'serializable:1,read uncommitted:1' ;;
    *)
      echo 'serializable:1,repeatable read:1'
      echo 'serializable:1,read committed:3'
      echo 'repeatable read:1,read committed:1'
      ;;
  esac
}

verdict_of() { # verdict_of HISTORY
  command time -o "$work/took" -f '%U %M' "$isostress" check -j 1 -l recorded --max=1 "$1" \
    >"$work/said" 2>/dev/null
  sed -nE '1s/^([A-Z]+)[:.].*/\1/p' "$work/said"
}

measure() { # measure KIND WORKLOAD MIX TIME SEED
  local verdict count took memory history=$work/runs/latest/history
  [ "$1" != sqlite ] || rm -f "$work"/database*
  record -w "$2" --mix="$3" -c 8 -T "$4" --seed "$5" "$uri" || { tail -n 1 "$work/out" && return; }
  verdict=$(verdict_of "$history")
  read -r took memory <<<"$(tail -n 1 "$work/took")"
  count=$(sed -nE 's/^ *run +([0-9,]+) committed.*/\1/p' "$work/out" | tr -d ,)
  printf '%-10s %-9s %-35s %4s %4s %9s %7s s %5d MB  %s\n' "$1" "$2" "$3" "$4" "$5" "$count" "$took" \
    $((memory / 1024)) "$verdict"
  [ "$verdict" != UNDECIDED ] || [ -z "${KEEP:-}" ] || cp "$history" "$KEEP/$1-$2-$4-$5.iso"
}

{
  echo "\$ LONG=$long bench/mixed.sh $time $runs $*"
  echo "# $(nproc) cores of $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)${SHARED:+, $SHARED};" \
    "load before $(cut -d ' ' -f 1 /proc/loadavg)"
  echo '# database, workload, mix, length, seed, committed, processor time and most memory of the check, verdict'
  for kind; do
    uri=sqlite:$work/database
    [ "$kind" = sqlite ] || start "$kind"
    mapfile -t mixes <<<"$(mixes_of "$kind")"
    for workload in tpcc tpcc-pc predicate twitter; do
      for ((seed = 1; seed <= runs; seed++)); do
        measure "$kind" "$workload" "${mixes[seed % ${#mixes[@]}]}" "$time" "$seed"
      done
      [ "$long" = 0 ] || measure "$kind" "$workload" "${mixes[0]}" "$long" $((runs + 1))
    done
    stop_servers >&2
  done
} > >(tee "$work/result")
wait $! # for tee
[ "${WRITE:-}" != yes ] || cp "$work/result" "$top/results/mixed.txt"
