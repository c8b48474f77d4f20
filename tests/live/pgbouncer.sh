#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# PostgreSQL behind pgbouncer in transaction mode, which gives each transaction
# another session of the server.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs postgresql
live_needs_driver postgresql libpq-dev
pgbouncer=$(type -P pgbouncer || echo /usr/sbin/pgbouncer)
if [ ! -x "$pgbouncer" ]; then
  echo "1..0 # SKIP pgbouncer not installed: apt-get install pgbouncer"
  exit 0
fi
live_start postgresql
direct=${server_uri[0]}
server_port=$(line_of "$server/0/port")
plan 23

# pgbouncer does not run as root, and its user is to read this.
pooler_user=$(postgresql_user) pooler=
chmod 711 "$work"
mkdir "$work/pooler" && chmod 777 "$work/pooler"
# $pooler is the shell around it.
trap '[ -z "$pooler" ] || kill "$(<"$work/pooler/pid")" 2>/dev/null; live_stop' EXIT
listens() { (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; }
for port in $(shuf -i 10000-29999 -n 20); do
  ! listens || continue
  cat >"$work/pooler/ini" <<END
[databases]
isostress = host=127.0.0.1 port=$server_port dbname=isostress user=isostress password=throwaway
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = $port
unix_socket_dir =
pidfile = $work/pooler/pid
auth_type = any
pool_mode = transaction
END
  as_user "$pooler_user" "$pgbouncer" "$work/pooler/ini" >"$work/pooler/log" 2>&1 &
  pooler=$!
  wait_for 10 listens && kill -0 "$pooler" 2>/dev/null && break
  pooler=
done
[ -n "$pooler" ] || {
  echo "Bail out! pgbouncer did not start"
  exit 1
}
uri=postgresql://isostress:throwaway@127.0.0.1:$port/isostress

for level in rc si ser; do
  stress "$uri" -i "$level" -t 300 --max-tries 100
  is "$status" 0 "$level is kept behind a pooler"
done
like "$out" '^database .*, prepare=unnamed \(behind a pooler\)$' "the report says that a pooler is there"
stress "$uri" -i ser -t 100 -w append --max-tries 100
is "$status" 0 "lists keep their level behind a pooler"
stress "$direct" -t 100
unlike "$out" 'pooler' "the server itself is no pooler"
stress "$direct?prepare=unnamed" -i ser -t 300 --max-tries 100
is "$status" 0 "statements without names work there as well"
refused 255 "$uri?pipeline=yes" \
  "pipeline=yes is not possible behind a pooler or with prepare=unnamed: leave it away" "a pipeline"

# Both sessions may get one server, which knows the name already.
stress "$uri?prepare=named" -t 1
is "$status" 255 "statements with names are refused"
like "$err" "statements cannot have names behind this pooler: take \\?prepare=unnamed$" \
  "statements with names: in one sentence"

# The claim is a transaction, so the pooler ends it with its client.
one_at_a_time "$uri" serializable \
  "PostgreSQL at 127\.0\.0\.1:$port: another run uses the table isostress; wait until it has ended \(behind a pooler its claim ends when the pooler lets its client go\), or choose other names with table=NAME"
stress_start "$uri" -i rc -T 0
stress_past 50
run isostress run -v "$direct" -t 10 -o "$work/runs"
is "$status" 255 "a run that goes around the pooler is refused as well"
kill -KILL "$stressing"
stress_wait
stress "$uri" -t 10
is "$status" 0 "a run that was killed keeps no other away"

run isostress steps p4 "$uri" -i rc
is "$status" 0 "a step script behind a pooler"
unlike "$out" 'told by time' "the server says who waits behind a pooler, too"

run isostress run "$uri" -w upsert -i serializable --check sser -c 4 -t 20 -o "$work/runs" -P 0
is "$status" 0 "transactions of any SQL behind a pooler"
unlike "$out" 'refused by code|does not exist' "find their tables in each transaction"

run isostress scorecard "$uri" -T 500ms -o "$work/cards"
# Rows with conditions may show one primary key twice (results/predicate.txt).
like "$status: $(grep 'BROKEN PROMISE' <<<"$out")" '^(0: *$|1: .*BROKEN PROMISE)' "a scorecard behind a pooler"
unlike "$(grep -E '^(Lost update|Write skew|Aborted read|Read skew) ' <<<"$out")" BROKEN "of keys every level is kept behind a pooler"
