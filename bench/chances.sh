#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What the count of chances costs a check, in instructions, which do not depend
# on the load of the machine: all of the command, the count, and its share.  Of
# runs of three workloads and, if ISOSTRESS_HISTORIES names the directory that
# holds it, of PolySI's general-rw.bincode.  Run in the build directory.
#
#   bench/chances.sh
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# cost NAME LEVEL HISTORY
cost() {
  valgrind --tool=callgrind --callgrind-out-file="$work/out" \
    ./isostress check -j 1 -l "$2" "$3" >"$work/text" 2>/dev/null
  callgrind_annotate --inclusive=yes "$work/out" |
    awk -v name="$1" -v level="$2" -v how="$(grep -c 'from a sample' "$work/text" || true)" '
      { gsub(",", "", $1) }
      /PROGRAM TOTALS/ { all = $1 }
      /chances.c:chances_count/ { count = $1 }
      END { printf "%-20s %-5s %12d %11d %6.1f %%  %s\n", name, level, all, count,
        100 * count / all, how ? "a sample" : "all" }'
}

# run WORKLOAD TRANSACTIONS-OF-A-SESSION
run() {
  ./isostress run --threads=1 --seed=1 --check=none -t "$2" -c 20 -k 1000 \
    -w "$1" -o "$work/$1-$2" memory: >/dev/null 2>&1
}

printf '%-20s %-5s %12s %11s %8s  %s\n' history level check chances share 'pairs and triples'
given=${ISOSTRESS_HISTORIES:-.}/general-rw.bincode
for level in rc ra cc si ser; do
  [ -f "$given" ] && cost general-rw "$level" "$given"
done
for workload in mt general append; do
  for transactions in 100 500 2000; do
    run "$workload" "$transactions"
    cost "$workload, 20 x $transactions" rc "$work/$workload-$transactions/latest/history"
  done
done
for level in ra cc si ser; do
  cost "general, 20 x 500" "$level" "$work/general-500/latest/history"
done
