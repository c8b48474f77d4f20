#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Does SQL with predicates keep what each database promises?  Runs the workload
# predicate on PostgreSQL with every index, MariaDB, MySQL (if its program is
# there) and SQLite at SERIALIZABLE, and on MariaDB with snapshots of its own, and
# prints what held, and how many chances there were of what conditions may show.
#
#   bench/predicates_hold.sh [SECONDS [DIRECTORY]]     # of each target [60]
#
# The runs with their histories are kept in DIRECTORY, results/runs by default.
: "${TOP_SRCDIR:=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}"
: "${TOP_BUILDDIR:=$TOP_SRCDIR/build}"
export ISOSTRESS_FILES=$TOP_SRCDIR
. "$TOP_SRCDIR/servers/servers.sh"
seconds=${1:-60}
runs=${2:-results/runs}
work=$(mktemp -d)
trap 'server_stop_started; rm -rf "$work"' EXIT

# The figures of a report, in the columns of the table.
columns() { # columns REPORT
  python3 -c '
import json, sys
report = json.load(open(sys.argv[1]))
run, verdict, chances = report["run"], report["verdict"], report.get("chances") or {}
counts = {row["anomaly"]: (">=" if row["high"] is None and row["count"] else "") + str(row["count"]) for row in chances.get("anomalies", [])}
found = verdict["level"] + " " + {"pass": "kept", "violation": "BROKEN", "undecided": "undecided"}[verdict["verdict"]]
print("%10d %9d  %-14s" % (run["committed"], run["aborted"], found), *("%19s" % counts.get(name, "-") for name in
    ("PhantomRead", "FracturedStatement", "PhantomLongFork", "PhantomWriteSkew")))' "$1"
}

holds() { # holds NAME TARGET LEVEL OPTION...
  local name=$1 target=$2 level=$3
  shift 3
  "$TOP_BUILDDIR/isostress" run -w predicate "$target" -i "$level" -c 8 -k 192 -T "${seconds}s" -R 250 --op-delay 8ms \
    --seed 7 --max-tries 5 --timeout 120s -o "$runs" "$@" >"$work/log" 2>&1
  case $? in
    0 | 1 | 2) printf '%-52s%-17s%s\n' "$name" "$level" "$(columns "$runs/latest/report.json")" ;;
    *) printf '%-52s%-17s%s\n' "$name" "$level" "$(tail -n 1 "$work/log")" ;;
  esac
}

printf '%-52s%-17s%10s %9s  %-14s %19s %19s %19s %19s\n' target level committed aborted verdict \
  PhantomRead FracturedStatement PhantomLongFork PhantomWriteSkew
server_start postgresql || exit
for index in none btree hash brin gin; do
  holds "PostgreSQL ?index=$index" "${server_uri[0]}?index=$index" serializable
done
server_stop "$server"
server_start mariadb || exit
holds "MariaDB ?index=btree" "${server_uri[0]}?index=btree" serializable
for index in none btree; do
  holds "MariaDB ?index=$index&innodb_snapshot_isolation=on" "${server_uri[0]}?index=$index&innodb_snapshot_isolation=on" \
    "repeatable read"
done
server_stop "$server"
if server_start mysql 2>/dev/null; then
  holds "MySQL ?index=btree, soft deletes" "${server_uri[0]}?index=btree" serializable
  server_stop "$server"
fi
holds "SQLite, write-ahead log ?index=btree" "sqlite:$work/rows.db?index=btree" serializable --op-delay 1ms
