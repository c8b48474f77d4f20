#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress run on a real etcd, alone and as a cluster: levels kept and broken,
# crashes in mid-run, and every way in which it can not start.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs etcd-3
case $(isostress list drivers) in
  *etcd:*) ;;
  *)
    echo "1..0 # SKIP built without libcurl: apt-get install libcurl4-openssl-dev libjansson-dev"
    exit 0
    ;;
esac
plan 43

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
keeps() { # keeps TARGET NAME OPTION...
  local target=$1 name=$2
  shift 2
  stress "$target" --max-tries 100 "$@"
  is "$status" 0 "$name"
  at_least 2000 "$(committed)" "$name: over 2,000 transactions"
}
accounted() { # accounted NAME: is every attempt?
  is "$(sed -n 's/^attempts  *\([0-9]*\) = \([0-9]*\) committed + \([0-9]*\) aborted.* + \([0-9]*\) unknown$/\1 \2+\3+\4/p' <<<"$out" |
    awk '{ split($2, n, "+"); print $1 - n[1] - n[2] - n[3] }')" 0 "$1"
}
crash_after() { # crash_after SECONDS NODE [COMMAND...]: then the command
  sleep "$1"
  node_crash "$2"
  shift 2
  "$@"
}

# ---- Alone

live_start etcd
uri=${server_uri[0]} node=$server/0 alone=$(<"$server/0/port")
keeps "$uri" "strict keeps SSER (mt)" -i strict -t 300
like "$out" '^database +etcd [0-9.]+, 1 member, led by node0$' "the server is recorded"
keeps "$uri" "compare-and-set is linearizable (cas)" -i sser -w cas -t 280
stress "$uri" -w append -t 40
is "$status" 0 "strict keeps SSER (append)"
stress "$uri" -w general -i stale -t 40
is "$status" 0 "stale keeps SER (general)"

crash_after 1 "$node" node_start "$node" &
crashing=$!
stress "$uri" -T 4
wait "$crashing"
is "$status" 0 "SSER is kept over a crash"
like "$out" 'connection lost \(' "sessions lost their connections"
at_least 500 "$(committed)" "they went on after the restart"
accounted "every attempt is accounted for"
counts=$(grep -m 1 ' count\.$' <<<"$out")
run isostress check "$results/history" -l sser
is "$status" 0 "the record is complete"
is "$(grep -m 1 ' count\.$' <<<"$out")" "$counts" "and holds the same"

crash_after 1 "$node" &
crashing=$!
stress "$uri" -T 2
wait "$crashing"
is "$status" 255 "a server that dies for good is trouble"
like "$err" "^isostress: .*etcd at 127\.0\.0\.1:$alone: Couldn't connect to server \(Connection refused\)$" \
  "the reason is said"
run isostress check "$results/history" -l sser
is "$status" 0 "what was recorded can be checked"
node_start "$node"

# ---- Keys of others

etcdctl() { # etcdctl WORD...: on the server that is alone
  ETCDCTL_API=3 "$(etcd_program etcdctl)" --endpoints="http://127.0.0.1:$alone" "$@"
}
etcdctl put other:1 precious >"$work/said"
stress "$uri?prefix=other:" -t 10
is "$status" 255 "keys that are not ours are left alone"
like "$err" "^isostress: etcd at 127\.0\.0\.1:$alone has keys other:\* that were not made by isostress; choose other names with prefix=NAME$" \
  "which is said"
etcdctl put isostress:mine precious >"$work/said"
stress "$uri" -t 10
is "$(etcdctl get --print-value-only other:1)$(etcdctl get --print-value-only isostress:mine)" \
  preciousprecious "they are still there"

# ---- Bad input

refused() { # refused STATUS TARGET REGEX NAME [OPTION...]
  local wanted=$1 target=$2 regex=$3 name=$4
  shift 4
  stress "$target" -t 1 "$@"
  is "$status" "$wanted" "$name is refused"
  like "$err" "^isostress: $regex$" "$name: in one sentence"
}
at="etcd at 127\.0\.0\.1:$alone"
refused 255 "etcd://127.0.0.1:1" \
  "etcd at 127\.0\.0\.1:1: Couldn't connect to server \(Connection refused\)" "a closed port"
refused 255 "etcd://no-such-host.invalid" \
  "etcd at no-such-host\.invalid:2379: Couldn't resolve host name" "an unknown host"
refused 255 "${uri/etcd:\/\//etcd://root:mistyped@}" "$at: etcdserver: authentication is not enabled" \
  "a login where there are none"
refused 254 "$uri" 'etcd has no isolation level "si"; it has strict \(sser\), stale \(ser\)' \
  "a level that it lacks" -i si
etcdctl user add root:throwaway >"$work/said"
etcdctl user grant-role root root >"$work/said"
etcdctl auth enable >"$work/said"
refused 255 "${uri/etcd:\/\//etcd://root:mistyped@}" \
  "$at: etcdserver: authentication failed, invalid user ID or password" "a wrong password"
refused 255 "$uri" "$at: can not look for keys: etcdserver: user name is empty" "no password"
stress "${uri/etcd:\/\//etcd://root:throwaway@}" -t 10
is "$status" 0 "a right password is let in"
is "$(grep -rl -e throwaway -e mistyped "$work/runs")" "" \
  "no password is in any file of any run"
server_stop "$server"

# ---- As a cluster

live_start etcd-3
uri=etcd://$(IFS=,; echo "${server_uri[*]#etcd://}")
keeps "$uri" "a cluster keeps SSER (mt)" -i strict -t 300
like "$out" '^database +etcd [0-9.]+, 3 members, led by node[0-2]$' "the cluster is recorded"
keeps "$uri" "compare-and-set is linearizable over a cluster (cas)" -i strict -w cas -t 280
stress "$uri" -i stale -t 150
is "$status" 0 "stale reads keep SER"
stress "$uri" -i stale --check sser -c 12 -k 2 --shares rmw1:0.2,ro:0.8 -t 300
is "$status" 1 "but not SSER"
like "$out" '^VIOLATION: strict serializability was broken by StaleRead' "for reads are stale"
crash_after 1 "$server/1" node_start "$server/1" &
crashing=$!
stress "$uri" -T 4
wait "$crashing"
is "$status" 0 "SSER is kept over the crash of a member"
accounted "every attempt on the cluster is accounted for"
