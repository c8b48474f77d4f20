#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Does a check of a history without rows take longer, or more memory, than with an
# earlier program?  From the top of a checkout that was configured in build/,
#
#   WRITE=yes bench/registers.sh BEFORE [NOW]
#
# checks histories of four workloads at each level by turns with the program BEFORE and
# with NOW (build/isostress), ROUNDS times (5), and prints the least time of both, as the
# line of the proof says it, the most memory, and their ratios; it writes
# results/registers.txt anew.  Chances are counted behind the check, for half a second at
# most, and are not in that time.
set -eu
before=$(realpath "${1:?the program to compare with}")
now=$(realpath "${2:-build/isostress}")
rounds=${ROUNDS:-5}
top=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

make_histories() { # a line each: its workload and levels
  "$now" generate -w mt -c 20 -t 200k -k 100k -i ser --seed 1 "$work/mt" 2>/dev/null
  "$now" generate -w general -c 8 -t 60k -i si --seed 2 "$work/general" 2>/dev/null
  "$now" generate -w append -c 8 -t 40k -i ser --seed 3 "$work/append" 2>/dev/null
  "$now" generate -w cas -c 20 -t 200k -i sser --seed 4 "$work/cas" 2>/dev/null
}

# The seconds of the check, the most memory in MB, and the first word of the answer.
once() { # once PROGRAM LEVEL HISTORY: a line for the file of the program
  /usr/bin/time -f %M -o "$work/took" "$1" check -j 1 -l "$2" "$3" >"$work/said" 2>/dev/null || true
  awk -v memory="$(tail -n 1 "$work/took")" 'NR == 1 { sub(/:.*/, ""); said = $1 }
    match($0, /\([0-9.]+ s\)/) && !time { time = substr($0, RSTART + 1) + 0 }
    END { print time + 0, memory / 1024, said }' "$work/said"
}
least() { # least FILE
  awk '!n++ || $1 < time { time = $1 } $2 > memory { memory = $2 } { said = $3 }
    END { print time, memory, said }' "$1"
}

compare() { # compare WORKLOAD LEVEL
  local round
  rm -f "$work/before" "$work/now"
  for ((round = 0; round < rounds; round++)); do
    once "$before" "$2" "$work/$1" >>"$work/before"
    once "$now" "$2" "$work/$1" >>"$work/now"
  done
  paste -d' ' <(least "$work/before") <(least "$work/now") | awk -v name="$1" -v level="$2" '
    { printf "%-9s%-6s%7.2f s%8.0f MB%9.2f s%8.0f MB%8.2f%8.2f  %s%s\n", name, level, $1, $2, $4, $5,
        ($4 + .005) / ($1 + .005), $5 / $2, $6, $3 == $6 ? "" : ", was " $3 }'
}

measure() {
  echo "# $(nproc) cores of $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1); load before $(cut -d' ' -f1 /proc/loadavg)"
  echo "# before: $("$before" --version | head -n 1), $(date -r "$before" +%F); $rounds rounds"
  echo "#                    before                 now        time  memory  answer"
  make_histories
  local level
  for level in rc ra cc pc si ser sser; do
    for workload in mt general append cas; do
      compare "$workload" "$level"
    done
  done
}
if [ "${WRITE:-}" = yes ]; then
  echo "\$ bench/registers.sh BEFORE" >"$work/text"
  measure | tee -a "$work/text"
  cp "$work/text" "$top/results/registers.txt"
else
  measure
fi
