#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress scorecard on the embedded databases: the table, the files, the status.
. "${TOP_SRCDIR:?}/tests/tap.sh"
export ISOSTRESS_FILES=$TOP_SRCDIR
cd "$work" || exit 1
plan 39

run isostress scorecard sqlite:try.db -T 300ms --blocked-after 100ms
is "$status" 0 "SQLite keeps what it claims"
like "$out" '^level asked for +serializable +read uncommitted *$' "a column per level"
like "$out" '^claims +ser +none *$' "what each claims"
like "$out" '^strongest level kept +(ser|sser) +[a-z]+ *$' "what each kept"
like "$out" '^of SQL with conditions +(ser|sser) +[a-z]* *$' "what is kept of SQL with conditions"
like "$out" '^g1a +aborted read +prevented +SEEN 3/3 *$' "what was seen"
like "$out" '^g2 +by predicates +abort SQLITE_BUSY[A-Z_]* +' "how it was prevented"
directory=$(sed -n 's/^results: //p' <<<"$out")
is "$(cd "$directory" && echo *)" "scorecard.html scorecard.json scorecard.txt" "the files"
like "$(ls "${directory%/*}/latest/")" '^history$' "latest is a run, which has a history"
run isostress report "$directory"
is "$status $out" "0 $(cat "$directory/scorecard.txt")
$directory/scorecard.html" "report shows it again"
if command -v tidy >/dev/null; then
  is "$(tidy -q -e "$directory/scorecard.html" 2>&1)" "" "the page is HTML"
else
  skip "the page is HTML" "no tidy: apt-get install tidy"
fi

page=$(cat "$directory/scorecard.html")
like "$page" 'Every promise kept</p>' "the page says that promises were kept"
like "$page" '<h1>SQLite keeps what it promises.</h1>' "the headline of the page"
like "$page" '<td class="good" data-l="serializable"><svg.*<b>prevented</b><small>one is refused \(SQLITE_BUSY' \
  "a cell says how an anomaly was prevented"
like "$page" '<td class="warn" data-l="read uncommitted"><svg.*<b>allowed, seen</b><small>3 of 3 tries' \
  "a cell says that an anomaly is allowed and was seen"
like "$page" '<b>allowed, not seen</b>' "a cell says that an anomaly is allowed and was not seen"
unlike "$page" '<b>FORBIDDEN AND SEEN</b><small>' "no cell has a broken promise"
like "$page" '<li><b>READ UNCOMMITTED</b> lets through: .*What helps against lost update: ' "the page says what to make of it"
like "$page" '<code>isostress scorecard sqlite:try.db --time=300ms --blocked-after=100ms</code>' "the page says which command makes it"
like "$page" "<code>isostress steps [a-z0-9-]+ -i &#39;read uncommitted&#39; sqlite:try.db</code>" "and how to see one anomaly step by step"
rate=$(sed -n 's/^  read uncommitted: [A-Za-z0-9-]* \([0-9.e-]*\).*/\1/p' "$directory/scorecard.txt")
shown=$(grep 'READ UNCOMMITTED</th><td class="good">' <<<"$page" | sed 's/.*<td>[a-z -]* \([0-9.e-]*\).*/\1/')
is "$(awk -v r="$rate" -v p="$shown" 'BEGIN { print (p > 0 && p > .94 * r && p < 1.06 * r) ? "same" : r " and " p }')" same \
  "text and page have the same rates, but for two digits"
is "$(python3 "$TOP_SRCDIR/tests/contrast.py" "$directory/scorecard.html")" "" "the page can be read in light, dark and print"

run isostress scorecard memory: -i si -T 200ms --seed 1
like "$out" '^strongest level kept +(si|ser|sser) *$' "a scorecard of one level has the level that was kept"
like "$out" '^p4 +lost update +abort write-conflict *$' "aborts are shown with their codes"
run isostress scorecard memory: -i si -T 200ms --seed 1 -k 10
is "$status" 0 "few keys are as many as each stress needs"
like "$out" '^of SQL with conditions +(si|ser|sser) *$' "SQL with conditions is stressed with few keys"
run isostress scorecard memory: -i si -T 500ms --bug LostUpdate:0.5 --output json -o broken
is "$status" 1 "a level that keeps less than it claims"
broken=$(cat broken/*/scorecard.html)
like "$broken" 'Broken promise</p>' "the page of a broken promise"
like "$broken" '<td class="bad" data-l="si"><svg.*<b>FORBIDDEN AND SEEN</b>' "a cell says that an anomaly is forbidden and was seen"
like "$broken" '<h1>si does not keep what it promises: .*lost update' "the headline names the level and the anomaly"
is "$(python3 -c 'import json, sys
l = json.load(sys.stdin)["levels"][0]
print(l["claimed"], "LostUpdate" in l["broken"])' <<<"$out")" "si True" "JSON"

run isostress scorecard memory: -i ser -T 300ms --bug PhantomWriteSkew
is "$status" 1 "a level that keeps less of conditions than it claims"
like "$out" '^of SQL with conditions +[a-z]+  BROKEN *$' "the level of conditions that is broken"

isostress scorecard sqlite:try.db -T 1m >out 2>err &
scorecard=$!
until grep -q 'level 1 of' err; do sleep 0.1; done
kill -TERM "$scorecard"
wait "$scorecard"
is "$?" 2 "a scorecard that was interrupted"
unlike "$(cat out)" 'BROKEN' "breaks nothing"
like "$(cat out)" '^interrupted: what is empty was not tried' "says so"
like "$(cat out)" '^  read uncommitted: not tried$' "a level that was not tried is called so"
run isostress scorecard
is "$status" 254 "no target"
run isostress scorecard memory: -i chaos
is "$status" 254 "no such level"
