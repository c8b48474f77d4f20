#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Checks generated histories of mini-transactions on a million keys as a stream
# and in memory, at SER and SSER: wall time and peak memory, beside the time in
# which the file can be read.  Run in the build directory.
#
#   bench/stream.sh [TRANSACTIONS...]     of eight sessions together
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Seconds, MB and what came of a check.
cost() { # cost STREAM LEVEL
  local time kb
  { /usr/bin/time -f '%e %M' -o "$work/time" ./isostress check -j 1 -l "$2" --stream="$1" "$work/history" || true; } \
    >"$work/out" 2>/dev/null
  read -r time kb < <(tail -n 1 "$work/time")
  printf '%7.1f s %6d MB %s' "$time" $((kb / 1024)) "$(sed -n '1s/:.*//p' "$work/out" | tr '[:upper:]' '[:lower:]')"
}

printf '%12s %12s %8s %8s %5s  %-26s %-26s\n' transactions operations 'file MB' 'read s' level 'as a stream' 'in memory'
[ $# -gt 0 ] || set -- 100000 1000000 8000000
for count; do
  ./isostress generate -i sser -c 8 -t $((count / 8)) -k 1M --seed 1 "$work/history" >/dev/null 2>&1
  size=$(($(stat -c %s "$work/history") / 1000000))
  read_seconds=$({ TIMEFORMAT=%R; time cat "$work/history" >/dev/null; } 2>&1)
  for level in ser sser; do
    stream=$(cost on "$level")
    operations=$(sed -n 's/.* \([0-9]*\) operations count.*/\1/p' "$work/out")
    printf '%12d %12d %8d %8.2f %5s  %-26s %-26s\n' "$count" "$operations" "$size" "$read_seconds" "$level" "$stream" "$(cost off "$level")"
  done
  rm "$work/history"
done
