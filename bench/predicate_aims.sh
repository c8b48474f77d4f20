#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# How much sooner the aims of the workload predicate find their anomalies: runs
# up to the first violation of a level that the anomaly breaks, with the aim and
# without, by turns, with the same seeds.
#
#   bench/predicate_aims.sh [SEEDS [SECONDS]]     [10 and 10]
#
# Prints the medians of the transactions that were committed and of the time
# that had passed when the violation happened, and how many of the runs found
# one; who found none within the time counts as later than all others.
# Expects to be started where isostress was built.
seeds=${1:-10} seconds=${2:-10}
. "$(dirname "${BASH_SOURCE[0]}")/throwaway.sh"

# Each line has the aim, the database, its level, and the level that is checked.
start postgresql
postgresql="$uri?index=btree"
start mariadb
mariadb="$uri?index=btree&innodb_snapshot_isolation=off"
lines="PhantomRead memory:?bug=PhantomRead:0.01 ser ra
PhantomRead $postgresql read-committed ra
PhantomRead $mariadb repeatable-read ra
WriteSkew memory:?bug=PhantomWriteSkew:0.05 ser ser
WriteSkew $postgresql repeatable-read ser
WriteSkew $mariadb&innodb_snapshot_isolation=on repeatable-read ser
FracturedStatement memory:?bug=FracturedStatement:0.001 ser ra
FracturedStatement $postgresql read-committed ra
LongFork memory:?bug=PhantomLongFork:0.05 ser pc"

name_of() { # name_of TARGET
  case $1 in
    memory:*) echo "$1" ;;
    postgresql:*) echo PostgreSQL ;;
    *isolation=on) echo "MariaDB, snapshot isolation" ;;
    *) echo MariaDB ;;
  esac
}

# look SEED TARGET LEVEL CHECK [OPTION]: the transactions and milliseconds.
look() {
  local seed=$1 target=$2 level=$3 check=$4
  shift 4
  timeout 100 "$isostress" run -w predicate "$target" -i "${level//-/ }" --check="$check" --stop-on-violation \
    -c 8 -T "${seconds}s" --seed "$seed" -P 0 -o "$work/runs" "$@" >/dev/null 2>&1
  sed -n '/"happened": {/,/}/{s/.*"time_ns": \([0-9]*\).*/\1/p; s/.*"committed": \([0-9]*\).*/\1/p}' \
    "$work/runs/latest/report.json" | xargs | awk 'NF == 2 { print $2, $1 / 1e6 }'
  rm -rf "$work/runs"
}

median() { # median COLUMN FILE: ">" if less than half found something
  sort -n -k "$1,$1" "$2" | awk -v c="$1" -v n="$seeds" '{ v[NR] = $c } END {
    if (2 * NR <= n) print ">"; else printf "%.*f\n", c - 1, v[int((n + 1) / 2)] }'
}

printf '%-19s %-38s %-16s %-5s %21s %21s\n' aim database level check "without the aim" "with it"
while read -r aim target level check; do
  rm -f "$work/plain" "$work/aimed"
  for ((seed = 1; seed <= seeds; seed++)); do
    look "$seed" "$target" "$level" "$check" >>"$work/plain"
    look "$seed" "$target" "$level" "$check" --aim "$aim" >>"$work/aimed"
  done
  printf '%-19s %-38s %-16s %-5s' "$aim" "$(name_of "$target")" "${level//-/ }" "$check"
  for way in plain aimed; do
    printf ' %6s %7s ms %2s/%s' "$(median 1 "$work/$way")" "$(median 2 "$work/$way")" "$(wc -l <"$work/$way")" "$seeds"
  done
  echo
done <<<"$lines"
