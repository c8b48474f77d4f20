#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress run: verdicts and their exit status, what is kept, what is printed
# where.
. "${TOP_SRCDIR:?}/tests/tap.sh"

cd "$work" || exit 1
small="-t 200 -c 4 -k 20 --threads=1 --seed=1"
buggy="-t 2k -c 4 -k 20 --distribution=uniform --threads=1 --seed=1"

json() { # json EXPRESSION: of the document in $out, called d
  printf '%s\n' "$out" | python3 -c "import json, sys; d = json.load(sys.stdin); print($1)"
}

plan 70
# shellcheck disable=SC2086  # lists of options
{
run isostress run -v -t 100 sqlite:x.db
is "$status" 0 "SQLite keeps its level"
like "$out" '^PASS: serializability was kept' "the report says that serializability was kept"
like "$(xargs <<<"$err")" '^isostress run: SQLite [0-9.]+, SERIALIZABLE, 8 sessions, [0-9,]+ rows, seed [0-9]+$' \
  "the first line says what is run"
unlike "$err" '.{81}' "no line that is announced is longer than 80 columns"
is "$(readlink results/runs/latest)" "$(basename results/runs/2*)" "latest points to the run"
like "$(readlink results/runs/latest)" '^[0-9]{8}-[0-9]{6}-sqlite-mt-serializable$' \
  "the name of the directory says when and what was run"
is "$(cd results/runs/latest && echo *)" "history job.ini latency.csv report.html report.json report.txt series.csv" \
  "the directory has all files of a run and no others"
is "$(cat results/runs/latest/report.txt)" "$out" "the report is kept as it was printed"
first=$(readlink results/runs/latest)

run isostress run -v -t 10 sqlite:x.db
unlike "$(readlink results/runs/latest)" "^$first$" "latest moves on"
is "$(echo results/runs/2* | wc -w)" 2 "each run has its directory"

run isostress run -v $small -i si memory: --out here/and/there
is "$status" 0 "--out is made"
is "$(ls here/and/there/latest/history)" here/and/there/latest/history "the directory of --out holds the run"

run isostress run -v $buggy -i ser --bug=WriteSkew memory:
is "$status" 1 "a violation has status 1"
like "$out" '^VIOLATION: serializability was broken by WriteSkew' "the violation is named"
run isostress run -v $buggy -i ser --bug=WriteSkew memory: --check=si
is "$status" 0 "a weaker level may be checked"
like "$out" '^PASS: snapshot isolation' "the report is about the weaker level"

run isostress run -v $small -w general memory:
like "$status" '^[02]$' "blind writes are no trouble"

run isostress run -v -t 5 -c 2 "memory:?abort=1"
is "$status" 2 "a run of which nothing committed"
like "$out" '^UNDECIDED: whether serializability was kept' "is undecided"
like "$out" 'Why: no transaction committed, so that no anomaly could occur' "the verdict says why it is undecided"

run isostress run -v $small --check=none memory:
is "$status" 0 "--check=none checks nothing"
like "$out" '^NOT CHECKED' "is said"
run isostress run -v -t 20 -i 'read uncommitted' sqlite:x.db
is "$status" 0 "a level that promises nothing breaks no promise"
like "$out" '^ALL LEVELS: the strongest level (known to be )?kept is [a-z]' "the strongest level that was kept is told"
run isostress run -t 20 -c 1 -i 'read uncommitted' sqlite:x.db
is "$(sed -n 1p <<<"$out")" "PASS: The strongest level that SQLite kept in this run is strict" "and comes first"
is "$(python3 -c 'import json; d = json.load(open("results/runs/latest/report.json"))
print(d["run"]["claimed"], d["verdict"]["verdict"], d["all_levels"]["strongest"], d["history"]["committed"] > 0)')" \
  "none pass sser True" "the document has verdict and history"
like "$(cat results/runs/latest/report.html)" '<h1>The strongest level that SQLite kept in this run is strict serializability\.</h1>' "so does the page"
run isostress run -t 20 -c 1 -i 'read uncommitted' --check=none sqlite:x.db
like "$out" '^NOT CHECKED' "unless no check was asked for"
run isostress run -v $small --record=off memory:
is "$status" 0 "--record=off ends with 0"
like "$out" '^NOT CHECKED' "--record=off checks nothing"
is "$(ls "$(sed -n 's/^results: //p' <<<"$out")")" "job.ini
latency.csv
report.html
report.json
report.txt
series.csv" "--record=off leaves no history"
like "$(ls results/runs/latest/)" '^history$' "latest stays with a run that has a history"

run isostress run -v $small --output=json memory:
is "$status" 0 "JSON"
is "$(json 'd["verdict"]["verdict"]')" pass "is a document with the verdict"
is "$(json 'd["run"]["settings"]["seed"]')" 1 "the document has the settings"
is "$(json 'd["directory"]')" "results/runs/$(readlink results/runs/latest)" "the document has the directory"
is "$(cat results/runs/latest/report.json)" "$out" "the document is kept as it was printed"
run isostress run -v $small --output=json --bug=LostUpdate -i si memory:
is "$status $(json 'd["counterexample"]["anomaly"] if "counterexample" in d else d["verdict"]["counterexample"]["anomaly"]')" \
  "1 LostUpdate" "a violation in JSON"

for workload in mt append cas; do
  run isostress run -v $small -w $workload memory:
  is "$status" 0 "workload $workload keeps the level of memory:"
done
# Sessions that run at full speed on threads of their own still meet in the
# lists: of drifting ones, none of these runs finds it.
for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  run isostress run -v -w append -k 100 --bug=LongFork:1 -T 500ms --seed=$seed memory:
  [ "$status" = 0 ] || break
done
is "$status" 1 "append finds a long fork with a thread for every session"
run isostress run -v -w append -c 4 -k 20 -t 1k --threads=1 --seed=1 -i rc "memory:?lose=0.005"
is "$status" 1 "commits that are acknowledged and lost break the weakest level"
like "$out" 'was broken by LostWrite' "lost commits are called LostWrite"
like "$out" 'Found: .*LostWrite (at least )?[0-9][0-9]' "lost commits are counted"
like "$out" 'Of [0-9]+ reads of key [0-9]+ none shows [0-9]+, and [0-9]+ show [0-9]+, which was appended later' "the story says how many reads lack the lost append"
for options in "-R 2000" "--max-tries=5" "--think-time=10us" "--op-delay=5us" \
  "--warmup=20%" "--op-times" "--shares=rmw1:0.5,ro:0.5" \
  "--distribution=hotspot:0.9:10%" "--no-session-order" "--timeout=1m"; do
  run isostress run -v $small $options memory:
  is "$status" 0 "run $options"
done

run isostress run -v -t 30k -c 3 -R 6k --seed=5 --threads=1 memory: -i sser -P 1ms
like "$err" '^[0-9.]+ s: [0-9]+ per second; [0-9]+ committed, [0-9]+ refused(, [0-9]+ (rolled back or ended in an error|unknown))*$' "progress on stderr"
unlike "$out" 'per second;' "progress is not on stdout"
unlike "$err" $'\r' "progress is in plain lines where stderr is no terminal"
is "$(isostress check results/runs/latest/history | head -1)" "$(grep ^PASS <<<"$out")" \
  "check agrees with run"
}

