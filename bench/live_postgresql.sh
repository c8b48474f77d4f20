#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Committed transactions per second and client CPU of isostress, recording and
# not, against pgbench with the same SQL, sessions and prepared statements, on
# one PostgreSQL.  Machines drift, so only neighbours are compared: each round
# runs all three, in an order that rotates, and what counts is the median of the
# rounds' ratios.  ROUNDS and SECONDS_EACH change the length.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
. servers/servers.sh
work=$(mktemp -d "${TMPDIR:-/tmp}/isostress-bench.XXXXXX")
trap 'server_stop_started; rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
rounds=${ROUNDS:-9} seconds=${SECONDS_EACH:-4} sessions=8 keys=10000
isostress=${TOP_BUILDDIR:-.}/isostress

# Nothing that comes and goes by itself.
server_start postgresql autovacuum=off checkpoint_timeout=1h max_wal_size=4GB ||
  exit 1
uri=${server_uri[0]}

# The shape rmw2 of the workload mt.
cat >"$work/rmw2.sql" <<'SQL'
\set a random(0, :keys - 1)
\set b random(0, :keys - 1)
BEGIN ISOLATION LEVEL READ COMMITTED;
SELECT v FROM isostress WHERE k = :a;
SELECT v FROM isostress WHERE k = :b;
UPDATE isostress SET v = :client_id WHERE k = :a;
UPDATE isostress SET v = :client_id WHERE k = :b;
COMMIT;
SQL

# Prints transactions per second and microseconds of client CPU for each.
report() { # report FILE-OF-TIMES COMMITTED
  awk -v n="$2" -v s="$seconds" 'END { printf "%.0f %.2f\n", n / s, ($1 + $2) / n * 1e6 }' "$1"
}

stress() { # stress OPTION...
  "$isostress" run "$uri" --shares rmw2:1 --keys "$keys" \
    --distribution uniform -c "$sessions" --check none -o "$work/runs" "$@" \
    >"$work/out" 2>"$work/err"
}

run_isostress() { # run_isostress on|off
  (TIMEFORMAT='%U %S'
    time stress -T "${seconds}s" --record="$1") 2>"$work/times"
  report "$work/times" "$(sed -n 's/^attempts.* = \([0-9]*\) committed.*/\1/p' "$work/out")"
}

# On a table that is as fresh as isostress makes it for itself.
run_pgbench() {
  stress -t 1
  (TIMEFORMAT='%U %S'
    time PGOPTIONS='-c enable_seqscan=off' "$(postgresql_program pgbench)" -n \
      -M prepared -c "$sessions" -j "$sessions" -T "$seconds" --max-tries=1 \
      -D "keys=$keys" -f "$work/rmw2.sql" "$uri" >"$work/out" 2>"$work/err") \
    2>"$work/times"
  report "$work/times" \
    "$(sed -n 's/^number of transactions actually processed: \([0-9]*\).*/\1/p' "$work/out")"
}

measure() { # measure recorded|unrecorded|pgbench
  case $1 in
    recorded) run_isostress on ;;
    unrecorded) run_isostress off ;;
    pgbench) run_pgbench ;;
  esac
}

median_ratio() { # median_ratio COLUMN ONE OTHER: of the rounds
  awk -v column="$1" -v one="$2" -v other="$3" '
    $2 == one { a[$1] = $column }
    $2 == other { b[$1] = $column }
    END { for (i in a) print a[i] / b[i] }' "$work/rounds" |
    sort -n | awk '{ r[NR] = $1 } END { printf "%.3f", r[int((NR + 1) / 2)] }'
}

names=(recorded pgbench unrecorded)
printf '%-6s %-11s %9s %14s\n' round what tps 'CPU us/txn'
for ((round = 0; round < rounds; round++)); do
  for i in 0 1 2; do
    what=${names[(round + i) % 3]}
    read -r tps cpu < <(measure "$what")
    printf '%-6s %-11s %9s %14s\n' "$round" "$what" "$tps" "$cpu"
  done
done | tee "$work/rounds"
echo "medians of $rounds rounds of $seconds s, $sessions sessions, $keys keys:"
echo "  throughput: recorded/pgbench $(median_ratio 3 recorded pgbench)," \
  "unrecorded/pgbench $(median_ratio 3 unrecorded pgbench)," \
  "recorded/unrecorded $(median_ratio 3 recorded unrecorded)"
echo "  client CPU: recorded/pgbench $(median_ratio 4 recorded pgbench)," \
  "unrecorded/pgbench $(median_ratio 4 unrecorded pgbench)"
