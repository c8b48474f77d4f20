#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress run on a real PostgreSQL: levels kept and broken, shapes of tables
# and statements, crashes in mid-run, and every way in which it cannot start.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs postgresql-standby
live_needs_driver postgresql libpq-dev
plan 92

live_start postgresql
uri=${server_uri[0]} admin=${server_admin[0]} node=$server/0
port=$(line_of "$node/port")

sql() { "$(postgresql_program psql)" -qAtX "$admin" -c "$1"; }

# ---- Levels that are kept

keeps "$uri" "repeatable read" "repeatable read keeps SI (mt)"
like "$out" '^database +PostgreSQL [0-9.]+ .*default_transaction_isolation read committed, fsync off, .*primary$' \
  "the server and its settings are recorded"
keeps "$uri" serializable "serializable keeps SER (mt)"
keeps "$uri" "repeatable read" "repeatable read keeps SI (append)" "${append[@]}"
keeps "$uri" serializable "serializable keeps SER (append)" "${append[@]}"
keeps "$uri" "repeatable read" "repeatable read keeps SI (general)" "${general[@]}"
keeps "$uri" serializable "serializable keeps SER (general)" "${general[@]}"
keeps "$uri" "read committed" "read committed keeps RC (mt)"
keeps "$uri" "read committed" "read committed keeps RC (append)" "${append[@]}"
keeps "$uri" "read committed" "read committed keeps RC (general)" "${general[@]}"
keeps "$uri?pipeline=yes" serializable "serializable keeps SER, pipelined (mt)"
stress "$uri" --mix="repeatable read:1,read committed:1" "${general[@]}" -t 500
is "$status" 0 "repeatable read keeps SI beside read committed"
like "$out" '^PASS: the level of each transaction was kept' "each transaction is held to its own level"
keeps "$uri" "read committed" "compare-and-set is linearizable (cas)" -w cas --check sser

# ---- Levels that are not

breaks "$uri" rc LostUpdate "read committed breaks SI" --check si --shares rmw1:1 -k 10 -t 500
told "a lost update" "Each would have to come before the other\. Whichever came last, "
breaks "$uri" "repeatable read" WriteSkew "repeatable read breaks SER" \
  --check ser --shares r2w1:1 -k 4 -t 500
told "a write skew" "Each would have to come before the other: "
breaks "$uri" "read uncommitted" '[A-Z]' "read uncommitted is no better" \
  --check si --shares reread:1,rmw1:1 -k 2 -t 500

# ---- Shapes

stress "$uri?read=for-update" -i rc --check ser -t 500
is "$status" 0 "read committed keeps SER if reads lock for update"
stress "$uri?read=for-share" -i rc --check ser -t 300
is "$status" 0 "read committed keeps SER if reads lock for share"
stress "$uri?tables=3&columns=4&index=secondary&write=update-returning" -i ser -t 500
is "$status" 0 "cells in three tables, read through a secondary index, keep SER"
is "$(sql "SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace")" \
  "isostress isostress_1 isostress_2 isostress_3" "the tables are there"
is "$(sql "SELECT string_agg(attname, ' ' ORDER BY attnum) FROM pg_attribute
    WHERE attrelid = 'isostress_2'::regclass AND attnum > 0")" \
  "k s v1 v2 v3 v4" "they have the columns"
index_was_used() { # sessions report that when they have ended
  [ "$(sql "SELECT sum(idx_scan) > 1000 FROM pg_stat_user_indexes
    WHERE indexrelname LIKE 'isostress\__\_s\_idx'")" = t ]
}
wait_for 60 index_was_used
is "$?" 0 "the secondary index is used"
stress "$uri?write=upsert&table=public.other" -i si -t 300
is "$status" 0 "upserts into a table of another name keep SI"
is "$(sql "SELECT count(*) > 900 FROM other")" t "the table of another name has its rows"

sql "CREATE TABLE precious AS SELECT 42 AS answer; ALTER TABLE precious OWNER TO isostress"
stress "$uri?table=precious" -t 10
is "$status" 255 "a table that is not ours is left alone"
like "$err" "has a table \"precious\" that was not made by isostress; choose another name" \
  "the sentence says to choose another name"
is "$(sql "SELECT answer FROM precious")" 42 "the table that is not ours keeps its row"

# ---- Ways in

