#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Committed transactions per second and client CPU of isostress against pgbench
# on PostgreSQL.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"

# Nothing that comes and goes by itself.
server_start postgresql autovacuum=off checkpoint_timeout=1h max_wal_size=4GB ||
  exit 1
uri=${server_uri[0]}

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

run_rival() {
  { time PGOPTIONS='-c enable_seqscan=off' "$(postgresql_program pgbench)" -n \
    -M prepared -c "$sessions" -j "$sessions" -T "$seconds" --max-tries=1 \
    -D "keys=$keys" -f "$work/rmw2.sql" "$uri" >"$work/out" 2>"$work/err"; } \
    2>"$work/times"
  count "$work/times" \
    "$(said '^number of transactions actually processed: ([0-9]+)')" \
    "$(said '^tps = ([0-9.]+) \(without')"
}

report pgbench live_postgresql "$("$(postgresql_program postgres)" --version)"
