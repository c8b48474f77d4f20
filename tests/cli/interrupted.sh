#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Signals in mid-run: once, twice, and the one that cannot be caught.
. "${TOP_SRCDIR:?}/tests/tap.sh"

cd "$work" || exit 1

# Starts a run without an end and waits until it has committed something.
start() { # start NAME OPTION...
  local name=$1
  shift
  # Under nohup, a hang-up would be ignored.
  env --default-signal=HUP isostress run -v -T 0 -P 20ms -o "$name" "$@" \
    >"$name.out" 2>"$name.err" &
  pid=$!
  until grep -qs ' [1-9][0-9]* committed' "$name.err"; do
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.02
  done
}

ended() { # ended: waits for it and sets $status
  wait "$pid" 2>/dev/null
  status=$?
}

plan 40
for signal in INT TERM HUP; do
  start "once-$signal" sqlite:x.db
  kill -$signal "$pid"
  ended
  is "$status" 2 "$signal ends a run in good order, which is no success"
  like "$(cat "once-$signal.out")" '^INTERRUPTED: serializability was kept in what was recorded\.$' \
    "$signal leaves the verdict on what was recorded"
done
like "$(cat once-INT.out)" '^  stopped    by a signal after [0-9.]+ s$' "the report says how long it ran"
start planned memory: -T 1h
kill -INT "$pid"
ended
like "$(cat planned.out)" '^  stopped    by a signal after [0-9.]+ s of the 3600\.0 s asked for \([0-9]+ %\)$' \
  "the report says how long the run was to take"
like "$(cat planned/latest/report.json)" '"planned_ns": ?3600000000000' "JSON says how long the run was to take"
like "$(cat planned/latest/report.json)" '"kind": ?"interrupted"' "JSON says that the run was interrupted"
is "$(grep -cE '<title>INTERRUPTED: |>Kept in what was recorded<' planned/latest/report.html)" 2 "the page says that the run was interrupted"
like "$(cat planned/latest/report.html)" ' [0-9.]+&nbsp;s of the 3600\.0&nbsp;s asked for' "the page says how long the run took and was to take"
run isostress run -v memory: -T 1ms
unlike "$out" '^  stopped ' "a run that nobody stopped does not say so"
like "$(cat once-INT.err)" 'stopping in good order' "a run that is stopped says so on stderr"
is "$(isostress check once-INT/latest/history | head -1)" "PASS: serializability was kept." \
  "the history is whole"
unlike "$(isostress check once-INT/latest/history)" 'history is lost' "a stopped run loses nothing of its history"

isostress run memory: -t 1000000000 -P 20ms -o brief >brief.out 2>brief.err &
pid=$!
until grep -qs ' [1-9][0-9]* committed' brief.err; do sleep 0.02; done
kill -TERM "$pid"
ended
like "$status $(head -n 1 brief.out)" '^2 INTERRUPTED: The built-in store kept its promise in what was recorded\.$' \
  "the first line claims no pass"

# A database that answers nobody, so that the first signal alone does not end it.
start twice "sqlite:z.db?busy=10m&begin=immediate" -c 2
python3 -c 'import sqlite3, time
db = sqlite3.connect("z.db", isolation_level=None, timeout=600)
db.execute("BEGIN IMMEDIATE")
open("locked", "w")
time.sleep(600)' &
holder=$!
until [ -e locked ]; do sleep 0.02; done
until [ "$(tail -n 5 twice.err | grep -c ' s: 0 per second')" = 5 ]; do sleep 0.02; done
kill -INT "$pid"
kill -INT "$pid"
until grep -q 'stopping in good order' twice.err; do sleep 0.02; done
like "$(ps -o stat= -p "$pid")" '^[^Z]' "two signals at once, as of timeout(1), are one"
while kill -INT "$pid" 2>/dev/null && [ "$(ps -o stat= -p "$pid" | cut -c1)" != Z ]; do sleep 0.1; done
ended
is "$status" 130 "the second signal ends it at once"
kill "$holder"
wait "$holder" 2>/dev/null
is "$(cat twice.out)" "" "a run that is ended at once prints no report"
run isostress check twice/latest/history
like "$status" '^[02]$' "the history of a run that was ended at once opens"

