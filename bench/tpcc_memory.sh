#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Does a long run keep its memory?  TPC-C at mixed levels (New-Order and Payment
# serializable, the others at read committed) on throw-away servers of PostgreSQL
# and MariaDB: the resident memory of isostress every 30 s, and the transactions
# committed until then.  The run does not check; the history is checked
# afterwards, each transaction at its own level, within TIMEOUT (2m) and 4 GB.  From
# the top of a checkout that was configured in build/,
#
#   TOP_BUILDDIR=build WRITE=yes bench/tpcc_memory.sh [TIME [KIND...]]
#
# writes results/tpcc_memory.txt anew, by runs of TIME (5m) on the kinds postgresql
# and mariadb.  RATE bounds the transactions per second of a run; KEEP is a directory
# that keeps each history as KIND.iso.
. "$(dirname "${BASH_SOURCE[0]}")/throwaway.sh"
time=${1:-5m} running=
rate=${RATE:-0} timeout=${TIMEOUT:-2m}
shift $(($# > 0))
[ $# -gt 0 ] || set -- postgresql mariadb
every=30
trap '[ -z "$running" ] || kill "$running" 2>/dev/null; leave' EXIT

committed() { # so far, as the progress says
  sed -n 's/.* per second; \([0-9]*\) committed, .*/\1/p' "$work/err" | tail -n 1
}

# Until the run ends: seconds, committed transactions and MB.
watch_memory() {
  local begun=$SECONDS next=$SECONDS rss
  printf '%8s %12s %8s\n' seconds committed 'RSS MB'
  while kill -0 "$running" 2>/dev/null; do
    if ((SECONDS >= next)); then
      rss=$(sed -n 's/^VmRSS:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$running/status" 2>/dev/null)
      [ -z "$rss" ] || printf '%8d %12s %8.1f\n' $((SECONDS - begun)) "$(committed)" \
        "$(awk "BEGIN { print $rss / 1024 }")"
      next=$((next + every))
    fi
    sleep 1
  done
}

measure() { # measure KIND
  start "$1"
  echo
  echo "## $1"
  "$isostress" run -w tpcc "$uri?index=btree" -c 8 -T "$time" -P 1s -R "$rate" --max-tries 10 --check=none --seed 1 \
    --level-of='new-order:serializable,payment:serializable,*:read committed' \
    -o "$work/runs" >"$work/out" 2>"$work/err" &
  running=$!
  watch_memory
  wait "$running" || tail -n 3 "$work/err"
  running=
  grep -E '^(throughput|attempts)' "$work/out"
  du -h "$work/runs/latest/history" | awk '{ print "history     " $1 }'
  command time -o "$work/took" -f '%U s user, %S s system, %M KB' "$isostress" check -j 1 -l recorded \
    --timeout="$timeout" --memory=4G "$work/runs/latest/history" 2>/dev/null | head -n 2 | sed 's/^/check       /'
  sed '/exited with/d; s/^/check took  /' "$work/took"
  [ -z "${KEEP:-}" ] || cp "$work/runs/latest/history" "$KEEP/$1.iso"
  rm -rf "$work/runs"
  stop_servers
}

{
  echo "\$ RATE=$rate bench/tpcc_memory.sh $time $*"
  echo "# $(nproc) cores of $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)${SHARED:+, $SHARED};" \
    "load before $(cut -d ' ' -f 1 /proc/loadavg)"
  for kind; do measure "$kind"; done
} > >(tee "$work/result")
wait $! # for tee
[ "${WRITE:-}" != yes ] || cp "$work/result" "$top/results/tpcc_memory.txt"
