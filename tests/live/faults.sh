#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Faults while a run goes on: they strike, are taken back and are told; nothing of
# a server that was started for a run outlives it, however it ends.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs etcd redis
export ISOSTRESS_FILES=$TOP_SRCDIR
# Servers of this test only, whatever else is going on.
export ISOSTRESS_SERVERS=$work/servers
server_root=$ISOSTRESS_SERVERS
chmod 711 "$work"
trap 'isostress server stop all; rm -rf "$work"' EXIT
cd "$work" || exit 1
plan 22

left() { # what is left of servers
  find "$server_root" -mindepth 1 2>/dev/null
  pgrep -af -- "$server_root/" | grep -v pgrep
}
is_left() { [ -n "$(left)" ]; }
is_gone() { ! is_left; }

# ---- A kind that is started for the run
run isostress run --server=etcd --faults='0.5 kill 0; 0.2 start one' -T 4s -c 2 --output=json
is "$status" 0 "what etcd acknowledged survives a kill"
is "$(jq -r '.run.events[] | "\(.action) \(.nodes) \(.done)"' <<<"$out")" $'kill 0 true\nstart 0 true' \
  "the events are in the report"
is "$(jq '[.run.events[] | .begin_ns <= .end_ns and .begin_ns >= 500000000] | all' <<<"$out")" true \
  "an event ends after it begins, and begins when it is due"
run isostress check --output=json results/runs/latest
is "$(jq -r '.events[] | "\(.action) \(.nodes) \(.done)"' <<<"$out")" $'kill 0 true\nstart 0 true' \
  "the events are in the history"
run isostress convert --to=isostress results/runs/latest/history again
run isostress check --output=json again
is "$(jq -r '.events[] | "\(.action) \(.nodes) \(.done)"' <<<"$out")" $'kill 0 true\nstart 0 true' \
  "a conversion keeps them"
like "$(cat results/runs/latest/report.html)" '<rect class="band" .*<title>kill 0</title>' "plots have a band for the fault"
unlike "$(cat results/runs/latest/report.html)" 'isostress (run|scorecard) [^<]*etcd://' "no command names the server that is gone"
like "$(cat results/runs/latest/report.txt)" 'faults +kill 0 after 0\.[0-9] s, start 0 after' "the text names the faults"
is "$(left)" "" "nothing is left of a server that was started for a run"
is "$(grep -E '^(target|server) =' results/runs/latest/job.ini)" $'target =\nserver = etcd' \
  "the settings that are kept name the kind and no server that is gone"

run isostress run --server='redis maxmemory=1' -T 1s -c 1 -w append
like "$out$err" 'OOM' "a kind takes settings of its own"

# ---- No fault
run isostress run --server=etcd --faults='20 kill 0' --time=0 -t 5 -c 1 --output=json
is "$status" 2 "a run without a fault that struck is no success"
is "$(jq -r .run.shortfall.sentence <<<"$out")" \
  'no fault struck; the run was over before the first one was due' "which is said"

# ---- A server that is there
isostress server start etcd >started
name=$(sed -n 's/^server=//p' started)
run isostress run --server="$name" --faults='0.2 pause 0' -T 1s -c 1
is "$status" 0 "the faults of a server that is there"
is "$(isostress server list | grep -c ' up ')" 1 "it is left as it was, and goes on"
like "$(ps -o stat= -p "$(node_pid "$server_root/$name/0")")" '^[SR]' "what was paused is resumed"

# ---- Wrong usage
refused() { # refused SENTENCE OPTION...
  local sentence=$1
  shift
  run isostress run "$@"
  is "$status:$err" "254:isostress: $sentence" "refused: $sentence"
}
refused "faults: a node of $name cannot be told to promote" --server="$name" --faults='1 promote 0'
refused "server: there is neither a server \"none\" nor a kind of that name: \`isostress server\` names the kinds, \`isostress server list\` the servers" \
  --server=none
refused 'nemesis acts on the nodes of a throw-away server: name one, or a kind, by server' memory: --nemesis=kill
isostress server stop "$name"

run isostress run --server=etcd-3 --nemesis=kill:1,pause --nemesis-seed=7 -T 20s --dry-run
first=$out
run isostress run --server=etcd-3 --nemesis=kill:1,pause --nemesis-seed=7 -T 20s --dry-run
is "$status:$out" "0:$first" "equal seeds draw equal faults, and nothing is started"

# ---- Killed
moments=3
[ "${ISOSTRESS_LONG:-0}" != 1 ] || moments=50
remains=''
for ((i = 0; i < moments; i++)); do
  isostress run --server=redis --faults='0.3 pause 0; 0.3 resume 0; 0.2 kill 0' -T 2s -c 2 >/dev/null 2>&1 &
  stressing=$!
  printf -v delay '%d.%03d' "$((SRANDOM % 2))" "$((SRANDOM % 1000))"
  sleep "$delay"
  kill -KILL "$stressing" 2>/dev/null
  wait "$stressing" 2>/dev/null
  wait_for 60 is_gone
  remains+=$(left)
done
is "$remains" "" "a killed isostress leaves nothing, whenever that is"

# ---- A recipe
run isostress repro redis-restart-lost-writes --budget 100s
is "$(left)" "" "a recipe with faults leaves nothing"
