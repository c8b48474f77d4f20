#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Failures of the world: one sentence each, status 255, and what was
# recorded is kept.
. "${TOP_SRCDIR:?}/tests/tap.sh"

cd "$work" || exit 1

trouble() { # trouble NAME REGEX WORD...: one sentence and status 255
  local name=$1 regex=$2
  shift 2
  run isostress "$@"
  is "$status $(grep -c . <<<"$err")" "255 1" "$name: status 255, one sentence"
  like "$err" "^isostress: $regex" "$name: the sentence"
}

plan 41
echo 'this is no database, whatever its name may be' >no.db
trouble "not a database" '.*no\.db' run -t 10 sqlite:no.db
is "$(cat no.db)" 'this is no database, whatever its name may be' "a file that is no database is left alone"
trouble "a database in no directory" '.*nowhere' run -t 10 sqlite:nowhere/x.db
trouble "no driver" './no\.so: ' run --driver=./no.so memory:
trouble "a driver that is none" "the driver './no\.db' did not start: .*" run --driver=./no.db memory:
is "$(ls results/runs)" "" "no directory of a run is left"

touch file
trouble "a directory that cannot be made" 'cannot make the directory file' \
  run -t 10 -o file/runs sqlite:x.db
is "$(ls x.db 2>/dev/null)" "" "nothing is run without a directory"
trouble "a file in place of a directory" 'cannot make the directory file: File exists' \
  scorecard -o file memory:
trouble "no directory for a scorecard" 'cannot make the directory file' \
  scorecard -o file/runs memory:
err=$(ulimit -f 0 && isostress run -v -t 10 -o nothing memory: 2>&1)
like "$err" '^isostress: cannot write nothing/.*/job\.ini: ' "no room for a run"
is "$(ls -A nothing)" "" "leaves no directory"
mkdir -p out/latest
trouble "a link that cannot be made" 'cannot make the link out/latest: ' \
  run -t 10 -o out memory:

python3 -c 'import sqlite3, time
db = sqlite3.connect("locked.db", isolation_level=None)
db.execute("BEGIN IMMEDIATE")
open("locked", "w")
time.sleep(600)' &
holder=$!
until [ -e locked ]; do sleep 0.02; done
run isostress run -v -t 10 -o early "sqlite:locked.db?busy=10ms"
kill "$holder"
wait "$holder" 2>/dev/null
is "$status" 255 "a database that cannot be set up"
is "$(grep -c 'locked\.db: .*locked' <<<"$err"):$out" "1:" "is told once"
is "$(ls -A early)" "" "a run that could not begin leaves no directory"

# A file that may not grow any more is what a full disk looks like.
(
  ulimit -f 256
  isostress run -v -T 10m -P 0 -o full memory: >full.out 2>full.err
  echo $? >full.status
)
is "$(cat full.status)" 255 "the disk is full: status 255"
like "$(cat full.err)" 'history' "the sentence names the file"
like "$(cat full.out)" '^TROUBLE: serializability was kept in what was recorded|^UNDECIDED' "the verdict covers what was kept"
like "$(cat full.out)" '^TROUBLE: ' "the report names the trouble"
run isostress check full/latest/history
like "$status" '^[02]$' "what was kept can be checked"

if [ -w /dev/full ]; then
  isostress list >/dev/full 2>full.err
  is "$? $(cat full.err)" "255 isostress: cannot write the result to stdout: No space left on device" \
    "a result that cannot be written"
else
  skip "a result that cannot be written" "no /dev/full"
fi

# An empty history keeps every level, but that is no verdict.
run isostress run -v -c 1 --rate=0.001 --seed=1 -T 10ms memory:
is "$status" 2 "a run without a transaction is undecided"
like "$out" '^NOT CHECKED' "a run without a transaction is not said to have passed"
like "$err" 'history holds no transaction: there is nothing to check' "a run without a transaction says why it was not checked"

# A driver of one's own.
example=$TOP_BUILDDIR/examples/file_driver.so
run isostress run -v --driver="$example" -t 20 -c 2 -k 10 "file:$work/store"
is "$status" 0 "a driver from outside the tree"
like "$out" '^PASS' "is put under load and judged"
like "$(cat results/runs/latest/job.ini)" '^driver = .*file_driver.so$' "the driver is part of the stored job"

# A file that cannot be written is refused before anything is run.
isostress run -t 20 memory: >/dev/null 2>&1
while IFS= read -r words; do
  eval "run isostress $words"
  is "$status:$out:$(grep -c 'cannot \(write\|make the directory\) .*: No such file' <<<"$err")" 255::1 "refused first: $words"
done <<'END'
run -T 60s --junit=/proc/no/j.xml memory:
run -T 60s --witness=/proc/no/w memory:
check --witness=/proc/no/w results/runs/latest/history
steps --page=/proc/no/p g1c memory:
explore --explain=/proc/no/e courseware-2
END
