#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs that kept their level in what was recorded and are no success: many of
# their attempts ended in errors, or their results could not be written.  Those
# that a signal ends are in interrupted.sh.
. "${TOP_SRCDIR:?}/tests/tap.sh"

cd "$work" || exit 1
plan 18

# The table goes away in mid-run, so that every attempt from then on ends in an
# error that is no refusal.
cat >spoil.py <<'END'
import re, sqlite3, subprocess, sys, time
command = "isostress run sqlite:x.db -c 2 -t 40k -P 20ms -o runs".split() + sys.argv[1:]
run = subprocess.Popen(command, stdout=open("out", "w"), stderr=open("err", "w"))
while run.poll() is None and not re.search(" [1-9][0-9]* committed", open("err").read()):
    time.sleep(0.01)
sqlite3.connect("x.db", isolation_level=None, timeout=600).execute("DROP TABLE isostress_kv")
sys.exit(run.wait())
END
spoiled() { # spoiled OPTION...: sets $status, $out and $err
  rm -f x.db
  python3 spoil.py "$@"
  status=$? out=$(<out) err=$(<err)
}

lines() { xargs -d '\n' <<<"$out" | tr -s ' '; } # of the result, as one

spoiled
is "$status" 2 "a run of many errors is no success"
is "$(head -n 1 <<<"$out")" "ERRORS: SQLite kept its promise in what was recorded." "its first line claims no pass"
like "$(lines)" ' errors [0-9,]+ of [0-9,]+ attempts \([0-9.]+ %\) ended in errors, other \(SQLITE_ERROR\): no such table: isostress_kv ' \
  "the terminal names the error and its count"
unlike "$out" 'more --keys or fewer --clients let more' "no advice on refusals is given for errors"
get() { python3 -c 'import json, sys
d = json.load(open("runs/latest/report.json"))
print('"$1"')'; }
is "$(get 'd["verdict"]["verdict"], d["run"]["shortfall"]["kind"]')" "pass errors" "JSON has the verdict and what is missing"
is "$(get 'd["run"]["aborted"] - d["run"]["refused"] == sum(c["count"] for c in d["run"]["causes"] if c["cause"] == "other")')" True \
  "errors are not counted as refused"
is "$(grep -cE '<title>ERRORS: |>Kept in what was recorded<' runs/latest/report.html)" 2 "the page claims no pass"
like "$(sed -n 's/.*<p class="lede">//p' runs/latest/report.html)" 'ended in errors, other \(SQLITE_ERROR\): no such table' "the page names the error"
spoiled -v
like "$out" '^  errors     [0-9,]+ of [0-9,]+ attempts .*no such table: isostress_kv$' "the long report names the error"
like "$status $out" $'^2 .*\nERRORS: serializability was kept in what was recorded\\.\n' "the long report claims no pass"
spoiled --check=none
is "$status $(head -n 1 <<<"$out")" "2 NOT CHECKED." "a run that was not checked is no success either"
spoiled --junit=junit.xml
is "$(grep -c '<error message="ERRORS: ' junit.xml)" 1 "JUnit has an error"

printf '[global]\ntarget = memory:\ntransactions = 100\n[one]\n[two]\n' >jobs.ini
run isostress run jobs.ini -o runs
is "$status $(grep -c '^one  *pass' <<<"$out")" "0 1" "errors that are none leave a pass"
spoiled -i serializable --require 'throughput>=1'
is "$status" 2 "a requirement that is met does not help"

# The page cannot be written where something else has its name.
mkdir -p taken
cat >taken.sh <<'END'
until [ -e runs2/latest ]; do sleep 0.01; done
mkdir -p runs2/latest/report.html/full
END
isostress run memory: -c 2 -t 0 -T 1h -P 20ms -o runs2 >out 2>err &
pid=$!
bash taken.sh
kill -TERM "$pid"
wait "$pid"
status=$? out=$(<out)
is "$status" 255 "results that cannot be written are trouble"
is "$(head -n 1 <<<"$out")" "TROUBLE: The built-in store kept its promise in what was recorded." "its first line claims no pass"
like "$(lines)" ' TROUBLE: cannot write runs2/.*/report\.html: Is a directory' "the trouble is told"
like "$out" '^  results +runs2/[^/]*, without a page$' "no page is named that does not exist"
