#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# "Make sure that the row is there, then change it": explore says that all
# outcomes are serial at READ COMMITTED, and PostgreSQL says so, too.  A row
# that is read without its lock is the control: both find what is lost.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs postgresql
live_needs_driver postgresql libpq-dev
plan 6

cat >"$work/schema.sql" <<'END'
CREATE TABLE visits (page int PRIMARY KEY, n int NOT NULL);
INSERT INTO visits VALUES (1, 5);
END
cat >"$work/ensure_add.pgbench" <<'END'
BEGIN;
INSERT INTO visits VALUES (1, 0) ON CONFLICT DO NOTHING;
UPDATE visits SET n = n + 1 WHERE page = 1;
COMMIT;
END
cat >"$work/ensure_lock_add.pgbench" <<'END'
BEGIN;
INSERT INTO visits VALUES (1, 0) ON CONFLICT DO NOTHING;
SELECT n FROM visits WHERE page = 1 FOR UPDATE \gset
UPDATE visits SET n = :n + 1 WHERE page = 1;
COMMIT;
END
sed 's/ FOR UPDATE//' "$work/ensure_lock_add.pgbench" >"$work/ensure_read_add.pgbench"

live_start postgresql
both() { # both SCRIPT STATUS NAME
  run isostress explore -i rc-statement --schema "$work/schema.sql" "$work/$1.pgbench@2"
  is "$status" "$2" "explored: $3"
  stress "${server_uri[0]}" -i "read committed" --check=ser --schema "$work/schema.sql" -w "$work/$1.pgbench" -c 4 -t 300
  is "$status" "$2" "run: $3"
}
both ensure_add 0 "an INSERT of a row that is there, then an UPDATE, is serial"
both ensure_lock_add 0 "so is a SELECT FOR UPDATE between the two"
both ensure_read_add 1 "a SELECT without a lock is not"
server_stop "$server"
