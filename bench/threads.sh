#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What a second core saves (check --jobs): wall seconds of two histories at one
# level, and of one history at every level, by one job and by two, in turns.
# Medians.  Run in the build directory, on an idle machine of two cores.
#
#   bench/threads.sh [REPETITIONS]
set -euo pipefail

repetitions=${1:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
TIMEFORMAT=%R

for n in 1 2; do
  ./isostress run memory: --check=none -w general -i si -c 20 -t 50000 -k 1000000 \
    --distribution zipfian:0.99 --ops 15 --read-ratio 0.5 --max-tries 20 \
    -o "$work/$n" >/dev/null 2>&1
done

check() { # check NAME JOBS ARGUMENT...: wall seconds, added to the file NAME.JOBS
  local name=$1 jobs=$2 status=0
  shift 2
  { time ./isostress check -j "$jobs" "$@" >/dev/null 2>&1 || status=$?; } 2>>"$work/$name.$jobs"
  [ "$status" -le 1 ]
}

median() { sort -n "$1" | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'; }

for ((i = 0; i < repetitions; i++)); do
  for jobs in 1 2; do
    check two "$jobs" -l si "$work"/{1,2}/latest/history
    check levels "$jobs" -l auto "$work/1/latest/history"
  done
done
printf '%-38s %12s %12s %8s\n' 'a million transactions of 15 operations' 'one job, s' 'two jobs, s' ratio
while read -r name title; do
  one=$(median "$work/$name.1") two=$(median "$work/$name.2")
  printf '%-38s %13s %12s %8s\n' "$title" "$one" "$two" "$(awk "BEGIN { printf \"%.2f\", $two / $one }")"
done <<'END'
two two histories, si
levels one history, every level (auto)
END
