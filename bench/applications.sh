#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Abort rates, throughput and latency of the applications (tpcc, tpcc-pc,
# twitter, rubis, c-twitter) at each level and number of sessions: the installed
# sweep `applications` on throw-away servers, one after the other.  Galera's
# sessions are spread over its three nodes.  From the top of a checkout that was
# configured in build/,
#
#   TOP_BUILDDIR=build bench/applications.sh [KIND...]
#
# measures the kinds postgresql, mariadb, galera and sqlite, or only those that
# are named; mysql is one more, where ISOSTRESS_MYSQLD or a package has its server
# (scripts/fetch_server.sh mysql@9).  With WRITE=yes it writes results/applications.txt
# anew.  A kind takes about five minutes.  REPETITIONS and SECONDS_EACH (1 and 3)
# change that.
. "$(dirname "${BASH_SOURCE[0]}")/throwaway.sh"
[ $# -gt 0 ] || set -- postgresql mariadb galera sqlite
repetitions=${REPETITIONS:-1} seconds=${SECONDS_EACH:-3}

# One line for each combination, from the sweep's CSV.
show() { # show CSV
  python3 - "$1" <<'PYTHON'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
print("#", rows[0]["server"] if rows else "nothing was measured")
print(f"{'application':<12} {'level':<16} {'sessions':>8} {'aborted %':>9} {'tx/s':>8} {'p50 ms':>8} {'p99 ms':>8}  claimed level")
for row in rows:
    verdict = row["verdict"] + (": " + row["anomaly"] if row["anomaly"] else "")
    print(f"{row['workload']:<12} {row['isolation']:<16} {row['clients']:>8} {100 * float(row['abort_rate']):9.2f}"
          f" {float(row['throughput']):8.0f} {float(row['p50_ms']):8.2f} {float(row['p99_ms']):8.2f}  {verdict}")
PYTHON
}

measure() { # measure KIND
  if [ "$1" = sqlite ]; then uri=sqlite:$work/applications.db
  else start "$1"; fi
  echo
  echo "## $1: isostress sweep applications --skip-impossible TARGET"
  "$isostress" sweep applications "$uri" --skip-impossible --repetitions="$repetitions" \
    -T "${seconds}s" -o "$work/$1" >"$work/table" 2>"$work/err"
  # A level that is broken, or not decided in time, is a result.
  if [ $? -gt 2 ]; then tail -n 3 "$work/err"
  else show "$work/$1"/*/sweep.csv; fi
  rm -rf "${work:?}/$1"
  [ "$1" = sqlite ] || {
    "$isostress" server stop "${servers[-1]}"
    unset 'servers[-1]'
  }
}

{
  echo "# REPETITIONS=$repetitions SECONDS_EACH=$seconds bench/applications.sh $*"
  echo "# $(nproc) cores of $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)${SHARED:+, $SHARED};" \
    "load before $(cut -d ' ' -f 1 /proc/loadavg)"
  for kind; do measure "$kind"; done
} > >(tee "$work/result")
wait $! # for tee
[ "${WRITE:-}" != yes ] || cp "$work/result" "$top/results/applications.txt"
