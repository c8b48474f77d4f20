#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress run on a real etcd, alone and as a cluster: levels kept and broken,
# crashes in mid-run, and every way in which it cannot start.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs etcd-3
live_needs_driver etcd libcurl4-openssl-dev libjansson-dev
plan 63

# ---- Alone

live_start etcd
uri=${server_uri[0]} node=$server/0 alone=$(line_of "$server/0/port")
# etcd takes a hundred times as long as the others.
[ -n "${ISOSTRESS_LONG:-}" ] || enough=1000 transactions=150
keeps "$uri" strict "strict keeps SSER (mt)"
like "$out" '^database +etcd [0-9.]+, 1 member, led by node0$' "the server is recorded"
keeps "$uri" sser "compare-and-set is linearizable (cas)" -w cas
keeps "$uri" strict "strict keeps SSER (append)" "${append[@]}"
keeps "$uri" strict "strict keeps SSER (general)" "${general[@]}"
keeps "$uri" stale "stale keeps SER (mt)"
keeps "$uri" stale "stale keeps SER (append)" "${append[@]}"
keeps "$uri" stale "stale keeps SER (general)" "${general[@]}"

survives_crash "$node" "$uri" strict sser
dies "$node" "$uri" strict sser \
  "etcd at 127\.0\.0\.1:$alone: Couldn't connect to server \(Connection refused\)"

# ---- Keys of others

etcdctl() { # etcdctl WORD...: on the server that is alone
  ETCDCTL_API=3 "$(etcd_program etcdctl)" --endpoints="http://127.0.0.1:$alone" "$@"
}
etcdctl put other:1 precious >"$work/said"
stress "$uri?prefix=other:" -t 10
is "$status" 255 "keys that are not ours are left alone"
like "$err" "^isostress: etcd at 127\.0\.0\.1:$alone has keys other:\* that were not made by isostress; choose other names with prefix=NAME$" \
  "the sentence says to choose other names"
etcdctl put isostress:mine precious >"$work/said"
stress "$uri" -t 10
is "$(etcdctl get --print-value-only other:1)$(etcdctl get --print-value-only isostress:mine)" \
  preciousprecious "they are still there"

# ---- Two runs at once

at="etcd at 127\.0\.0\.1:$alone"
one_at_a_time "$uri" strict \
  "$at: another run uses keys isostress:\*; wait until it has ended, or choose other names with prefix=NAME"

# As if nobody had renewed the claim in time.
stress_start "$uri" -i strict -T 0
stress_past 50
etcdctl del isostress:claim >"$work/said"
run isostress run -v "$uri" -i strict -t 50 -o "$work/runs"
is "$status" 0 "another run makes keys that nobody claims its own"
stress_wait
is "$status" 255 "the first run ends"
like "$out" '^(PASS|TROUBLE): .* was kept' "is not told of a violation"
like "$out" '^ +[0-9]+  other \(mark\): another run has taken over these keys; give each run its own prefix$' \
  "but why nothing commits any more"
like "$err" "isostress: no session could reconnect to the database: $at: another run has taken over keys isostress:\*; give each run its own prefix" \
  "and why it ended"

# ---- Bad input

refused 255 "etcd://127.0.0.1:1" \
  "etcd at 127\.0\.0\.1:1: Couldn't connect to server \(Connection refused\)" "a closed port"
refused 255 "etcd://no-such-host.invalid" \
  "etcd at no-such-host\.invalid:2379: Couldn't resolve host name.*" "an unknown host"
refused 255 "${uri/etcd:\/\//etcd://root:mistyped@}" "$at: etcdserver: authentication is not enabled" \
  "a login where there are none"
refused 254 "$uri" 'etcd has no isolation level "si"; it has strict \(sser\), stale \(ser\)' \
  "a level that it lacks" -i si
etcdctl user add root:throwaway >"$work/said"
etcdctl user grant-role root root >"$work/said"
etcdctl auth enable >"$work/said"
refused 255 "${uri/etcd:\/\//etcd://root:mistyped@}" \
  "$at: etcdserver: authentication failed, invalid user ID or password" "a wrong password"
refused 255 "$uri" "$at: cannot look for keys: etcdserver: user name is empty" "no password"
stress "${uri/etcd:\/\//etcd://root:throwaway@}" -t 10
is "$status" 0 "a right password is let in"
is "$(grep -rl -e throwaway -e mistyped "$work/runs")" "" \
  "no password is in any file of any run"
server_stop "$server"

# ---- As a cluster

live_start etcd-3
uri=etcd://$(IFS=,; echo "${server_uri[*]#etcd://}")
keeps "$uri" strict "a cluster keeps SSER (mt)"
like "$out" '^database +etcd [0-9.]+, 3 members, led by node[0-2]$' "the cluster is recorded"
keeps "$uri" strict "compare-and-set is linearizable over a cluster (cas)" -w cas
stress "$uri" -i stale -t 150
is "$status" 0 "stale reads keep SER"
breaks "$uri" stale StaleRead "but not SSER" \
  --check sser -c 12 -k 2 --shares rmw1:0.2,ro:0.8 -t 300
crash_within "$server/1" "$uri" -i strict
kept_when_stopped "SSER is kept over the crash of a member"
accounted "every attempt on the cluster is accounted for"