run isostress run -v --mix=ser:1,rc:3 -w general -t 200 -k 10 --seed 7 --threads 1 -o mix memory:
is "$status" 0 "levels can be mixed"
like "$out" 'level ser:1,rc:3' "the report names them"
like "$out" '^PASS: the level of each transaction was kept' "each transaction of a mix is held to its own level"
run isostress check --level=auto mix/latest/history
is "$status" 0 "a mix promises its weakest level"
run isostress run -v --mix=ser,zz -o mix memory:
is "$status" 254 "a level that is not there"
run isostress run -v --mix=ser:no -o mix memory:
is "$status" 254 "a share that is none"
run isostress run -v --mix=ser,rc -i si -o mix memory:
is "$status" 254 "one level and a mix exclude each other"

# An aim is held against a level that rules it out, or it is said that it is not.
run isostress run memory: -i rc --aim LostUpdate -t 300 --threads 1 --seed 1 -o aimed
like "$status $(head -n 1 <<<"$out")" '^1 VIOLATION: An update was lost\. .* level rc allows that\.$' "a run reports what it aims at where its level allows it"
like "$err" 'isostress: "rc" does not promise snapshot isolation, the weakest level that rules out LostUpdate: that is what is checked' \
  "it says which level is checked"
run isostress run memory: -i rc --check=rc --aim LostUpdate -t 100 -o aimed
like "$err" 'isostress: LostUpdate is no violation of read committed, which is checked: --check=si reports it' \
  "a level that was asked for is checked, and its weakness is told"
