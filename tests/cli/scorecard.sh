#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress scorecard on the embedded databases: the table, the files, the status.
. "${TOP_SRCDIR:?}/tests/tap.sh"
export ISOSTRESS_FILES=$TOP_SRCDIR
cd "$work" || exit 1
plan 53

row() { grep -E "^$1  +" <<<"$out" | sed -E 's/  +/|/g'; } # row ANOMALY: its marks between bars

run isostress scorecard sqlite:try.db -t 1000 --seed 1 --blocked-after 100ms
is "$status" 0 "SQLite keeps what it promises"
is "$(sed -n 4,6p <<<"$out" | sed -E 's/ +/ /g')" " READ
 UNCOMMITTED SERIALIZABLE
 (default)" "a column per level, the weakest first, and the default"
is "$(row 'Aborted read')" "Aborted read|seen|-" "what is allowed and was seen, and what is prevented"
like "$(row 'Circular reads')" '^Circular reads\|(o|seen)\|-$' "what is allowed may have been seen or not"
like "$out" '^-: prevented   seen: allowed, and seen   o: allowed, not seen$' "the marks are explained"
unlike "$out" 'BROKEN$' "no promise was broken"
like "$(grep -A1 '^  READ UNCOMMITTED  ' <<<"$out" | xargs -d '\n')" '^  READ UNCOMMITTED  estimates: ' "what a level is enough for"
like "$out" '^  SERIALIZABLE +whatever is right when transactions run one at a time\.$' "what serializability is enough for"
is "$(awk 'length > 80' <<<"$out" | grep -v '^page ')" "" "the lines have 80 columns"
like "$err" 'level 2 of 2, "serializable"; about [0-9]+:[0-9][0-9] left$' "progress says how long it takes"
directory=$(sed -n 's|^page  *\(.*\)/scorecard.html$|\1|p' <<<"$out")
is "$(cd "$directory" && echo *)" "runs scorecard.html scorecard.json scorecard.txt steps" "the files"
is "$(readlink "${directory%/*}/latest")" "${directory##*/}" "latest is the scorecard, and none of its runs"
is "$(isostress results | grep -c results/runs/)" 1 "a scorecard with its runs is one result"
links=$(grep -o 'href="runs/[^"]*"' "$directory/scorecard.html" | sort -u | cut -d '"' -f 2)
is "$(cd "$directory" && for link in $links; do test -f "$link" && echo there; done | sort -u)" there "each link to a run leads to it"
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
like "$page" '<td class="good" data-l="serializable(, the default)?"><svg.*<b>prevented</b><small>one is refused \(SQLITE_BUSY' \
  "a cell says how an anomaly was prevented"
like "$page" '<td class="warn" data-l="read uncommitted"><svg.*<b>(<a [^>]*>)?allowed, seen(</a>)?</b><small>3 of 3 tries' \
  "a cell says that an anomaly is allowed and was seen"
