#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The cost of the count of chances to a check: its share of the instructions of the
# command, which do not depend on the load of the machine, and of its processor
# time, by samples of many runs (perf, of Debian's linux-perf).  Of runs of four
# workloads and, if ISOSTRESS_HISTORIES names the directory that holds it, of
# PolySI's general-rw.bincode.  Run in the build directory.
#
#   bench/chances.sh
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The share of time in the files of checker/chances, of enough runs for some
# thousand samples.
cat >"$work/again" <<'LOOP'
end=$((SECONDS + 2))
while ((SECONDS < end)); do ./isostress check -j 1 -l "$1" "$2"; done
LOOP
time_share() { # time_share LEVEL HISTORY
  perf record -q -F 10000 -e cpu-clock -o "$work/perf" -- bash "$work/again" "$1" "$2" >/dev/null 2>&1
  perf report -q -i "$work/perf" --comm isostress --no-children -g none --sort symbol -n 2>/dev/null |
    awk -v names=" $names " '
      { all += $2; if (index(names, " " $4 " ")) count += $2 }
      END { printf "%.1f", 100 * count / all }'
}

# cost NAME LEVEL HISTORY
cost() {
  valgrind --tool=callgrind --callgrind-out-file="$work/out" \
    ./isostress check -j 1 -l "$2" "$3" >"$work/text" 2>/dev/null
  callgrind_annotate --inclusive=yes "$work/out" |
    awk -v name="$1" -v level="$2" -v time="$(time_share "$2" "$3")" \
      -v sample="$(tr -s ' \n' ' ' <"$work/text" | grep -o 'sample of [0-9]*' | head -n 1 | tr -dc 0-9)" '
      { gsub(",", "", $1) }
      /PROGRAM TOTALS/ { all = $1 }
      /chances.c:chances_count/ { count = $1 }
      END { printf "%-20s %-5s %12d %11d %6.1f %% %6s %%  %s\n", name, level, all, count,
        100 * count / all, time, sample ? "a sample of " sample : "all" }'
}

# run WORKLOAD TRANSACTIONS-OF-A-SESSION
run() {
  ./isostress run --threads=1 --seed=1 --check=none -t "$2" -c 20 -k 1000 \
    -w "$1" -o "$work/$1-$2" memory: >/dev/null 2>&1
}

names=$(nm checker/chances/*.o | awk 'tolower($2) == "t" { print $3 }' | tr '\n' ' ')
printf '%-20s %-5s %12s %11s %8s %8s  %s\n' history level check chances share 'of time' 'pairs and triples'
given=${ISOSTRESS_HISTORIES:-.}/general-rw.bincode
for level in rc ra cc si ser; do
  [ -f "$given" ] && cost general-rw "$level" "$given"
done
for workload in mt general append predicate; do
  for transactions in 100 500 2000; do
    run "$workload" "$transactions"
    cost "$workload, 20 x $transactions" rc "$work/$workload-$transactions/latest/history"
  done
done
for level in ra cc si ser; do
  cost "general, 20 x 500" "$level" "$work/general-500/latest/history"
done
cost "predicate, 20 x 500" ser "$work/predicate-500/latest/history"
