#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress run --stop-on-violation: ends at a violation and nowhere else.
. "${TOP_SRCDIR:?}/tests/tap.sh"

cd "$work" || exit 1

get() { # get EXPRESSION: of the JSON report in $out, as d
  python3 -c 'import json, sys
d = json.load(sys.stdin)
print(eval(sys.argv[1]))' "$1" <<<"$out"
}

plan 41
# Its database keeps running until somebody says that it is enough.
run timeout 300 isostress run -v memory: -i si --bug LostUpdate:0.01 -T 0 -c 4 \
  --rate 20k --stop-on-violation --output json
is "$status" 1 "a run without an end ends"
is "$(get 'd["verdict"]["verdict"], d["run"]["end"]')" \
  "('violation', 'stopped')" "the report has the violation and says that the run was stopped"
is "$(get '0 < d["run"]["happened"]["time_ns"] <= d["run"]["noticed"]["time_ns"] <= d["run"]["elapsed_ns"]')$(
  get '0 < d["run"]["happened"]["committed"] <= d["run"]["noticed"]["committed"] <= d["run"]["committed"]')" TrueTrue \
  "the report says when the violation happened and when it was noticed"
is "$(get 'd["history"]["complete"]')" True "the history of a stopped run is whole"
run isostress check "$(get 'd["history"]["path"]')"
is "$status" 1 "the history shows the violation when it is checked again"
run timeout 300 isostress run -v memory: -i ser --bug AbortedRead:0.05 -T 0 -c 4 -w general \
  --rate 20k --stop-on-violation --check auto
is "$status" 1 "the claimed level decides when all levels are checked"
like "$out" '^stopped     at a violation: it happened at [0-9.]+ s \([0-9]+ committed\), was noticed at [0-9.]+ s \([0-9]+\), all had stopped at [0-9.]+ s \([0-9]+\)$' \
  "the text says when the violation happened and when it was noticed"

# The memory store is faster than the check.  What is not looked at is bounded in bytes, so what can still be begun
# after a violation is bounded in transactions, whatever the machine is busy with: 128 kB at 4 bytes or more each, and
# per session what it has at hand and what is on its way (1024 each), twice, for what is in the check meanwhile.
run timeout 300 isostress run -v memory: -i ser --bug AbortedRead:0.0001 -T 0 -c 4 --stop-on-violation --output json
is "$status $(get 'd["run"]["end"]')" "1 stopped" "a run that is faster than its check ends, too"
is "$(get 'd["run"]["committed"] + d["run"]["aborted"] - d["run"]["happened"]["committed"] < 2 * (32768 + 4 * 2048) + 65536')" \
  True "a run ends soon after the violation"
run isostress run -v memory: -i ser -t 100k -c 4 --stop-on-violation --output json
is "$status $(get 'd["run"]["held_back_ns"] > 0, d["run"]["committed"] + d["run"]["aborted"]')" "0 (True, 400000)" \
  "a run that is held back says so"
run isostress run -v memory: -i ser -t 20k -c 4 -w general --stop-on-violation
is "$status" 0 "a run without a violation"
unlike "$out" '^stopped' "a run without a violation is not stopped"
like "$out" '^attempts    80000 = ' "a run that keeps its level executes all its transactions"
run isostress run -v memory: -i rc -t 500 -c 4 --threads 1 --stop-on-violation --check rc
is "$status" 0 "a run of one thread is checked while it lasts"

# Statements are looked at as well.
run timeout 300 isostress run -v memory: -w predicate -i ser --bug PhantomWriteSkew -T 0 -c 4 \
  --rate 5k --stop-on-violation --output json
is "$status $(get 'd["verdict"]["verdict"], d["run"]["end"]')" "1 ('violation', 'stopped')" \
  "a run of statements without an end ends"
is "$(get '0 < d["run"]["happened"]["time_ns"], 0 < d["run"]["noticed"]["time_ns"] <= d["run"]["elapsed_ns"]')" "(True, True)" \
  "it says when the violation happened and when it was noticed"
run isostress run -v memory: -w predicate -i si -t 1k -c 4 --op-delay 100us --stop-on-violation
is "$status" 0 "a run of statements without a violation"
unlike "$out" '^stopped' "it is not stopped"

isostress run -v memory: -i ser -T 0 -c 2 -P 20ms --stop-on-violation >int.out 2>int.err &
pid=$!
until grep -qs ' [1-9][0-9]* committed' int.err; do sleep 0.02; done
kill -INT "$pid"
wait "$pid"
is "$? $(grep -c '^INTERRUPTED: serializability was kept' int.out)" "2 1" "a signal ends such a run in good order"

run isostress run -v memory: --stop-on-violation --check none
is "$status $err" "254 isostress: stop-on-violation checks the recorded history: it cannot be combined with record=off or check=none" \
  "--stop-on-violation needs a check"
run isostress run -v memory: --stop-on-violation --check none --record off
is "$status" 254 "--stop-on-violation needs a history"
run isostress run -v memory: -i none --stop-on-violation
like "$status $err" '^254 isostress: (stop-on-violation needs a level to check|.*none)' "--stop-on-violation needs a level that promises something"

# An anomaly that is aimed at is found where it would not be otherwise.
aimed() { isostress run -v memory: --bug WriteSkew:0.01 -t 200 -k 100k --distribution uniform --threads 1 --seed 1 "$@"; }
run aimed
is "$status" 0 "a run without an aim finds nothing"
run aimed --aim writeskew
is "$status" 1 "a run with the aim finds the anomaly"
run isostress run -v memory: --aim ThinAirRead -t 20 --threads 1
is "$status" 0 "a run with an aim may find nothing"
for anomaly in $(isostress list bugs | awk '/^[A-Z]/ && !/of tables of rows/ { print $1 }'); do
  for seed in {1..20}; do
    run isostress run -v memory: --bug "$anomaly" --aim "$anomaly" -t 300 --op-delay 0 \
      --threads 1 --seed "$seed"
    ! grep -qE " ${anomaly} (in )?(at least )?[0-9]" <<<"$(grep '^  Found: ' <<<"$out")" || break
  done
  like "$out" "^  Found:.* ${anomaly} (in )?(at least )?[0-9]" "an aim finds its $anomaly"
done
run isostress run -v memory: --aim WriteSkw
is "$status $err" "254 isostress: aim: \"WriteSkw\" is not an anomaly that a run can aim at; did you mean WriteSkew?" \
  "the error for an unknown anomaly proposes the nearest one"
run isostress run -v memory: -w general --aim WriteSkew
is "$status $err" "254 isostress: only the workloads mt and predicate can aim at an anomaly, not general" "a workload that cannot aim is refused"
