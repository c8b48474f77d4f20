#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress run on a real Redis: what WATCH keeps and what is broken without it,
# crashes in mid-run, and every way in which it can not start.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs redis-replica
case $(isostress list drivers) in
  *redis:*) ;;
  *)
    echo "1..0 # SKIP built without hiredis: apt-get install libhiredis-dev"
    exit 0
    ;;
esac
plan 47

live_start redis appendonly=yes
uri=${server_uri[0]} node=$server/0
port=$(<"$node/port")

stress() { # stress TARGET [OPTION...]: sets $status, $out, $err and $results
  run isostress run "$@" --seed 1 -o "$work/runs"
  results=$(sed -n 's/^results: //p' <<<"$out")
}
committed() { # what the verdict says
  sed -n 's/^  \([0-9]*\) committed, .* count\.$/\1/p' <<<"$out"
}
at_least() { # at_least LEAST NUMBER NAME
  if [ "${2:-0}" -ge "$1" ]; then tap_report 1 "$3"
  else tap_report 0 "$3" "got: ${2:-nothing}, wanted: at least $1
$out
$err"; fi
}

# ---- With WATCH

keeps() { # keeps NAME OPTION...
  local name=$1
  shift
  stress "$uri" -i watch --max-tries 100 "$@"
  is "$status" 0 "$name"
  at_least 20000 "$(committed)" "$name: over 20,000 transactions"
}
keeps "watch keeps SER (mt)" -t 3000
like "$out" '^database +Redis [0-9.]+, primary, appendonly yes, appendfsync everysec, maxmemory-policy noeviction$' \
  "the server and its settings are recorded"
keeps "watch keeps SER (append)" -w append -t 3800
keeps "compare-and-set is linearizable (cas)" -w cas --check sser -t 2700
stress "$uri" -i ser -t 10
like "$out$err" 'level "watch"' "ser is watch"

# ---- Without WATCH

stress "$uri" -i multi --check si --shares rmw1:1 -k 10 -t 500
is "$status" 1 "multi breaks SI"
like "$out" '^VIOLATION: snapshot isolation was broken by LostUpdate' "by a lost update"
stress "$uri" -i multi --check sser -w cas -t 500
is "$status" 1 "compare-and-set without WATCH is not linearizable"

# ---- Ways in

stress "redis:$node/socket?password=x" -t 10
is "$status" 254 "there is no option password"
REDISCLI_AUTH=throwaway stress "redis:$node/socket" -t 10
is "$status" 0 "sockets are reached, passwords come from the environment"
stress "redis://default:throwaway@127.0.0.1:$port/3?prefix=a:b:" -t 10
is "$status" 0 "users have names, databases numbers"
is "$(redis_ask "$node" -n 3 get a:b:)" "made by isostress, which deletes it in its next run" \
  "keys are where they should be"

# ---- Keys of others

redis_ask "$node" set other:1 precious >"$work/said"
redis_ask "$node" set other: precious >"$work/said"
stress "$uri?prefix=other:" -t 10
is "$status" 255 "keys that are not ours are left alone"
like "$err" "^isostress: Redis at 127\.0\.0\.1:$port has a key other:1 that was not made by isostress; choose other names with prefix=NAME$" \
  "which is said"
redis_ask "$node" set isostress:mine precious >"$work/said"
stress "$uri" -t 10
is "$(redis_ask "$node" mget other:1 isostress:mine | sort -u)" precious "they are still there"
stress "$uri" -w append -t 10
is "$status" 0 "lists replace the registers of the run before"

# ---- Crashes

crash_after() { # crash_after SECONDS [COMMAND...]: of the server, then the command
  sleep "$1"
  shift
  node_crash "$node"
  "$@"
}
crash_after 1 node_start "$node" &
crashing=$!
stress "$uri" -i watch -T 3
wait "$crashing"
is "$status" 0 "SER is kept over a crash"
like "$out" 'connection lost \(' "sessions lost their connections"
at_least 5000 "$(committed)" "they went on after the restart"
is "$(sed -n 's/^attempts  *\([0-9]*\) = \([0-9]*\) committed + \([0-9]*\) aborted.* + \([0-9]*\) unknown$/\1 \2+\3+\4/p' <<<"$out" |
  awk '{ split($2, n, "+"); print $1 - n[1] - n[2] - n[3] }')" 0 \
  "every attempt is accounted for"
counts=$(grep -m 1 ' count\.$' <<<"$out")
run isostress check "$results/history" -l ser
is "$status" 0 "the record is complete"
is "$(grep -m 1 ' count\.$' <<<"$out")" "$counts" "and holds the same"

crash_after 1 &
crashing=$!
stress "$uri" -i watch -T 2
wait "$crashing"
is "$status" 255 "a server that dies for good is trouble"
like "$err" "^isostress: .*Redis at 127\.0\.0\.1:$port: Connection refused$" "the reason is said"
run isostress check "$results/history" -l ser
is "$status" 0 "what was recorded can be checked"
at_least 1000 "$(committed)" "up to the end"
node_start "$node"

answers() { [ "$(redis_ask "$node" ping)" = PONG ]; }
wait_for 20 answers

kept=$node
live_start redis
node=$server/0
crash_after 1 node_start "$node" &
crashing=$!
stress "${server_uri[0]}" -i watch -T 3
wait "$crashing"
is "$status" 1 "without an append-only file, acknowledged writes are lost, and that is found"
node=$kept port=$(<"$kept/port")

# ---- Bad input

refused() { # refused STATUS TARGET REGEX NAME [OPTION...]
  local wanted=$1 target=$2 regex=$3 name=$4
  shift 4
  stress "$target" -t 1 "$@"
  is "$status" "$wanted" "$name is refused"
  like "$err" "^isostress: $regex$" "$name: in one sentence"
}
at="Redis at 127\.0\.0\.1:$port"
refused 255 "${uri/throwaway/mistyped}" \
  "$at: WRONGPASS invalid username-password pair or user is disabled\." "a wrong password"
refused 255 "redis://127.0.0.1:$port" "$at: NOAUTH Authentication required\." "no password"
refused 255 "redis://127.0.0.1:1" "Redis at 127\.0\.0\.1:1: Connection refused" "a closed port"
refused 255 "redis://no-such-host.invalid" \
  "Redis at no-such-host\.invalid:6379: Name or service not known" "an unknown host"
refused 255 "$uri/99" "$at: ERR DB index is out of range" "a missing database"
redis_ask "$node" config set maxclients 5 >"$work/said"
refused 255 "$uri" "session [0-9] could not connect: $at: ERR max number of clients reached" \
  "too many sessions"
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
