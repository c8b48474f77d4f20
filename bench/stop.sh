#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# How soon a run that is checked while it records ends at its first violation:
# when that happened, when it was noticed, when the last session had stopped,
# and how long the run was held back for the check to keep up.  On throw-away
# servers and the memory store, from the top of a checkout that was configured
# in build/,
#
#   TOP_BUILDDIR=build WRITE=yes bench/stop.sh [REPETITIONS]
#
# writes results/stop.txt anew, in about two minutes.  7 repetitions unless said
# otherwise.
. "$(dirname "${BASH_SOURCE[0]}")/throwaway.sh"
repetitions=${1:-${REPETITIONS:-7}}

# A run that is expected to end at a violation: its moments in ms and counts.
run() { # run WHAT SEED ARGUMENT...
  local what=$1 seed=$2
  shift 2
  "$isostress" run "$@" --stop-on-violation --seed "$seed" -T 30s -o "$work/runs" --output=json \
    >"$work/$seed.json" 2>"$work/err"
  python3 - "$what" "$work/$seed.json" <<'PYTHON' | tee -a /dev/stderr # as it comes
import json, sys
run = json.load(open(sys.argv[2]))["run"]
if "happened" not in run:
    print(f"{sys.argv[1]:<46} no violation within {run['elapsed_ns'] / 1e9:.0f} s")
    sys.exit()
happened, noticed = run["happened"], run["noticed"]
def ms(a, b): return (b - a) / 1e6
print(f"{sys.argv[1]:<46} {happened['time_ns'] / 1e9:9.3f} {happened['committed']:10}"
      f" {ms(happened['time_ns'], noticed['time_ns']):8.0f} {ms(noticed['time_ns'], run['elapsed_ns']):8.0f}"
      f" {ms(happened['time_ns'], run['elapsed_ns']):8.0f} {run['committed'] - happened['committed']:8}"
      f" {100 * run['held_back_ns'] / run['elapsed_ns']:7.1f}")
PYTHON
}

runs() { # runs WHAT ARGUMENT...
  local seed
  for ((seed = 1; seed <= repetitions; seed++)); do run "$1" "$seed" "${@:2}"; done
}

table() {
  printf '%-46s %9s %10s %8s %8s %8s %8s %7s\n' '' happened after noticed ended 'in all' more held
  printf '%-46s %9s %10s %8s %8s %8s %8s %7s\n' 'run' 's' 'committed' 'ms' 'ms' 'ms' 'commits' '%'
  start postgresql
  runs 'PostgreSQL, repeatable read, not ser' "$uri" -i 'repeatable read' --check ser -k 500 --distribution uniform
  runs 'the same, general transactions of 6' "$uri" -w general --ops 6 --read-ratio 0.7 -i 'repeatable read' --check ser \
    -k 400 --distribution uniform
  runs 'the same, appends' "$uri" -w append -i 'repeatable read' --check ser -k 1000 --distribution uniform
  start mariadb
  runs 'MariaDB, repeatable read' "$uri" -i 'repeatable read' --check si -k 20000 --distribution uniform
  start redis
  runs 'Redis, MULTI without WATCH' "$uri" -i multi --check si -k 200000 --distribution uniform
  runs 'memory store, an aborted read in 100k' memory: -i ser --bug AbortedRead:0.00001
  runs 'memory store, a lost update in 1k, 4k keys' memory: -i ser --bug LostUpdate:0.001 -k 4000
}

cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
{
  echo "\$ bench/stop.sh $repetitions"
  echo "# $(nproc) cores of $cpu; load before $(cut -d ' ' -f 1 /proc/loadavg)"
  table
  echo '# noticed: since it happened; ended: since it was noticed; more commits: since it happened'
} >"$work/table" # no pipe: the servers that were started are this shell's
[ "${WRITE:-}" != yes ] || cp "$work/table" "$top/results/stop.txt"
