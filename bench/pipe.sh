#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The cost of a driver by a pipe for each transaction of mt (4.3 messages), in C, node
# and Python, over the same store that does nothing but keep values, with one and
# eight sessions: the median time of a transaction, the processor time of both sides,
# with the driver's start, and the transactions a second.  Medians of ROUNDS rounds, in
# turns, as ratios to C within a round.  The median of mt is the mean of those of its
# shapes, by how often each was committed.
#
#   bench/pipe.sh [ROUNDS [TRANSACTIONS]]
#
# Expects to be started where isostress was built.
set -eu
rounds=${1:-5} transactions=${2:-20000}
source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/pipe
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
${CC:-cc} -O2 -o "$directory/null" "$source/null.c"

# LANGUAGE COMMAND
drivers() {
  cat <<END
C $directory/null
node node $source/null.cjs
Python python3 $source/null.py
END
}

# Microseconds; of a report.
median_latency() {
  python3 -c '
import json, sys
shapes = json.load(sys.stdin)["run"]["shapes"]
print(sum(s["committed"] * s["latency"]["p50_ns"] for s in shapes) / sum(s["committed"] for s in shapes) / 1000)'
}

# measure LANGUAGE CLIENTS COMMAND: LANGUAGE CLIENTS, microseconds of processor
# time of a transaction, of both sides, transactions a second, and microseconds of the
# median transaction.
measure() {
  local language=$1 clients=$2 time
  shift 2
  time=$({ TIMEFORMAT='%R %U %S' && time ./isostress run -w mt -c "$clients" -t "$((transactions / clients))" -T 0 \
    -P 0 --seed=1 --check=none --record=off --driver-test=off --driver="$*" -o "$directory/runs" --output json >"$directory/report" 2>/dev/null; } 2>&1)
  awk -v n="$transactions" -v l="$language" -v c="$clients" -v p50="$(median_latency <"$directory/report")" \
    '{ print l, c, ($2 + $3) / n * 1e6, n / $1, p50 }' <<<"$time"
}

for ((round = 0; round < rounds; round++)); do
  for clients in 1 8; do
    while read -r language command; do
      # shellcheck disable=SC2086
      ! command -v "${command%% *}" >/dev/null || measure "$language" "$clients" $command
    done < <(drivers)
  done
done >"$directory/all"

printf '%-8s %8s %8s %10s %10s %9s %9s %14s\n' driver sessions 'p50 us' 'p50 / C' 'CPU us' 'CPU / C' 'a second' 'a second / C'
for clients in 1 8; do
  for language in C node Python; do
    awk -v l="$language" -v c="$clients" '
      function median(a, n,   i, j, t) {
        for (i = 1; i <= n; i++) for (j = i + 1; j <= n; j++) if (a[j] < a[i]) { t = a[i]; a[i] = a[j]; a[j] = t }
        return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2
      }
      $2 != c { next }
      $1 == "C" { cpu = $3; rate = $4; p50 = $5 }
      $1 == l {
        n++
        own[n] = $3; per[n] = $4; time[n] = $5
        ratio[n] = $3 / cpu; rates[n] = $4 / rate; times[n] = $5 / p50
      }
      END {
        if (n) printf "%-8s %8d %8.1f %10.2f %10.1f %9.2f %9.0f %14.2f\n", l, c, median(time, n), median(times, n),
          median(own, n), median(ratio, n), median(per, n), median(rates, n)
      }' "$directory/all"
  done
done
