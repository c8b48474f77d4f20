#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Jepsen's tests as workloads: what each of them promises is kept by the
# built-in store, and a bug that breaks it is found and told.
. "${TOP_SRCDIR:?}/tests/tap.sh"
cd "$work" || exit 1
plan 35

# The store shows old snapshots at its level ser, unless it is told not to:
# that breaks comments and counter, which demand real time.
run isostress run -v -w counter memory: -c 4 -t 150 --threads 1 --seed 1
is "$status:$(grep -cE '^VIOLATION of the model counter: LostAddition|^PASS: serial' <<<"$out")" 1:2 \
  "counter demands more than serializability"
for workload in bank comments counter dirty-reads long-fork monotonic sequential set; do
  run isostress run -v -w "$workload" "memory:?stale=0" -c 4 -t 150 --threads 1 --seed 1
  is "$status:$(grep -cE '^model .*: kept, by [0-9]+ reads|^PASS: serial' <<<"$out")" 0:2 "$workload is kept"
done

# ---- Bugs: the workload, the bug, and the anomaly of the model

while read -r workload bug anomaly; do
  run isostress run -v -w "$workload" "memory:?stale=0&$bug" -c 8 -t 300 --threads 1 --seed 1
  is "$status:$(grep -c "^VIOLATION of the model .*: ${anomaly}[,.]" <<<"$out")" 1:1 "$workload finds $bug"
  like "$out" '^VIOLATION: serializability was broken by' "and so does the level"
done <<'BUGS'
bank bug=LostUpdate WrongTotal
comments bug=PhantomLongFork LaterWithoutEarlier
counter bug=LostUpdate LostAddition
dirty-reads bug=AbortedRead DirtyRead
long-fork bug=PhantomLongFork LongFork
monotonic bug=LostUpdate Fall
sequential lose=0.02 LaterWithoutEarlier
set lose=0.02 LostElement
BUGS

# ---- How it is told

bank=(isostress run -v -w bank memory: -c 4 -t 100 --threads 1 --seed 1)
run "${bank[@]}" --bug MissingRow
is "$(sed -n '/^VIOLATION of the model/,/^$/p' <<<"$out" | sed -E 's/[0-9.]+ s: session [0-9]+, transaction [0-9]+: /WHEN: /; s/Broken [0-9]+/Broken N/')" \
  "VIOLATION of the model bank: WrongTotal. A read saw 702 in all accounts; transfers keep their sum, and the first read saw 800.
    at first: {0 100, 1 100, 2 100, 3 100, 4 100, 5 100, 6 100, 7 100}.
    WHEN: read {0 105, 1 100, 3 100, 4 102, 5 98, 6 99, 7 98}; committed.
  Broken N times in all; this is the first." "a violation is told with its reads"
like "$(cat results/runs/latest/report.html)" '<h1>The model bank was broken by WrongTotal.</h1>' "on the page, too"
run "${bank[@]}" --bug MissingRow --output=json
is "$(python3 -c 'import json, sys
m = json.load(sys.stdin)["run"]["model"]
print(m["name"], m["verdict"], m["anomaly"], len(m["shown"]), m["shown"][0]["value"][:6], m["shown"][1]["function"], m["broken"] > 0)' <<<"$out")" \
  "bank violation WrongTotal 2 {0 100 read True" "and in JSON"
run "${bank[@]}"
like "$(cat results/runs/latest/report.html)" 'The model <b>bank</b> was kept, by [0-9]+ reads' "a page says that a promise was kept"

# ---- The promise is no matter of the level

bank=(isostress run -v -w bank memory: -c 4 -t 100 --threads 1 --seed 1 -i rc)
run "${bank[@]}"
is "$status:$(grep -cE '^VIOLATION of the model bank|^PASS: read committed' <<<"$out")" 1:2 \
  "transfers to what was read lose money at read committed, which is kept"
run "${bank[@]}" --check=none
is "$status:$(grep -c '^VIOLATION of the model bank' <<<"$out")" 1:1 "without a check of the level, too"
like "$(cat results/runs/latest/report.html)" '<title>NOT CHECKED, and the model bank was broken by WrongTotal</title>' \
  "which the title of the page says"
run "${bank[@]}" --record=off --check=none
is "$status:$(grep -c 'model' <<<"$out")" 0:0 "without a history nothing is said"
run isostress run -w bank memory: -c 4 -t 100 --threads 1 --seed 1 -i rc
is "$status:$(grep -c '^VIOLATION of the model bank' <<<"$out")" 1:1 "the brief report tells it, too"
run isostress run -v -w bank memory: -c 4 -t 100 --shares=transfer:1
is "$status" 0 "the read at the end is enough for a verdict"
