#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The cost of the count of chances beside that of the check (bench/chances, which the
# script makes), as processor time, the best of three rounds.  It may be a tenth of
# reading and checking, or half a second.  Of runs of four workloads; of a million
# transactions; of many sessions on few keys, in which each transaction overlaps with
# hundreds; and, if ISOSTRESS_HISTORIES names the directory that holds it, of PolySI's
# general-rw.bincode.  Run in the build directory.
#
#   bench/chances.sh
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make -s bench/chances

printf '%-24s %-5s %8s %8s %8s %8s  %s\n' history level "read s" "check s" "count s" share "pairs and triples"
cost() { # cost NAME HISTORY LEVEL...
  local name=$1 history=$2 level
  shift 2
  for level in "$@"; do
    printf '%-24s ' "$name"
    bench/chances "$level" "$history"
  done
}

# run NAME OPTION...: its history is $work/NAME/latest/history
run() {
  ./isostress run --threads=1 --seed=1 --check=none -P 0 -o "$work/$1" "${@:2}" memory: >/dev/null 2>&1
}

given=${ISOSTRESS_HISTORIES:-.}/general-rw.bincode
[ ! -f "$given" ] || cost general-rw "$given" rc ra cc si ser
for workload in mt general append predicate; do
  for transactions in 100 500 2000; do
    run small -w "$workload" -t "$transactions" -c 20 -k 1000
    cost "$workload, 20 x $transactions" "$work/small/latest/history" rc
    rm -rf "$work/small"
  done
done
run million -w general -t 50000 -c 20 -k 10k -i ser
cost "general, 20 x 50,000" "$work/million/latest/history" rc si ser
rm -rf "$work/million"
run million -w mt -t 50000 -c 20 -k 10k -i ser
cost "mt, 20 x 50,000" "$work/million/latest/history" rc si ser
rm -rf "$work/million"
run crowd -w general -t 50 -c 2000 -k 20 -i ser
cost "general, 2000 x 50" "$work/crowd/latest/history" rc
