#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What a second core saves (check --jobs): wall seconds of two histories at one
# level, of one history at two levels, at one, and at every level, on one core
# and on two, in turns.  Medians.  Run in the build directory, on an idle machine
# of two cores.  And what it could save within one check at one level: the share
# of instructions of each of its phases, where perf(1) is installed.
#
#   bench/threads.sh [REPETITIONS]      0: only the phases
set -euo pipefail

repetitions=${1:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
TIMEFORMAT=%R

record() { # record NAME LEVEL
  ./isostress run memory: --check=none -w general -i "$2" -c 20 -t 50000 -k 1000000 \
    --distribution zipfian:0.99 --ops 15 --read-ratio 0.5 --max-tries 20 \
    -o "$work/$1" >/dev/null 2>&1
}
record 1 si
record 2 si
record serial ser

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
    check levels "$jobs" -l si,ser "$work/1/latest/history"
    for level in rc ra cc si auto; do
      check "$level" "$jobs" -l "$level" "$work/1/latest/history"
    done
    check ser "$jobs" -l ser "$work/serial/latest/history"
  done
done

# phases LEVEL: the shares of its instructions in per cent, by who executes them.
phases() {
  perf record -e instructions:u -q -o "$work/perf" \
    ./isostress check -j 1 -l "$1" "$work/1/latest/history" >/dev/null 2>&1 || [ $? -le 1 ]
  perf report -i "$work/perf" --stdio --no-children -g none -F overhead,dso,sym 2>/dev/null |
    awk -v level="$1" '
      /^#/ || !NF { next }
      { phase = "other" }
      $2 ~ /zstd|xxhash/ || $4 ~ /^(native|column|decode|identify|join_|find_chunk|look_up|resolve_|start_of|add_key)/ { phase = "reading" }
      $4 ~ /^(reads_|understand_|judge_|lists_|chains_|model_|guess|sort_by|history_counted|settled)/ { phase = "keys" }
      $4 ~ /^(walk_|order_|prefix_|take_in_order)/ { phase = "walk" }
      $4 ~ /^(put|problem_|starts_chain|place|by_time|msort|fill_|list_chains)/ { phase = "edges" }
      $4 ~ /^(choices_|distance_to|enqueue|reach|toporder|solver_|by_number|contradiction|line_up)/ { phase = "search" }
      $4 ~ /^(verify|apply_|replay|take_witness)/ { phase = "proof" }
      { sum[phase] += $1 }
      END { printf "%-6s %8.1f %8.1f %8.1f %8.1f %8.1f %8.1f %8.1f\n", level, sum["reading"],
              sum["keys"], sum["walk"], sum["edges"], sum["search"], sum["proof"], sum["other"] }'
}

if [ "$repetitions" -gt 0 ]; then
printf '%-38s %12s %12s %8s\n' 'a million transactions of 15 operations' 'one core, s' 'two cores, s' ratio
while read -r name title; do
  one=$(median "$work/$name.1") two=$(median "$work/$name.2")
  printf '%-38s %13s %12s %8s\n' "$title" "$one" "$two" "$(awk "BEGIN { printf \"%.2f\", $two / $one }")"
done <<'END'
two two histories, si
levels one history, si and ser
rc one history, rc
ra one history, ra
cc one history, cc
si one history, si
ser one history, ser
auto one history, every level (auto)
END
fi
if command -v perf >/dev/null; then
  printf '%-6s %8s %8s %8s %8s %8s %8s %8s\n' level reading keys walk edges search proof other
  for level in rc cc si; do phases "$level"; done
fi
