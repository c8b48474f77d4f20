#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Drivers in processes of their own (drivers/pipe/PIPE.md): an honest one, and
# every way in which one can be none.
. "${TOP_SRCDIR:?}/tests/tap.sh"
command -v python3 >/dev/null || { echo "1..0 # SKIP no python3"; exit 0; }

cd "$work" || exit 1
# So that processes of this test alone have the name.
cp "$TOP_SRCDIR/tests/drivers/toy.py" toy.py
toy="python3 $work/toy.py"
latest=results/runs/latest

# left_running: processes of this test that outlived the program.
left_running() { pgrep -f "$work/toy.py"; }

# stress DRIVER OPTION...: a short run.
stress() {
  local driver=$1
  shift
  run timeout 300 isostress run --driver "$driver" -t 30 -c 4 -k 20 "$@"
}

# ends DRIVER STATUS SENTENCE NAME OPTION...: three checks.
ends() {
  local driver=$1 wanted=$2 sentence=$3 name=$4
  shift 4
  stress "$driver" -t 3000 "$@" # no session is done before the driver fails
  is "$status" "$wanted" "$name: status"
  like "$err" "$sentence" "$name: the sentence"
  is "$(left_running)" "" "$name: nothing is left running"
}

plan 98
stress "$toy"
is "$status" 0 "a driver by a pipe keeps its level"
like "$out" '^PASS: The database kept snapshot isolation' "the verdict says so"
like "$err" 'isostress run: toy 1\.0, snapshot, 4 sessions' "the first line names the database"
is "$(grep -c '^target *= *toy:$' "$latest/job.ini")" 1 "the target is that of the driver"
is "$([ -e "$latest/driver.log" ] && echo there)" "" "there is no log of who said nothing"
is "$(left_running)" "" "the process ends with the run"
run isostress run "$latest/job.ini"
is "$status" 0 "the settings that were kept run again"
stress "$toy" toy:
is "$status" 0 "the target may be named"
stress "$toy" nosuch:x
is "$status" 254 "another target may not"
stress "$toy" toy:refused
is "$status" 255 "a place that the driver refuses"
like "$err" 'no such place' "the sentence is the driver's"
for workload in general append cas; do
  stress "$toy" -w "$workload" --check=si
  is "$status" 0 "the workload $workload"
done
stress "$toy" -w predicate
is "$status" 254 "a driver of keys executes no SQL"
stress "$toy" -i serializable
is "$status" 254 "a level that hello does not name is refused"
run isostress steps p4 --driver="$toy"
is "$status" 0 "steps need no target"
like "$out" 'anomaly +prevented' "and are performed"
run isostress scorecard --driver="$toy" -T 2s -o cards
is "$status" 0 "a scorecard needs no target"
like "$out" '^Lost update +o +-$' "it has what the toy prevents"
stress "$toy loses:20" -t 200
is "$status" 1 "updates that are lost are found"
like "$out" 'LostUpdate' "by their name"
stress "$toy unknown-code:10" -t 100
is "$status" 2 "failures of commit that hello does not know are errors"
like "$out" 'unknown' "their outcome is unknown"
stress "$toy chatter"
is "$status" 0 "a driver may write to stderr"
is "$(tail -n 1 "$latest/driver.log")" "the last line" "the results keep what it wrote"
is "$([ "$(stat -c %s "$latest/driver.log")" -le 65536 ] && echo short)" short "its end, if it is long"
stress "$toy none each" -c 1 --driver-test=off # that share no store
is "$status" 0 "a process for each session"
is "$(left_running)" "" "all of them end"
stress "$toy ignores-end"
is "$status" 0 "a driver that does not end by itself"
is "$(left_running)" "" "is killed"

# These are no drivers.
ends nosuchcommand 255 "^isostress: the driver 'nosuchcommand' did not start: .*not found" "no such command"
ends true 255 "the driver 'true' ended with status 0 before it answered hello" "a command that ends at once"
ends "sh -c 'echo alas >&2; exit 7'" 255 "ended with status 7 before it answered hello: alas" "one that says why"
ends "echo hello world" 255 "printed 'hello world' where an answer was expected; write to stderr" "a banner"
ends yes 255 "the driver 'yes' printed 'y' where an answer was expected" "a command without end"
ends cat 255 "the driver 'cat': it sends requests back" "an echo"
ends "head -c 100000000 /dev/zero" 255 "printed more than 16 MB without an end of the line" "zeros"
ends "sleep 1000" 255 "did not answer hello in 2 s; --driver-timeout gives it more time" "silence" --driver-timeout=2s
ends "echo '{\"id\":1,\"isostress\":2}'" 255 "does not say \"isostress\":1" "another protocol"
ends "echo '{\"id\":1,\"isostress\":1,\"name\":\"a b\"}'" 255 "a name is a letter, then letters" "a name with a blank"
ends "echo '{\"id\":1,\"isostress\":1,\"name\":\"a\",\"levels\":[{\"name\":\"x\",\"claims\":\"much\"}]}'" 255 \
  'the level "x" of its hello claims "much": .claims. is one of none, rc' "a claim that is none"

# These are none any more after some requests.
ends "$toy dies" 255 "no session could reconnect to the database: the driver .* ended with status 3: out of luck" "death"
unlike "$out" '^VIOLATION' "death is no violation"
ends "$toy hangs" 255 "did not answer .open. in time" "no answer any more" --driver-timeout=8s
ends "$toy wrong-id" 255 "answered request 10003[0-9]*, for which nobody waits" "an id of nobody"
like "$out" '^NOT CHECKED' "there is no verdict"
ends "$toy no-id" 255 "where an answer was expected: an answer has the .id. of its request" "no id"
ends "$toy banner" 255 "printed 'hello world' where an answer was expected" "a banner later on"
ends "$toy long" 255 "printed more than 16 MB" "a line without end"
ends "$toy no-number" 255 "answered with .value. twelve, where a whole number was expected" "a value that is no number"
is "$(grep -c '"end": *"driver broken"' "$latest/report.json")" 1 "the report says so"
run isostress steps p4 --driver="$toy banner:10"
is "$status" 255 "nor do steps show anything then"

# A driver amid a call outlives no way of ending.
# by_and_by: nothing is left running, within a minute.
by_and_by() {
  for ((i = 0; i < 600; i++)); do
    [ -n "$(left_running)" ] || return
    sleep 0.1
  done
  left_running
}
for signals in KILL "TERM TERM"; do
  isostress run --driver "$toy hangs" -t 3000 -c 4 -k 20 >/dev/null 2>&1 &
  for ((i = 0; i < 600; i++)); do
    [ -z "$(left_running)" ] || break
    sleep 0.1
  done
  sleep 1 # some calls, the last of which hangs
  for signal in $signals; do
    kill -s "$signal" $!
    sleep 0.1
  done
  wait $! 2>/dev/null
  is "$(by_and_by)" "" "nothing is left running after $signals"
done
isostress driver-test --driver "$toy hangs:60" >partly 2>/dev/null &
for ((i = 0; i < 600; i++)); do
  ! grep -q '^ok  ' partly || break
  sleep 0.1
done
kill $!
wait $!
is "$?" 2 "driver-test that is interrupted amid a call: status"
like "$(cat partly)" '^[0-9]+ checks: [0-9]+ passed, 0 failed, 0 to look at, 0 not possible$' "it says what it has"
is "$(by_and_by)" "" "nothing is left running"

# No password where others can read it.
ends "$toy --password=s3cret" 254 "holds no password, as it is kept with the results" "a password"
unlike "$err" s3cret "the sentence does not repeat it"
