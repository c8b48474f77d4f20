#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress driver-test finds the mistakes of drivers, and none in honest ones.
. "${TOP_SRCDIR:?}/tests/tap.sh"
command -v python3 >/dev/null || { echo "1..0 # SKIP no python3"; exit 0; }

cd "$work" || exit 1
buggy="python3 $TOP_SRCDIR/tests/drivers/buggy.py"

# found BUG FAIL|LOOK SENTENCE: two checks.
found() {
  local wanted=1
  [ "$2" = LOOK ] && wanted=0
  run timeout 300 isostress driver-test --driver="$buggy $1"
  is "$status" "$wanted" "$1: status"
  like "$out" "^$2  $3" "$1: the sentence"
}

plan 89
run isostress driver-test --driver="$buggy"
is "$status" 0 "an honest driver"
is "$(grep -vE '^ok  ' <<<"$out")" "28 checks: 28 passed, 0 failed, 0 to look at, 0 not possible" "passes every check"
run isostress driver-test --driver="python3 $TOP_SRCDIR/tests/drivers/toy.py" toy:
is "$status" 0 "another one"
is "$(grep -cE '^(FAIL|LOOK)' <<<"$out")" 0 "passes every check that is possible"
like "$out" '^--    outcomes at none at all: the level promises nothing$' "a level without a promise is not asked"
for target in memory: "sqlite:$work/x.db"; do
  run isostress driver-test "$target"
  is "$status" 0 "the driver of $target"
  is "$(grep -E '^(FAIL|LOOK)' <<<"$out")" "" "the driver of $target passes"
done

found shared FAIL 'rollback: [0-9]+ was rolled back, and is there'
found rollback-commits FAIL 'end of a session: a session that was closed in a transaction has committed it'
found autocommit FAIL 'rollback: [0-9]+ was rolled back, and is there'
found commit-lies FAIL 'eight at once: session [0-9] alone uses key'
found abort-lies FAIL 'eight at once: session [0-9] alone uses key'
found cache FAIL 'eight at once: session [0-9] alone uses key'
found reads-outside FAIL 'own writes: a transaction that wrote [0-9]+ reads 0: reads must go through'
found buffers FAIL 'own writes: a transaction that wrote [0-9]+ reads 0'
found stale-setup FAIL 'second setup: a second setup leaves values of the first one'
found any-level FAIL 'level names: the level "no such level" is accepted'
found swaps FAIL 'eight at once: session [0-9] alone uses key'
found truncates FAIL 'large values: 9007199254740991 comes back as -1: keep integers of 64 bits'
found retries-commit LOOK 'outcomes at snapshot: in [0-9]+ of [0-9]+ pairs both replaced the value that both had read'
found retries-put LOOK 'outcomes at snapshot: in [0-9]+ of [0-9]+ pairs both replaced'
found swallows LOOK 'outcomes at snapshot: in [0-9]+ of [0-9]+ pairs both replaced'
found after-abort LOOK 'after a failure: a write after a failure, before the rollback, took effect by itself'
# Lists, and compare-and-set.
found append-overwrites FAIL 'lists: elements were appended one after the other, and .list. has [0-9]+, not [0-9]+, [0-9]+$'
found append-prepends FAIL 'lists: elements were appended one after the other, and .list. has'
found append-sorts FAIL 'lists: elements were appended one after the other, and .list. has'
found append-updates FAIL 'lists of new keys: another session appended to a key that setup did not make, and .list. has an empty list'
found append-twice FAIL 'long lists: 1000 elements were appended, and .list. has 10[0-9]+: keep long lists whole'
found append-short FAIL 'long lists: 1000 elements were appended, and .list. has 256'
found append-outside FAIL 'appends, rolled back: an append was rolled back, and .list. has [0-9]+, [0-9]+, not [0-9]+$'
found append-buffers FAIL 'own appends: a transaction appended, and .list. has an empty list, not'
found append-loses LOOK 'eight append at once: [0-9]+ of [0-9]+ appends that committed are not there'
found list-outside FAIL 'own appends: a transaction appended, and .list. has an empty list'
found cas-always FAIL 'compare and set: .*: replace nothing else than what is expected'
found cas-never FAIL 'compare and set: .*: replace what is expected'
found cas-outside FAIL 'compare and set, rolled back: [0-9]+ was stored by .cas. and rolled back, and is there'
found cas-expected FAIL 'compare and set: .*: it is what was there before, in any case'
found cas-new FAIL 'compare and set: .*: it is what was there before, in any case'
found cas-absent-none FAIL 'insert if absent: 0 was there, 0 was expected, [0-9]+ was to be stored, and 0 is there'
run isostress driver-test --driver="$buggy banner"
is "$status" 255 "a driver that prints a banner does not start"
like "$err" "printed 'the driver starts' where an answer was expected" "the sentence quotes it"
run isostress driver-test --driver="python3 $TOP_SRCDIR/tests/drivers/toy.py dies:50"
is "$status" 1 "a driver that dies fails"
like "$out" '^FAIL  .*ended with status 3: out of luck' "the sentence says how it ended"

# A run begins with the checks that take no time.
for bug in reads-outside rollback-commits autocommit shared; do
  run isostress run --driver="$buggy $bug" -t 20 -c 4
  is "$status" 255 "no run with the bug $bug"
  is "$(grep -c 'the driver failed a check, and there is no run' <<<"$err")" 1 "the sentence says so"
done
run isostress run --driver="$buggy autocommit" -t 200 -c 4 -k 5 --driver-test=off --check=si
is "$status" 1 "unless it is asked for"
like "$(tr -s ' \n' ' ' <<<"$out")" 'The driver is no part of isostress, and was not tested before the run' "the violation says that the driver was not tested"

run isostress driver-test
is "$status" 254 "driver-test needs a driver or a target"
run isostress driver-test sqlite:x.db memory:
is "$status" 254 "and one target"