export PGPASSWORD=throwaway
stress "postgres://isostress@127.0.0.1:$port/isostress" -i si -t 10
is "$status" 0 "passwords come from the environment"
stress "$uri" -i si -t 10
cp "$work/runs/latest/job.ini" "$work/again.ini"
run isostress run -v "$work/again.ini" -t 10
is "$status" 0 "a run that is made again takes its password from the environment"
unset PGPASSWORD
run isostress run -v "$work/again.ini" -t 10
like "$status $err" '^255 .*the recorded target lacks its password.*PGPASSWORD' "a missing password is named"
echo "127.0.0.1:$port:*:isostress:throwaway" >"$work/pgpass"
chmod 600 "$work/pgpass"
PGPASSFILE=$work/pgpass stress "postgresql://isostress@127.0.0.1:$port/isostress" -i si -t 10
is "$status" 0 "passwords come from libpq's own file"
stress "${admin/isostress?/postgres?}" -i si -t 10
is "$status" 0 "sockets are reached"

# ---- Crashes

survives_crash "$node" "$uri" si si
dies "$node" "$uri" si si "PostgreSQL: connection to server at .* failed: Connection refused"

# ---- Two runs at once

one_at_a_time "$uri" serializable \
  "PostgreSQL at 127\.0\.0\.1:$port: another run uses the table isostress; wait until it has ended, or choose other names with table=NAME"

# ---- Bad input

at="connection to server at \"127\.0\.0\.1\", port $port failed: FATAL: "
refused 255 "${uri/throwaway/mistyped}" \
  "PostgreSQL: $at password authentication failed for user \"isostress\"" "a wrong password"
refused 255 "postgresql://isostress:throwaway@127.0.0.1:1/x" \
  'PostgreSQL: connection to server at "127\.0\.0\.1", port 1 failed: Connection refused' \
  "a closed port"
refused 255 "postgresql://isostress:throwaway@no-such-host.invalid/x" \
  'PostgreSQL: could not translate host name "no-such-host.invalid" to address: .*' \
  "an unknown host"
refused 255 "${uri%/*}/nowhere" "PostgreSQL: $at database \"nowhere\" does not exist" \
  "a missing database"
refused 255 "$uri?table=pg_catalog.x" \
  "PostgreSQL at 127\.0\.0\.1:$port: cannot make the table \"pg_catalog\"\.\"x\": permission denied for schema pg_catalog \(42501\)" \
  "a missing privilege"
refused 255 "$uri?sslmode=require" \
  "PostgreSQL: connection to server at .* failed: server does not support SSL, but SSL was required" \
  "TLS that the server lacks"
sql "ALTER ROLE isostress CONNECTION LIMIT 3"
refused 255 "$uri" "session [0-9]+ could not connect: PostgreSQL: .*too many connections for role \"isostress\"" \
  "too many sessions are refused"
sql "ALTER ROLE isostress CONNECTION LIMIT -1"
refused 254 "$uri" 'postgresql has no isolation level "sser"; it has read committed \(rc\), repeatable read \(si\), serializable \(ser\), read uncommitted \(rc\)' \
  "a level that it lacks" -i sser
refused 254 "${uri/postgresql/postgresq}" 'there is no driver "postgresq"; did you mean postgresql:\?' \
  "a scheme that does not exist"

# ---- TLS

certificate() { # certificate NAME: and its key, for the server's user
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
    -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 \
    -keyout "$work/$1.key" -out "$work/$1.crt" 2>/dev/null
  [ "$(id -u)" != 0 ] || chown "$(postgresql_user):" "$work/$1.key"
}
certificate right
certificate wrong
chmod 711 "$work"
live_start postgresql ssl=on "ssl_cert_file=$work/right.crt" "ssl_key_file=$work/right.key"
tls="${server_uri[0]}?sslmode=verify-full&sslrootcert=$work"
stress "$tls/right.crt" -i si -t 10
is "$status" 0 "libpq's TLS options reach it"
refused 255 "$tls/wrong.crt" \
  'PostgreSQL: connection to server at .* failed: SSL error: certificate verify failed' \
  "a certificate of nobody known"

# ---- A standby

live_start postgresql-standby
refused 255 "${server_uri[1]}" \
  "PostgreSQL at 127\.0\.0\.1:[0-9]+ is a read-only standby, on which no table can be made; name the primary" \
  "a standby"

# ---- Secrets

is "$(grep -rl -e throwaway -e mistyped "$work/runs")" "" \
  "no password is in any file of any run"
