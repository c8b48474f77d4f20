#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress run on a real Redis: what WATCH keeps and what is broken without it,
# crashes in mid-run, and every way in which it cannot start.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs redis-replica
live_needs_driver redis libhiredis-dev
plan 69

# With everysec, Redis answers before it has written while the disk is busy, and
# then loses what it acknowledged.
live_start redis appendonly=yes appendfsync=no
uri=${server_uri[0]} node=$server/0
port=$(line_of "$node/port")

# ---- With WATCH

keeps "$uri" watch "watch keeps SER (mt)"
like "$out" '^database +Redis [0-9.]+, primary, appendonly yes, appendfsync no, maxmemory-policy noeviction$' \
  "the server and its settings are recorded"
keeps "$uri" watch "watch keeps SER (append)" "${append[@]}"
keeps "$uri" watch "watch keeps SER (general)" "${general[@]}"
keeps "$uri" watch "compare-and-set is linearizable (cas)" -w cas --check sser
keeps "$uri?pipeline=yes" watch "watch keeps SER, pipelined (mt)"
keeps "$uri?pipeline=yes" watch "watch keeps SER, pipelined (append)" "${append[@]}"
stress "$uri" -i ser -t 10
like "$out" 'level watch,' "ser is watch"

# ---- Without WATCH

breaks "$uri" multi LostUpdate "multi breaks SI" --check si --shares rmw1:1 -k 10 -t 500
told "a lost update" "Each would have to come before the other\. Whichever came last, "
run isostress run -i multi -t 500 -k 10 -o "$work/runs" "$uri"
like "$status:$(head -n 1 <<<"$out")" '^0:PASS: The strongest level that Redis kept in this run is read committed\.' \
  "the strongest level that multi kept is told"
run isostress steps "$TOP_SRCDIR/configs/steps/redis-partial-effect.steps" -i multi "$uri"
is "$status" 0 "commands of a step script are executed"
like "$out" '^anomaly +seen$' "what EXEC refuses does not undo the rest"
breaks "$uri" multi '[A-Z]' "compare-and-set without WATCH is not linearizable" \
  --check sser -w cas -t 500

# ---- Ways in

stress "redis:$node/socket?password=x" -t 10
is "$status" 254 "an option password is refused"
REDISCLI_AUTH=throwaway stress "redis:$node/socket" -t 10
is "$status" 0 "sockets are reached, passwords come from the environment"
stress "redis://default:throwaway@127.0.0.1:$port/3?prefix=a:b:" -t 10
is "$status" 0 "users have names, databases numbers"
like "$(redis_ask "$node" -n 3 get a:b:)" "^made by isostress, which deletes it in its next run " \
  "keys are where they should be"

# ---- Keys of others

redis_ask "$node" set other:1 precious >"$work/said"
redis_ask "$node" set other: precious >"$work/said"
stress "$uri?prefix=other:" -t 10
is "$status" 255 "keys that are not ours are left alone"
like "$err" "^isostress: Redis at 127\.0\.0\.1:$port has a key other:1 that was not made by isostress; choose other names with prefix=NAME$" \
  "the sentence says to choose other names"
redis_ask "$node" set isostress:mine precious >"$work/said"
stress "$uri" -t 10
is "$(redis_ask "$node" mget other:1 isostress:mine | sort -u)" precious "they are still there"
stress "$uri" -w append -t 10
is "$status" 0 "lists replace the registers of the run before"

# ---- Crashes

survives_crash "$node" "$uri" watch ser
dies "$node" "$uri" watch ser "Redis at 127\.0\.0\.1:$port: Connection refused"

kept=$node
live_start redis
crash_within "$server/0" "${server_uri[0]}" -i watch
is "$status" 1 "a lost acknowledged write is found without an append-only file"
run isostress clean "${server_uri[0]}"
like "$status $out" '^0 removed [0-9]+ tables or keys of isostress$' \
  "what the sessions wrote after the restart is still known for isostress's"
node=$kept port=$(line_of "$kept/port")

# ---- Two runs at once

one_at_a_time "$uri" watch \
  "Redis at 127\.0\.0\.1:$port: another run uses keys isostress:\*; wait until it has ended, or choose other names with prefix=NAME"

# ---- Bad input

at="Redis at 127\.0\.0\.1:$port"
refused 255 "${uri/throwaway/mistyped}" \
  "$at: WRONGPASS invalid username-password pair or user is disabled\." "a wrong password"
refused 255 "redis://127.0.0.1:$port" "$at: NOAUTH Authentication required\." "no password"
refused 255 "redis://127.0.0.1:1" "Redis at 127\.0\.0\.1:1: Connection refused" "a closed port"
refused 255 "redis://no-such-host.invalid" \
  "Redis at no-such-host\.invalid:6379: .*" "an unknown host"
refused 254 "$uri/x" "db=x is not a number from 0 to 65535" "a database by a name"
refused 255 "$uri/99" "$at: ERR DB index is out of range" "a missing database"
redis_ask "$node" config set maxclients 5 >"$work/said"
refused 255 "$uri" "session [0-9] could not connect: $at: ERR max number of clients reached" \
  "too many sessions are refused"
redis_ask "$node" config set maxclients 1000 >"$work/said"
refused 254 "$uri" 'redis has no isolation level "si"; it has watch \(ser\), multi \(none\)' \
  "a level that it lacks" -i si
live_start redis-replica
refused 255 "${server_uri[1]}" \
  "Redis at 127\.0\.0\.1:[0-9]+ is a read-only replica, on which no key can be set; name the primary" \
  "a replica"

# ---- Secrets

is "$(grep -rl -e throwaway -e mistyped "$work/runs")" "" \
  "no password is in any file of any run"