like "$page" '<b>allowed, not seen</b>' "a cell says that an anomaly is allowed and was not seen"
unlike "$page" '<b>FORBIDDEN AND SEEN</b><small>' "no cell has a broken promise"
like "$page" '<li><b>READ UNCOMMITTED</b> lets through: .*What helps against lost update: ' "the page says what to make of it"
like "$page" '<code>isostress scorecard sqlite:try.db --transactions=1000 --seed=1 --blocked-after=100ms</code>' "the page says which command makes it"
like "$page" "<code>isostress steps [a-z0-9-]+ -i &#39;read uncommitted&#39; sqlite:try.db</code>" "and how to see one anomaly step by step"
# They have the anomalies in orders of their own, and the page one rate for those
# of one plain name.
rates=$(python3 -c 'import json, sys
print(*(found.split()[1] for found in json.load(sys.stdin)["levels"][0]["broken"].split(", ")), sep="\n")' \
  <"$directory/scorecard.json" | sort -g)
shown=$(grep 'READ UNCOMMITTED</th><td class="good">' <<<"$page" | sed 's/.*<td>//; s/<.*//; s/, /\n/g' |
  sed 's/.* \([0-9.]*\) [a-z]*$/\1/' | sort -g)
is "$(python3 -c 'import sys
rates, shown = ([float(f) for f in text.split()] for text in sys.argv[1:])
def fits(i, sums):
    if i == len(rates):
        return all(.94 * s < t < 1.06 * s for s, t in zip(sums, shown))
    return any(fits(i + 1, sums[:k] + [sums[k] + rates[i]] + sums[k + 1:]) for k in range(len(sums)))
print(len(rates) > 0 and fits(0, [0] * len(shown)))' "$rates" "$shown")" True \
  "JSON and page have the same rates, but for two digits"
missing=
for link in $(grep -oE '<b><a href="[^"]*' <<<"$page" | cut -d'"' -f2); do
  [ -f "$directory/$link" ] || missing="$missing $link"
done
is "$missing" "" "what was seen under load leads to the page of a run"
like "$page" '<b><a href="runs/[^"]*-read-uncommitted/report\.html">allowed, seen</a></b>' "and there are such links"
unlike "$page" '<b>allowed, seen</b>' "whatever was seen leads to what showed it"
like "$(cat "$directory/steps/p4-read-uncommitted.html" 2>&1)" 'UPDATE|write x' "a script that showed it is a page"
is "$(grep -cE '(fractured read|G2-item) [0-9]' "$directory/scorecard.txt")" 0 "figures have the names of the table"
is "$(python3 "$TOP_SRCDIR/tests/contrast.py" "$directory/scorecard.html")" "" "the page can be read in light, dark and print"
fits_phone "$directory/scorecard.html"
# The runs that a scorecard leads to are kept with it.
isostress run -t 100 memory: -o "$(dirname "$directory")" >/dev/null 2>&1
isostress results --keep=2 "$(dirname "$directory")" >/dev/null 2>&1
lost=
while read -r link; do [ -f "$directory/$link" ] || lost="$lost $link"; done \
  < <(grep -o 'href="runs/[^"]*"' "$directory/scorecard.html" | cut -d'"' -f2)
is "$(grep -c 'href="runs/' "$directory/scorecard.html" | sed 's/^[1-9].*/some/'):$lost" "some:" \
  "results --keep leaves no link of a scorecard dead"

run isostress scorecard memory: -i si -t 1000 --seed 1
like "$(row 'Lost update')" '^Lost update\|-$' "a scorecard of one level has one column"
like "$out" '^  si +whatever has no rule over several rows' "what snapshot isolation is enough for"
like "$(cat "$(sed -n 's/^page *//p' <<<"$out")")" 'one is refused \(write-conflict' "aborts are shown with their codes"
run isostress scorecard memory: -i si -t 1000 --seed 1 -k 10
is "$status" 0 "few keys are as many as each stress needs"
like "$(row 'Write skew by searches')" '\|seen$' "SQL with conditions is stressed with few keys"
run isostress scorecard memory: -i si -t 2000 --seed 1 --bug LostUpdate:0.5 --output json -o broken
is "$status" 1 "a level that keeps less than it claims"
broken=$(cat broken/*/scorecard.html)
like "$broken" 'Broken promise</p>' "the page of a broken promise"
like "$broken" '<td class="bad" data-l="si"><svg.*<b><a href="[^"]*">FORBIDDEN AND SEEN</a></b>' "a cell says that an anomaly is forbidden and was seen"
like "$broken" '<h1>si does not keep what it promises: .*lost update' "the headline names the level and the anomaly"
is "$(python3 -c 'import json, sys
l = json.load(sys.stdin)["levels"][0]
print(l["claimed"], "LostUpdate" in l["broken"])' <<<"$out")" "si True" "JSON"

run isostress scorecard memory: -i ser -t 2000 --seed 1 --bug PhantomWriteSkew
is "$status" 1 "a level that keeps less of conditions than it promises"
like "$out" '^  ser +BROKEN PROMISE: .*write skew by searches' "names what broke the promise"
is "$(row 'Write skew by searches')" "Write skew by searches|BROKEN" "the table has it, too"

isostress scorecard sqlite:try.db -T 1m >out 2>err &
scorecard=$!
until grep -q 'level 1 of' err; do sleep 0.1; done
kill -TERM "$scorecard"
wait "$scorecard"
is "$?" 2 "a scorecard that was interrupted"
unlike "$(cat out)" 'BROKEN PROMISE' "breaks nothing"
like "$(cat out)" '^interrupted: what is empty was not tried' "says so"
like "$(cat out)" '^  SERIALIZABLE +not tried$' "a level that was not tried is called so"
run isostress scorecard
is "$status" 254 "no target"
run isostress scorecard memory: -i chaos
is "$status" 254 "no such level"
