#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress run on a PostgreSQL primary and its standby: what reading from the
# standby breaks, what is said of the hosts, and answers that a crash loses.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs postgresql-standby
live_needs_driver postgresql libpq-dev
plan 31

live_start postgresql-standby
primary=${server_uri[0]} both=$(all_hosts "${server_uri[@]}")
admin=${server_admin[0]}
at=("127\.0\.0\.1:$(line_of "$server/0/port")" "127\.0\.0\.1:$(line_of "$server/1/port")")
sql() { "$(postgresql_program psql)" -qAtX "$admin" -c "$1"; }

# ---- Reading from the standby

finds "$both" "repeatable read" SessionGuaranteeViolation \
  "sessions miss on the standby what they have just written" \
  --endpoints replica-reads -k 10 -t 300
like "$out" '^endpoints   replica-reads$' "the way is said"
like "$out" "^  ${at[0]} +[0-9]+ = [0-9]+ committed .*, of sessions 0-7$" "all sessions write to the primary"
like "$out" "^  ${at[1]} +[0-9]+ = [0-9]+ committed .*, of sessions 0-7$" \
  "all sessions read from the standby"
unlike "$out" 'read-only transaction' "none write to it"
like "$out" " at ${at[1]}: it read [a-z]" "the counterexample names the standby"
json=$(tr -d ' \n' <"$(sed -n 's/^results: //p' <<<"$out")/report.json")
like "$json" "\"routing\":\"replica-reads\",\"endpoints\":\[\{\"name\":\"${at[0]}\",\"begun\":[0-9]+,.*\"sessions\":\[\{\"session\":0,\"begun\":[0-9]+\}" \
  "JSON has the attempts at each host"
like "$json" "\"endpoint\":\"${at[1]}\"" "the counterexample in JSON names the standby"
# Each transaction goes again to the host that it went to.
run isostress replay "$work/runs/latest" "$both" --repeat 3
performed=$(awk '$2 == "at" { host[$1] = $3 }
  $2 ~ /^(read|write)$/ { print $2 " at " host[$1] }' <<<"$out" | sort -u)
is "$(grep write <<<"$performed")" "write at 0" "a replay writes to the primary alone"
like "$performed" '^read at 1$' "a replay reads from the standby"
like "$out" 'of 3 performances; in 0 something aborted' "a replay is not refused"
finds "$both" "repeatable read" StaleRead "what is read there is stale" \
  --endpoints replica-reads --no-session-order --check sser \
  --shares rmw1:0.3,ro:0.7 -k 5 -t 300

# Without waiting for anything, commits become visible in one order on the
# primary and in another one on the standby; it happens all the more when they
# wait for the standby.
sql "ALTER ROLE isostress SET synchronous_commit = remote_apply"
sql "ALTER SYSTEM SET synchronous_standby_names = '*'"
sql "SELECT pg_reload_conf()" >"$work/said"
finds "$both" "repeatable read" LongFork \
  "with synchronous_commit=remote_apply, the hosts disagree about the order of commits" \
  --endpoints replica-reads -c 16 -k 20 --shares r2w1:0.3,ro:0.7 --max-tries 20 -t 300
sql "ALTER SYSTEM RESET synchronous_standby_names"
sql "ALTER ROLE isostress RESET synchronous_commit"
sql "SELECT pg_reload_conf()" >"$work/said"

# A lone SELECT of transactions of any SQL is one that only reads.
race=$TOP_SRCDIR/tests/corpus/trigger.dev
for ((i = 0; i < 5; i++)); do
  run isostress run "$both" -w "$race/before.sql" --schema "$race/schema.sql" --endpoints replica-reads -i "read committed" \
    -c 4 -t 100 -P 0 --invariant "$(<"$race/invariant.sql")" --equals 0 -o "$work/runs"
  [ "$status" = 0 ] || break
done
is "$status" 1 "transactions of any SQL read from the standby, too"
like "$(tr -s ' \n' ' ' <<<"$out")" 'was [0-9]+, not 0' "and miss there what was written before"

# ---- Pinned to it

stress "$both" -i "repeatable read" --check none -c 4 -t 200
like "$out" 'other \(25006\): cannot execute [A-Z]+ in a read-only transaction$' \
  "a standby refuses to write"
like "$out" "^  ${at[1]} .*, of sessions 1, 3$" "sessions that are pinned to a standby are refused"
stress "$both" -i "repeatable read" --check none -t 50 --endpoints random
like "$out" "^  ${at[1]} .*, of sessions 0-7$" "random sessions go everywhere"

# ---- Lost answers

survives=$server/0
crash_within "$survives" "$primary" -i "repeatable read" --resolve-unknown
kept_when_stopped "SI is kept over a crash after which lost answers were asked about"
accounted "every attempt is accounted for"

# All connections are lost again and again; between PostgreSQL's word and the
# values that are there, little stays unknown.
stress_start "$primary" -i "repeatable read" --resolve-unknown -T 0 -c 16 -k 5000
for ((i = 0; i < 12; i++)); do
  stress_past $((i * 100))
  sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'isostress'" \
    >"$work/said"
done
kill -TERM "$stressing"
stress_wait
kept_when_stopped "SI is kept over connections that are lost again and again"
accounted "every attempt is accounted for"

# ---- Bad input

refused 254 "$primary" 'endpoints=hop needs a target with several hosts, as in SCHEME://HOST:PORT,HOST:PORT' \
  "hopping on one host" --endpoints hop
refused 254 "$both" '--endpoints: must be pin, hop, random, replica-reads or primary, not "replica-read"; did you mean replica-reads\?' \
  "a way that there is not" --endpoints replica-read
is "$(grep -rl throwaway "$work/runs")" "" "no password is in any file of any run"
