#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress results lists what was kept, and removes all but the newest.
. "${TOP_SRCDIR:?}/tests/tap.sh"
cd "$work" || exit 1
plan 30

made() { # made NAME SECONDS: the directory of a run that began then
  isostress run memory: -i serializable -t 20 -P 0 -o fresh >/dev/null 2>&1
  mv "$(realpath fresh/latest)" "runs/$1"
  sed -i "s/\"started_ns\": [0-9]*/\"started_ns\": ${2}000000000/" "runs/$1/report.json"
}
mkdir -p runs/half runs/foreign runs/sweep runs/card
made old 1000000000
made middle 1100000000
made new 1200000000
ln -s old runs/latest
echo '[run]' >runs/half/job.ini
echo mine >runs/foreign/report.txt
touch -d 1999-01-01 runs/sweep/sweep.txt runs/sweep/runs.csv runs/card/scorecard.txt
echo '{"command": "sweep"}' >runs/sweep/sweep.json
echo '{"command": "scorecard", "target": "memory:", "levels": [{"violated": false}, {"violated": true}]}' >runs/card/scorecard.json

run isostress results runs
is "$status" 0 "kept results are listed"
is "$(grep -oE 'runs/(old|middle|new)' <<<"$out" | xargs)" "runs/new runs/middle runs/old" "the newest run comes first"
like "$out" '^pass +ser +memory: +2008-01-1. .* [kM]B  runs/new$' "a run has verdict, level, target, begin, size and directory"
like "$out" 'runs/old \(latest\)$' "the run that latest names is marked"
like "$out" '^violation +all +memory: .*runs/card$' "a scorecard with a broken level is a violation"
like "$out" '^sweep .*runs/sweep$' "a sweep is listed"
like "$out" '^half written .*runs/half$' "a half-written directory is listed"
like "$err" '^isostress: runs/half is half written: ' "a half-written directory is named in a sentence"
unlike "$out$err" foreign "a directory of something else is passed over"

head -c 200 runs/middle/report.json >cut.json
cp runs/middle/report.json whole.json
cp cut.json runs/middle/report.json
run isostress results runs
like "$out" '^half written .*runs/middle$' "a report that was cut off is half written"
cp whole.json runs/middle/report.json

run flock runs/new isostress results runs
like "$out" '^going on .*runs/new$' "a run that is going on is told"
run flock runs/sweep/runs.csv isostress results runs
like "$out" '^going on .*runs/sweep$' "a sweep that is going on is told"
run flock runs/middle isostress results --keep=2 runs
is "$status" 0 "old results are removed"
is "$out" "removed runs/card
removed runs/sweep" "what was removed is told"
is "$(cd runs && echo *)" "foreign half latest middle new old" \
  "latest, what goes on, the newest and foreign directories stay"
run isostress results --older-than=0.5h --dry-run runs
is "$out" "would remove runs/new
would remove runs/middle" "a dry run says what is too old"
is "$(cd runs && echo *)" "foreign half latest middle new old" "a dry run removes nothing"
size=$(du -b --apparent-size -c runs/half/* runs/new/* | tail -1 | cut -f 1)
run isostress results --max-size="$size" --dry-run runs
is "$out" "would remove runs/middle" "a dry run says what is too large"
run isostress results --max-size="$((size - 1))" --dry-run runs
like "$out" '^would remove runs/new$' "the size is counted to the byte"
run isostress results --dry-run runs
is "$status" 254 "a dry run of nothing is wrong usage"
like "$err" '--keep, --older-than or --max-size' "and is told what it lacks"
touch -d 2001-02-03 runs/half/job.ini runs/half
touch -d 2001-02-03 runs/half
run isostress results --keep=2 runs
is "$out" "removed runs/half (half written)" "what is half written is removed by its age, and named"
is "$(cd runs && echo *)" "foreign latest middle new old" "and nothing else"
run isostress results --keep=1 runs
is "$out" "removed runs/middle" "a run that has ended is removed"
is "$(cat runs/foreign/report.txt)" mine "foreign files are untouched"

# A run holds its directory until its results are written.
isostress run memory: -t 0 -T 0 -P 20ms -o going >/dev/null 2>going.err &
running=$!
until grep -q committed going.err; do sleep 0.05; done
run isostress results going
like "$out" '^going on ' "a run holds its directory"
kill -TERM "$running"
wait "$running"
run isostress results going
like "$out" '^(pass|undecided) .*\(latest\)$' "a run that was stopped has its results"

mkdir results results/runs
mv runs/new results/runs/new
run isostress results
like "$out" 'results/runs/new$' "without a directory the usual ones are listed"
run isostress results nowhere
is "$status $err" "255 isostress: cannot read the directory nowhere: No such file or directory" "a directory that is not there is trouble"
run isostress results --keep=0 runs
is "$status" 254 "to keep nothing is wrong usage"
