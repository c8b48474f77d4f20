#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Acknowledged writes that are lost: a verdict of their own in text, JSON, page
# and JUnit; and the words that `isostress failover` refuses.
. "$TOP_SRCDIR/tests/tap.sh"
plan 16

run isostress run 'memory:?stale=0' -w set -t 50 --seed 1 -P 0 -v -o kept
is "$status" 0 "a store that keeps its writes"
like "$out" '^durability  none of [0-9]+ acknowledged writes is lost: [0-9]+ are there$' "is said to keep them"
like "$(tr -d ' \n' <kept/latest/report.json)" '"durability":\{"verdict":"pass","promised":"yes","acknowledged":([0-9]+),"surviving":\1,' \
  "JSON has the counts"
like "$(<kept/latest/report.html)" 'No acknowledged write is lost' "the page says so"

run isostress run 'memory:?stale=0&lose=0.05' -w append -i si -t 50 --seed 1 -P 0 -o lost --junit lost.xml
is "$status" 1 "a store that loses acknowledged writes"
like "$out" 'VIOLATION of durability: [0-9]+ of [0-9,]+ acknowledged writes are lost, of [0-9]+ transactions' "is told of"
like "$out" 'session [0-9], transaction [0-9]+: append of [0-9]+, value [0-9]+' "with the writes"
json=$(tr -d ' \n' <lost/latest/report.json)
like "$json" '"durability":\{"verdict":"violation",' "JSON has the verdict"
like "$json" '"shown":\[\{"session":[0-9]+,"transaction":[0-9]+,"begin_ns":[0-9]+,"end_ns":[0-9]+,"kind":"append","key":"[0-9]+","value":"[0-9]+"\}' \
  "and the writes"
like "$(<lost/latest/report.html)" '<section class="verdict" id="durability">' "the page begins with them"
like "$(tr -d '\n' <lost.xml)" 'name="no acknowledged write is lost"[^>]*> *<failure message="VIOLATION of durability: ' "JUnit has a failed test"

# Snapshots that may be old say nothing about the end.
run isostress run memory: -w append -i rc -t 50 --seed 1 -P 0 -v -o old
unlike "$out" '^durability' "a store whose reads may be old is not judged"

run isostress failover
is "$status" 254 "a failover takes a kind of server"
run isostress failover postgresql://localhost/test
like "$status:$err" '^254:.*takes the kind of a throw-away server' "no target"
run isostress failover postgresql-standbi
like "$status:$err" '^254:.*did you mean postgresql-standby\?' "a kind that is misspelt"
run isostress failover postgresql-sync fsync
like "$status:$err" '^254:.*"fsync" is no setting of a server' "a word that is no setting"
