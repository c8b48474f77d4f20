#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Jepsen's tests as workloads: what each of them promises is kept by the
# built-in store, and a bug that breaks it is found and told.
. "${TOP_SRCDIR:?}/tests/tap.sh"
cd "$work" || exit 1
plan 47

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
like "$(cat results/runs/latest/report.html)" '<h1>A read saw 702 in all accounts; transfers keep their sum, and the first read saw 800\.</h1>' "on the page, too"
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
like "$status $(xargs -d '\n' <<<"$out")" '^1 VIOLATION: A read saw [0-9]+ in all accounts; .* This is WrongTotal, which the test bank looks for:' \
  "the first line of the brief report tells it"
run isostress run -v -w bank memory: -c 4 -t 100 --shares=transfer:1
is "$status" 0 "the read at the end is enough for a verdict"

# ---- The history of a run is held against the model again

while read -r workload model; do
  run isostress run -w "$workload" "memory:?stale=0" -c 4 -t 50 --threads 1 --seed 1
  run isostress check --model="$model" results/runs/latest
  is "$status:$(grep -c "^model *${model%%\?*}: kept, by" <<<"$out")" 0:1 "the history of $workload keeps $model"
done <<'MODELS'
bank bank?total=800&negative=1
counter counter
set set
set set-full?linearizable=1
MODELS
run isostress check --model=bank results/runs/latest/history
is "$status:$err" "255:isostress: results/runs/latest/history: it is a run of the workload set, which promises the model set-full, not bank" \
  "a history of another test is refused"
head -c 3000 results/runs/latest/history >torn
run isostress check --model=set torn
is "$status:$(grep -o 'undecided: The end of the history was lost' <<<"$out")" "2:undecided: The end of the history was lost" \
  "a history whose end was lost is undecided"
run isostress run -w mt memory: -c 2 -t 10
run isostress check --model=bank results/runs/latest
like "$status:$err" '^255:.*a run of the workload mt, which is no test of a model$' "a history of no test is refused"
run isostress convert results/runs/latest other.jsonl
run isostress convert --to=isostress other.jsonl other.iso
run isostress check --model=bank other.iso
like "$status:$err" '^255:.*it does not say which workload it is a run of$' "a history that does not say its workload is refused"
run isostress run -v -w bank memory: -c 4 -t 100 --threads 1 --seed 1 --bug MissingRow
told=$(sed -n '/^VIOLATION of the model/,/^$/p' <<<"$out")
run isostress check --model=bank results/runs/latest/history
is "$status:${out#?}" "1:$told" "a violation is told as by the run"
run isostress check --model=bank --output=json results/runs/latest
is "$(python3 -c 'import json, sys
m = json.load(sys.stdin)
print(m["schema"], m["model"]["anomaly"], len(m["model"]["shown"]))' <<<"$out")" "isostress-model/1 WrongTotal 2" "and in JSON"
run isostress check --model=bank results/runs/latest results/runs/latest/history
is "$status:$(grep -c $'\tbank\tviolation\tWrongTotal$' <<<"$out")" 1:2 "several histories: one line each"
run isostress check --model=mutex results/runs/latest
is "$status:$(grep -c 'promises the model bank, not mutex' <<<"$err")" 255:1 "no workload is a mutex"
