#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Scripts and CI ask these of a run: requirements with a status of their own, a
# JUnit file, and tables of the figures.
. "${TOP_SRCDIR:?}/tests/tap.sh"
cd "$work" || exit 1
plan 63

# asked ARGUMENT...: a small run whose figures do not depend on the machine.
asked() { run isostress run -t 200 --threads 1 --seed 3 -c 4 -P 0 memory: "$@"; }
newest() { find results/runs -mindepth 1 -maxdepth 1 -type d | sort | tail -n 1; }

asked --require 'committed>10,aborts<=100%,refused<=100%,max<1h,throughput>0,given-up<50%,unknown<1%,mean>0'
is "$status $(grep -c 'was required' <<<"$err")" "0 0" "all is met"
asked --require 'committed>=100000,aborts<50%'
is "$status" 3 "a requirement that is not met has a status of its own"
like "$err" '^isostress: committed>=100000 was required, and it is [0-9]+$' "and is told with what was measured"
is "$(grep -c 'class="tag good"' results/runs/latest/report.html):$(grep -o '<p class="tag warn">.*requirement is not met</p>' results/runs/latest/report.html | wc -l)" 0:1 \
  "the page's tag is not the green one"
like "$(<results/index.html)" 'class="tag warn">.*requirement is not met' "nor is that of the index"
is "$(grep -c 'was required' <<<"$err")" 1 "the other one is not"
n=$(sed -n 's/.*and it is //p' <<<"$err")
asked --require "committed>=$n"
is "$status" 0 "as much as the limit is enough for >="
asked --require "committed>$n"
is "$status" 3 "but not for >"
asked --require "committed<=$n"
is "$status" 0 "nor is it too much for <="
asked --require "committed<$n"
is "$status" 3 "but for <"
asked --require 'p50<1ns,p90<1ns,p95<1ns,p99<1ns,p999<1ns'
is "$status $(grep -c 'ms$' <<<"$err")" "3 5" "latencies"
asked -i si --bug LostUpdate --require 'committed>1G' --keys 2 --out bug --check si
is "$status" 1 "a violation is worse"
for bad in "p98<1ms:there is no such measure" "p99:< or > must follow" "p99<5%:this limit cannot be read" \
  "aborts<300%:this limit cannot be read" "committed>:this limit cannot be read" "p99<1ms,,:there is no such measure" \
  "committed>abc:this limit cannot be read"; do
  asked --require "${bad%%:*}"
  is "$status $(wc -l <.err) $(grep -c "^isostress: require: .*${bad#*:}" <<<"$err")" "254 1 1" "bad: ${bad%%:*}"
done

# ---- JUnit

# tests FILE: each test with how it ended.
tests() {
  python3 -c 'import sys, xml.etree.ElementTree as x
for suite in x.parse(sys.argv[1]).getroot():
  cases = suite.findall("testcase")
  kinds = {"tests": "testcase", "failures": "testcase/failure", "errors": "testcase/error", "skipped": "testcase/skipped"}
  assert all(int(suite.get(k)) == len(suite.findall(path)) for k, path in kinds.items())
  assert all(float(t.get("time")) >= 0 for t in [suite] + cases)
  for t in cases:
    assert not len(t) or t[0].text.startswith(t[0].get("message")) and len(t[0].get("message")) < 200
    print(t.get("name") + ":", t[0].tag + ": " + t[0].get("message") if len(t) else "passed")' "$1"
}
asked --require 'committed>10,max<1ns' --junit a.xml -i ser
is "$status" 3 "with a JUnit file"
is "$(tests a.xml | head -n 2)" $'serializability is kept: passed\ncommitted>10: passed' "tests that pass"
like "$(tests a.xml)" '^max<1ns: failure: max<1ns was required, and it is [0-9.]+ ms$' "and one that fails"
like "$(head -n 1 <<<"$out")" '^NOT MET: max<1ns was required, and it is [0-9.]+ ms\.$' "the first line says so"
is "$(python3 -c 'import json; print([(r["required"], r["met"]) for r in json.load(open("results/runs/latest/report.json"))["run"]["requirements"]])')" \
  "[('committed>10', True), ('max<1ns', False)]" "so does JSON"
like "$(cat results/runs/latest/report.html)" 'A requirement is not met:</strong> <code>max&lt;1ns</code> was required' "so does the page"
like "$(cat a.xml)" '<property name="page" value="results/runs/[^"]*/report.html"/>' "the file names the page"
asked -i "si" --check ser --bug WriteSkew --keys 2 --junit level.xml
like "$(tests level.xml)" '^serializability is kept: failure: VIOLATION: serializability was broken by .* Promised: no; the level allows it\.$' "the level that was asked about"
asked -i si --bug LostUpdate --keys 2 --junit b.xml
is "$status" 1 "a violation"
like "$(tests b.xml)" '^snapshot isolation is kept: failure: .*LostUpdate.* Promised: yes\. BROKEN PROMISE\.$' "is a failure"
asked --check none --junit c.xml
like "$(tests c.xml)" ': skipped: nothing was checked$' "no check is no pass"
run isostress run sqlite:none/try.db --junit d.xml
is "$status" 255 "trouble"
like "$(tests d.xml)" ': error: .*none/try.db' "is an error"
printf '[a]\ntransactions=5\n[b]\ntransactions=5\n' >two.ini
run isostress run two.ini memory: --junit e.xml
is "$status $(grep -c '<testsuite name="[ab]"' e.xml) $(tests e.xml | sort -u)" "0 2 serializability is kept: passed" "several runs share a file"

xmllint_finds() { xmllint --noout --schema "$TOP_SRCDIR/tests/junit.xsd" "$@" 2>&1 | grep -v ' validates$'; }
is "$(command -v xmllint >/dev/null && xmllint_finds ./*.xml)" "" "Jenkins and GitLab can read them"

# A check has a test for each history and level, wherever its process ran.
histories=$TOP_SRCDIR/tests/histories
cp "$histories/si/n-lost-update.txt" lost.txt
cp "$histories/ser/n-write-skew.txt" skew.txt
for jobs in 1 3; do
  run isostress check --jobs=$jobs -l si,ser lost.txt skew.txt gone.txt --junit check-$jobs.xml
  is "$status" 255 "a check, --jobs=$jobs"
done
is "$(tests check-1.xml | sed 's/ was broken.*//')" "snapshot isolation is kept: failure: VIOLATION: snapshot isolation
serializability is kept: failure: VIOLATION: serializability
snapshot isolation is kept: passed
serializability is kept: failure: VIOLATION: serializability
the level is kept: error: gone.txt: No such file or directory" "names history, level and end"
is "$(tests check-3.xml)" "$(tests check-1.xml)" "in the order that they were asked in"
is "$(grep -c 'classname="skew.txt"' check-3.xml)" 2 "each in the group of its history"
like "$(cat check-1.xml)" '^    1\. T. ' "the body argues, line by line"
run isostress check -l ser --method=naive "$histories/rows/cc-long-fork.txt" --junit check-method.xml
is "$(tests check-method.xml)" "serializability is kept: failure: VIOLATION, says --method=naive" "another method"
run isostress check lost.txt skew.txt -l si --explain page --junit kept.xml
is "$status $([ -e kept.xml ]; echo $?)" "254 1" "a request that is refused writes none"
printf '{"id": "a", "history": "[x==0 x:=1]"}\n{"id": "b", "history": "[x==7]"}\n{"id"}\n' >collection
run isostress check -l rc,ser collection --junit check-collection.xml
is "$status $(tests check-collection.xml | sed 's/\(error\|broken\).*/\1/')" "255 a: read committed is kept: passed
a: serializability is kept: passed
b: read committed is kept: failure: VIOLATION: read committed was broken
b: serializability is kept: failure: VIOLATION: serializability was broken
the level is kept: error" "a collection"
printf '{:type :invoke, :f :add, :value 1, :process 0}\n{:type :ok, :f :add, :value 1, :process 0}\n{:type :invoke, :f :read, :process 0}\n{:type :ok, :f :read, :value #{}, :process 0}\n' >set.edn
run isostress check --model=set set.edn --junit check-model.xml
like "$status $(tests check-model.xml)" '^1 the model set is kept: failure: VIOLATION: the model set was broken by ' "a model"

# A scorecard has a test for each cell.
run isostress scorecard memory: -i si --bug=LostUpdate:1 -T 100ms --keys 5 --junit scorecard.xml
is "$status" 1 "a scorecard"
like "$(tests scorecard.xml)" '^Lost update: ruled out: failure: BROKEN PROMISE: Lost update: "si" rules it out, and it was seen ' "an anomaly that is promised away"
like "$(tests scorecard.xml)" '^Write skew: allowed: passed$' "and one that is allowed"
like "$(tests scorecard.xml)" '^under load: snapshot isolation is kept: failure: ' "the load"
run isostress scorecard sqlite:none/try.db --junit scorecard-none.xml
is "$status" 255 "trouble"
like "$(tests scorecard-none.xml)" '^all levels were tried: error: .*none/try.db' "one that could not be made"

# A sweep has a test for each run and its requirements.
printf '[a]\nclients = 1,2\ntransactions = 20\ncheck = si\n[b]\nrequire = p99<1ns\ntransactions = 20\n' >sweep.ini
run isostress sweep sweep.ini memory: --repetitions 2 --junit sweep.xml
is "$status $(tests sweep.xml | sed 's/is [0-9.]* ms/is TIME/')" "3 $(printf 'run %s: snapshot isolation is kept: passed\n' 1 2 1 2)
$(for i in 1 2; do printf 'run %s: the level is kept: skipped: nothing was checked\nrun %s: p99<1ns: failure: p99<1ns was required, and it is TIME\n' $i $i; done)" "a sweep"
is "$(grep -c 'classname="clients=2"' sweep.xml)" 2 "each in the group of its settings"
first=$(tests sweep.xml)
run isostress sweep sweep.ini memory: --repetitions 2 --junit sweep.xml
is "$(tests sweep.xml)" "$first" "and all of them, where it was made before"

for command in "check lost.txt -l si" "scorecard memory:" "sweep sweep.ini memory:" "run memory: -t 5" "run two.ini memory:"; do
  rm -rf results
  # shellcheck disable=SC2086
  run isostress $command --junit=none/j.xml
  is "$status $err $([ -e results ]; echo $?)" "255 isostress: cannot write none/j.xml: No such file or directory 1" \
    "a file that cannot be written is refused first: $command"
done
is "$(command -v xmllint >/dev/null && xmllint_finds ./*.xml)" "" "Jenkins and GitLab can read all of them"

# ---- Tables

asked
run=$(newest)
is "$(head -n 1 "$run/series.csv")" "start_s,committed,aborted,unknown,p50_ns,p95_ns,p99_ns,max_ns" "columns of series.csv"
is "$(head -n 1 "$run/latency.csv")" "shape,up_to_ns,count,cumulative" "columns of latency.csv"
is "$(python3 -c 'import csv, json, sys
run = sys.argv[1]
r = json.load(open(run + "/report.json"))["run"]
series = list(csv.DictReader(open(run + "/series.csv")))
print(all(int(s[k]) == i[k] for s, i in zip(series, r["series"]["intervals"]) for k in ("committed", "aborted", "p99_ns")),
  len(series) == len(r["series"]["intervals"]))
latency = list(csv.DictReader(open(run + "/latency.csv")))
for shape in r["shapes"]:
  rows = [l for l in latency if l["shape"] == shape["name"]]
  count = sum(int(l["count"]) for l in rows)
  assert count == shape["latency"]["count"], shape
  assert not rows or int(rows[-1]["cumulative"]) == count and int(rows[-1]["up_to_ns"]) == shape["latency"]["max_ns"]
  assert all(int(a["up_to_ns"]) < int(b["up_to_ns"]) for a, b in zip(rows, rows[1:]))
' "$run")" "True True" "both say what report.json says"
rm -rf check
run isostress check "$run" --explain check
is "$(ls check/*.csv 2>/dev/null)" "" "a check has no figures"
