#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs of three ranks on one SQLite file, which is strictly serializable, each
# rank with another clock (unshare -T): none may break strict serializability.
#   bench/rank_clocks.sh [RUNS]      1,000 of them, unless said
set -eu
runs=${1:-1000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unshare -T --monotonic 5 true || {
  echo "this machine gives no clocks of one's own (unshare -T, as root)" >&2
  exit 1
}

false_ones=0
for ((i = 1; i <= runs; i++)); do
  rm -rf results
  port=$((10000 + SRANDOM % 20000))
  for r in 0 1 2; do
    unshare -T --fork --kill-child --monotonic $((SRANDOM % 7200)) \
      isostress run --rank="$r/3" --meet="127.0.0.1:$port" -c 2 -t 100 -k 5 --seed "$i" sqlite:db >"out.$r" 2>&1 &
  done
  wait
  verdict=$(isostress check -l sser results/runs/latest) || true
  case $verdict in
    "PASS: strict"*) ;;
    *)
      false_ones=$((false_ones + 1))
      echo "run $i: $(head -n 2 <<<"$verdict") $(cat out.0)" >&2
      ;;
  esac
  sed -n 's/^ *rank [12] .*known to \([0-9.]*\) us.*/\1/p' results/runs/latest/report.txt >>widths
done
echo "$runs runs of three ranks with clocks of their own: $false_ones without a proof of strict serializability"
sort -g widths | awk '{ w[NR] = $1 } END { printf "width of the bounds: median %s us, 95 %% %s us, widest %s us\n", w[int((NR + 1) / 2)], w[int(NR * .95 + .5)], w[NR] }'
