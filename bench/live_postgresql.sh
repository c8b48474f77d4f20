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
SELECT v FROM rival WHERE k = :a;
SELECT v FROM rival WHERE k = :b;
UPDATE rival SET v = :client_id WHERE k = :a;
UPDATE rival SET v = :client_id WHERE k = :b;
COMMIT;
SQL

run_rival() {
  PGOPTIONS='-c enable_seqscan=off' exec "$(postgresql_program pgbench)" -n \
    -M prepared -c "$sessions" -j "$sessions" -T "$longest" --max-tries=1 \
    -D "keys=$keys" -f "$work/rmw2.sql" "$uri"
}

# Each of the transactions takes a number.
ask_server() {
  while read -r _; do
    echo "SELECT txid_snapshot_xmax(txid_current_snapshot());"
  done | "$(postgresql_program psql)" -qAtX "$uri"
}

report pgbench live_postgresql "$("$(postgresql_program postgres)" --version)"