start killed sqlite:y.db
size() { stat -c %s killed/latest/history; }
first=$(size)
until [ "$(size)" -gt "$first" ]; do sleep 0.05; done
kill -KILL "$pid"
ended
is "$status" 137 "killed in mid-run"
run isostress check killed/latest/history
is "$status" 0 "the history of a killed run opens and keeps the level"
like "$out$err" 'lost' "the check of a killed run says what was lost"

# SQL with conditions is kept likewise: its rows stand in chunks of their own.
isostress run -w predicate "memory:" -c 4 -k 48 -T 1h -P 0 --op-delay 100us -o rows >/dev/null 2>&1 &
pid=$!
rows_size() { stat -c %s rows/latest/history 2>/dev/null || echo 0; }
until [ "$(rows_size)" -gt 200000 ]; do sleep 0.05; done
kill -KILL "$pid"
ended
is "$status" 137 "a run with conditions, killed in mid-run"
run isostress check -l ser --timeout 60s rows/latest/history
like "$status" '^[02]$' "the history of a killed run with conditions opens, and nothing is broken"
run isostress stat rows/latest/history
like "$out" '^statements +[0-9]+: ' "the statements of a killed run are there"

cat >jobs.ini <<'END'
[global]
target = memory:
time = 1h
[one]
[two]
END
isostress run -v jobs.ini -P 20ms -o jobs >jobs.out 2>jobs.err &
pid=$!
until grep -qs ' [1-9][0-9]* committed' jobs.err; do sleep 0.02; done
kill -INT "$pid"
ended
is "$(grep -c '^\[' jobs.out)" 1 "no further job is begun"
is "$status" 2 "a job file that is interrupted is no success"

# A check that was asked for and never begun is not known to be kept.  A terminal sends
# the signal to all processes of a check.
isostress run -v -t 200 -c 4 -o asked memory: >/dev/null 2>&1
mapfile -t many < <(yes asked/latest/history | head -n 3000)
for jobs in 1 2; do
  env --default-signal=INT setsid isostress check -j $jobs "${many[@]}" >told$jobs 2>said &
  pid=$!
  until [ -s told$jobs ]; do sleep 0.01; done
  kill -INT -- "-$pid"
  ended
  is "$status" 2 "a check of many that is interrupted, $jobs at once, is undecided"
  is "$(grep -c 'stopping in\|giving up' said) $(tail -n 1 said)" \
    "1 isostress: interrupted before all checks had begun" "an interrupted check says so"
done

# Each of these waits for the end of its input, which does not come.
mkfifo endless
for command in 'stat endless' 'check endless' 'convert endless made.edn' 'verify asked/latest/history endless'; do
  # shellcheck disable=SC2086  # words
  env --default-signal=INT isostress $command >told 2>said &
  pid=$!
  exec 9>endless
  kill -INT "$pid"
  ended
  exec 9>&-
  is "$status $(grep . said) $(echo made*)" \
    "2 isostress: interrupted before all that was asked for was done made*" "$command: says so when it is interrupted"
done

# A conversion that waits for the reader of what it writes.
mkfifo slow
env --default-signal=INT isostress convert asked/latest/history slow --to=jsonl 2>said &
pid=$!
exec 8<slow
head -c 1 <&8 >first
kill -INT "$pid"
until grep -q 'stopping' said; do sleep 0.02; done
exec 8<&-
ended
like "$status" '^2$' "a conversion that is interrupted while it writes has not done all"

# A history that is not decided shows no counterexample, and does not lack one.
printf '[x==?]\n' >reads.txt
run isostress replay -l ser reads.txt memory:
like "$status $err" '^2 isostress: reads.txt: undecided, so there is nothing to replay: ' \
  "a replay of what is undecided is undecided"

# A server that takes the connection and says nothing, so that setting up goes on.
python3 -c 'import signal, socket
server = socket.create_server(("127.0.0.1", 0), backlog=64)
print(server.getsockname()[1], flush=True)
signal.pause()' >port &
silent=$!
until [ -s port ]; do sleep 0.02; done
isostress run "redis://127.0.0.1:$(<port)" -o silent 2>said &
pid=$!
until grep -q 'setting up: [0-9]* s' said || ! kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
like "$(<said)" 'setting up: [0-9]+ s' "setting up that takes long is told"
kill "$pid" "$silent"
wait "$pid" "$silent" 2>/dev/null || :
