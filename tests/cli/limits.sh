#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Limits of memory and time: undecided, with what is known by then.
. "${TOP_SRCDIR:?}/tests/tap.sh"

cd "$work" || exit 1
isostress run -v -c 4 -t 2k -k 20 -w general --threads=1 --seed=1 -i si memory: >/dev/null 2>&1
mv results/runs/latest/history history

plan 36
run isostress check --memory=100k history
is "$status" 2 "a history that needs more memory than it may"
like "$err" '^isostress: history: memory limit: reading it needs more than 100000 bytes; nothing is decided$' "is not read, in good order"
is "$out" "" "a history that needs too much memory has no verdict"

run isostress check --stream=on --memory=100k history
like "$status $err" '^2 isostress: history: memory limit: reading it needs more than 100000 bytes; nothing is decided$' "nor is it as a stream"

# The least memory, nearly, in which it can be read.
little=100000
while isostress check --memory="$little" history 2>&1 | grep -q 'reading it'; do
  little=$((little * 11 / 10))
done
run isostress check --memory="$little" history
is "$status" 2 "a check that needs more memory than it may"
like "$out" '^UNDECIDED: whether snapshot isolation was kept' "is undecided"
like "$out" '^  Why: memory limit: it needs more than '"$little"' bytes' "the memory limit is named as the reason"
like "$out" '^  [1-9][0-9]* committed' "the report still counts transactions"
is "$err" "" "a check that gives up prints nothing on stderr"
# Without a limit of one's own, what is free: told by another /proc/meminfo where
# this user may mount one, and else by the same numbers given.
cat >poor <<'END'
echo 'MemAvailable: 100 kB' >meminfo
mount --bind meminfo /proc/meminfo && exec isostress check history
END
run unshare --mount --map-root-user bash poor
[ "$status" = 2 ] || run isostress check --memory=1M history
is "$status" 2 "a check for which nothing is free"
like "$err$out" 'memory limit: .*more than 1000000 bytes' "is undecided"
run isostress check --memory=64G history
is "$status" 0 "a check that may have enough"
run isostress check --memory="$little" -l auto history
is "$status" 2 "a check of all levels without memory is undecided"
is "$(grep -c ' undecided  memory limit' <<<"$out")" 7 "has no level decided"
run isostress check --memory="$little" -l recorded --witness=proof history
is "$status" 2 "what each was recorded at"
like "$err" 'proof was not written: what is undecided has no proof' "has no witness then"
run isostress check --memory="$little" -l rc,si -j 2 history
is "$status" 2 "several levels at once"
is "$(cut -f 2,3 <<<"$out" | xargs)" "rc undecided si undecided" "each of several levels has its own limit"
run isostress run -v -t 1k -k 20 --threads=1 --memory=100k memory:
is "$status" 2 "a run whose history may not be read"
like "$(cat results/runs/latest/report.txt)" 'memory limit: reading it needs more' "leaves its report"

# However fast it is, the alarm may come late: while the history is read, or after that.
for ((i = 0; i < 100; i++)); do
  run isostress check --timeout=1ns history
  [ "$status" = 0 ] || break
done
is "$status" 2 "a time limit"
like "$out$err" '(^  Why|^isostress: history): time limit: (reading it was stopped; nothing is decided|stopped before it was decided|stopped when an order)' \
  "is named"

# A search among many orders, of which it is told how far it has come.
isostress run -v -c 20 -t 500 -k 100 -w general --ops=8 --threads=1 --seed=1 -i si --check=none \
  --max-tries=100 'memory:?stale=0' >/dev/null 2>&1
isostress convert --to=bincode results/runs/latest/history open.bincode 2>/dev/null
open='[1-9][0-9]* of [1-9][0-9]* runs of versions are still to be placed, after [0-9]* choices and [0-9]* conflicts'

# until_told CAUSE COMMAND...: with %N% as more and more milliseconds, or as
# many times 100 kB, until the command is ended in the midst of the search.  Once
# it had enough, from a tenth less on in small steps.
until_told() {
  local cause=$1 i n=1 small=
  shift
  for ((i = 1; i < 800; i++)); do
    run "${@//%N%/$n}"
    grep -q "placed, after" <<<"$out" && break
    [ "$status" != 0 ] || small=1
    n=$((status == 0 ? n * 9 / 10 : small ? n + 1 : n + 1 + n / 20))
  done
  is "$status" 2 "a search that is ended: $cause"
  like "$out" "Why: $cause: .*; $open" "tells what is still open"
}
until_told "time limit" isostress check -l si --timeout=%N%ms open.bincode
# shellcheck disable=SC2016  # is expanded there
until_told "interrupted" bash -c \
  'ms=00%N% && exec timeout --preserve-status -s INT "${ms%???}.${ms: -3}" isostress check -l si open.bincode'
until_told "memory limit" isostress check -l si --memory=%N%00k open.bincode

# A verdict that takes a moment is told although the time is over.
for ((i = 1; i < 400; i++)); do
  run isostress check -l auto --timeout="$((i + i * i / 20))ms" open.bincode
  grep -q "^ALL LEVELS: .*read atomic" <<<"$out" && break
done
like "$out" '^ALL LEVELS: the strongest level known to be kept is read atomic' "what is known by then"
is "$(grep -cE '^  (si|pc|cc) .* undecided  time limit: stopped' <<<"$out")" 3 "levels that were not reached in time are undecided"

# Clients for whom this machine has no room: nothing is started to find out.
run isostress run -v -c 4M -t 1 -o crowd memory:
is "$status" 254 "more clients than there can be threads"
like "$err" '^isostress: this needs more than 4000000 threads, and there can be only [0-9]+ \([^)]+\): ask for fewer clients, or raise the limit$' \
  "names the limit"
run isostress run -v -c 4M --threads=1 -t 1 -o crowd memory:
like "$err" '^isostress: 4000000 clients need [0-9]+ MB of memory, and [0-9]+ MB are free: ask for fewer clients$' \
  "more clients than there is memory for"
(ulimit -n 64 && isostress run -v -c 100 -t 1 -o crowd sqlite:crowd.db) 2>err
like "$(cat err)" '^isostress: this needs more than 100 open files or connections, and there can be only 64 \(ulimit -n\)' \
  "more connections than there can be open files"
(ulimit -n 64 && isostress run -v -c 64 -t 1 -o crowd sqlite:crowd.db) 2>err
like "$(cat err)" '^isostress: this needs more than 64 open files or connections, and there can be only 64 ' \
  "as many connections as there can be open files"
is "$(ls -d crowd crowd.db 2>/dev/null)" "" "a refused crowd leaves no files behind"
