#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The page that leads to all results of a directory: commands bring it up to date,
# isostress report writes it again.
. "${TOP_SRCDIR:?}/tests/tap.sh"
export ISOSTRESS_FILES=$TOP_SRCDIR
cd "$work" || exit 1
plan 43

isostress run memory: -t 500 -c 4 --threads=1 --seed=1 -i si >/dev/null 2>&1
kept=$(basename "$(realpath results/runs/latest)")
isostress run memory: -t 2k -c 4 -k 20 --threads=1 --seed=1 --distribution=uniform -i si --bug=LongFork >/dev/null 2>&1
broken=$(basename "$(realpath results/runs/latest)")
isostress run memory: -t 2k -c 4 -k 5 --threads=1 --seed=3 -i pc --check=ser -w mt >/dev/null 2>&1
allowed=$(basename "$(realpath results/runs/latest)")
isostress scorecard memory: -i si -T 100ms -o cards >/dev/null 2>&1
mkdir results/cards # as if it came from elsewhere
cp -r "$(dirname cards/2*/scorecard.txt)" results/cards/card
isostress sweep quick memory: --time=50ms --repetitions=1 >/dev/null 2>&1
mkdir -p results/runs/half results/other
echo '[run]' >results/runs/half/job.ini
echo mine >results/other/index.txt
isostress report --compare=results/compare.html "results/runs/$kept" "results/runs/$broken" >/dev/null 2>&1
isostress steps causality-violation memory: --page=results/steps.html >/dev/null 2>&1
isostress explore oncall -i si --explain=results/explored >/dev/null 2>&1
page=$(cat results/index.html)
written=(compare.html steps.html explored/report.html sweeps/quick-quick/sweep.html "runs/$kept/report.html"
  "runs/$broken/report.html" "runs/$allowed/report.html" cards/card/scorecard.html)
is "$(grep -o '<a href="[^"]*"' <<<"$page" | cut -d'"' -f2 | sort)" "$(printf '%s\n' "${written[@]}" | sort)" \
  "every command that writes a page adds it to the page of all results"
like "$(grep 'explored/report' -B2 <<<"$page" | xargs -d '\n')" '<tr data-v="warn">.*This can happen</p>' "a history that a program can have is no broken promise"
like "$page" '<a href="explored/report.html">A history that oncall.program can have</a>' "what was explored has its name"
like "$(grep -A1 'Step script' <<<"$page" | xargs -d '\n')" '<a href="steps.html">Causality violation: .*</a><small>in-process store at ser</small>' \
  "a step script has its title and where it was performed"
like "$(grep -A1 '>Comparison<' <<<"$page" | xargs -d '\n')" "<a href=\"compare.html\">Runs side by side</a><small>results/runs/$kept, results/runs/$broken</small>" \
  "a comparison names its runs"
is "$(python3 -c 'import json
n = json.load(open("results/compare.html.json"))
print(n["page"], n["title"], n["about"], n["written_ns"] > 1e18, sep="|")')" \
  "Comparison|Runs side by side|results/runs/$kept, results/runs/$broken|True" "a note beside a page says what it is about"
mv results/steps.html.json kept.json
cp results/steps.html results/copied.html
mv results/compare.html aside.html
isostress report results >/dev/null 2>&1
is "$(grep -cE 'href="(steps|copied|compare)[.]html' results/index.html)" 0 \
  "a page without its note is not on the page of all results, nor a note without its page"
mv kept.json results/steps.html.json
mv aside.html results/compare.html
rm results/copied.html
lost=
while read -r file; do
  link=$(sed -n 's/.*<a href="\([^"]*\)">All results<.*/\1/p' "$file")
  [ "$(realpath "${file%/*}/$link")" = "$PWD/results/index.html" ] || lost="$lost $file"
done < <(find results -name '*.html' ! -name index.html ! -path '*/cards/*')
is "$lost" "" "each page leads back to it"
rm -r results/compare.html* results/steps.html* results/explored

begun() { # begun NAME SECONDS: the run began then
  sed -i "s/\"started_ns\": [0-9]*/\"started_ns\": ${2}000000000/" "results/runs/$1/report.json"
}
begun "$kept" 1000000000
begun "$broken" 900000000
begun "$allowed" 1100000000

run isostress report results/
is "$status:$out" "0:results/index.html" "a directory of results gets a page"
is "$err" "isostress: results/runs/half is half written: its command was ended before it had written its results." \
  "a half-written directory is named in one sentence"
page=$(cat results/index.html)
like "$page" '<p class="note">results/runs/half is half written' "the page names the half-written directory"
is "$(grep -o 'href="runs/[^"/]*' <<<"$page" | cut -d/ -f2 | xargs)" "$broken $allowed $kept" "the worst run comes first, though it is the oldest"
row() { # row NAME: its line of the page
  grep -A1 -B3 "href=\"[a-z]*/$1/" <<<"$page" | xargs -d '\n'
}
like "$(row "$broken")" '<tr data-v="bad">.*Broken promise</p> <small>[a-z, ]*long fork' "a broken promise, and what was seen"
like "$(row "$allowed")" '<tr data-v="warn">.*Seen, and allowed at this level</p>.*<small>pc, asked for serializability; workload mt, 4 sessions</small><small>memory:</small>' \
  "a run has verdict, level, workload, sessions and target"
like "$(row "$kept")" '<tr data-v="good">.*Kept in this run</p>.*>The built-in store</a>' "a run that kept its level"
like "$(row "$kept")" '<td class="nw soft">2001-09-09 01:46</td></tr>' "a run has its date"
like "$(row "$kept")" 'data-l="committed">[0-9,]+</td><td class="n" data-l="aborted">[0-9.]+&nbsp;%</td>' "a run has its figures"
like "$page" '<p class="lede">3 runs: <b class="bad">1 broken promise</b>, <b class="warn">1 seen and allowed</b>, <b class="good">1 kept</b>; 1 sweep; 1 scorecard.</p>' \
  "the page counts its results"
like "$(row card)" 'Every promise kept</p>.*<small>scorecard of 1 level: si</small><small>memory:</small>' "a scorecard"
like "$(grep -A1 -B3 '>quick-quick<' <<<"$page" | xargs -d '\n')" 'Sweep</p>.*<small>4 combinations of settings, 4 runs</small><small>memory:</small>' \
  "a sweep"
missing=
for link in $(grep -o 'href="[^"]*' <<<"$page" | cut -d'"' -f2); do
  [ -f "results/$link" ] || missing="$missing $link"
done
is "$missing" "" "each link leads to a page"
unlike "$page" "other/" "a directory of something else is passed over"
if command -v tidy >/dev/null; then
  is "$(tidy -q -e results/index.html 2>&1)" "" "the page is HTML"
else
  skip "the page is HTML" "no tidy: apt-get install tidy"
fi
is "$(python3 "$TOP_SRCDIR/tests/contrast.py" results/index.html)" "" "the page can be read in light, dark and print"
fits_phone results/index.html

head -c 300 "results/runs/$kept/report.json" >cut.json
cp cut.json "results/runs/$kept/report.json"
run isostress report results/runs
is "$status:$out $(wc -l <<<"$err")" "0:results/runs/index.html 2" "a report that was cut off does not stop the others"
is "$(grep -o 'href="[^"/]*' results/runs/index.html | cut -d'"' -f2 | xargs)" "$broken $allowed" \
  "links of a directory of runs start there"
mv "results/runs/$allowed" 'results/runs/a"b <c>%'
isostress report results/runs >/dev/null 2>&1
like "$(cat results/runs/index.html)" 'href="a%22b%20%3Cc%3E%25/report.html"' "a name of any letters is a link"
mkdir empty
run isostress report empty
is "$status:$err" "255:isostress: empty holds no report.json: name the directory of a run, a sweep, a scorecard or a directory of these" \
  "a directory without results is refused"
run isostress report results/runs/half
is "$status:$err" "255:isostress: results/runs/half is half written: its command has not ended, or was ended before it had written its results" \
  "a half-written run has no page"
run flock "results/runs/$broken" isostress report results/runs
like "$err" "^isostress: results/runs/$broken has no results yet: a command is at work there.$" "a run that is going on is told"

# ---- Up to date

isostress run memory: -t 100 -c 2 --threads=1 --seed=1 -o mine/own >/dev/null 2>&1
like "$(cat mine/own/index.html)" 'href="[^"/]*/report.html"' "a directory of one's own has its own page"
for seed in 1 2 3 4 5 6; do
  isostress run memory: -t 100 -c 2 --seed="$seed" -P 0 -o mine/own >/dev/null 2>&1 &
done
wait
is "$(grep -c 'href="[^"/]*/report.html"' mine/own/index.html)" 7 "runs that end at once are all on the page"
is "$(find mine -name '*.tmp-*')" "" "and leave nothing half written"
isostress results --keep=2 mine/own >/dev/null
is "$(grep -c 'href="[^"/]*/report.html"' mine/own/index.html)" 2 "what was removed is not on the page"
mkdir other
echo 'my own page' >other/index.html
isostress run memory: -t 100 -c 2 --threads=1 --seed=1 -P 0 -o other >/dev/null 2>&1
is "$(cat other/index.html)" "my own page" "a page of somebody else stays as it is"
is "$(grep -c 'All results' other/latest/report.html)" 0 "and no page leads there"
run isostress report other
is "$status:$err" "255:isostress: other/index.html was not written by isostress: it stays as it is" "nor does report replace it"
isostress run memory: -t 100 -c 2 --threads=1 --seed=1 -P 0 -o mine/own/below >/dev/null 2>&1
is "$(grep -c 'href="below/[^"]*/report.html"' mine/own/index.html)$(find mine/own/below -name index.html)" 1 \
  "a directory in one that has a page is on that page"

like "$page" '<p class="filter" hidden>' "without its script the page shows no filter"
is "$(grep -c '<tr[^>]*hidden' <<<"$page")" 0 "without its script the page hides nothing"
browser=$(command -v chromium || command -v chromium-browser)
if [ -z "$browser" ]; then
  skip "the filter by words" "no chromium"
  skip "the filter by verdict" "no chromium"
  exit
fi
printf '%s\n' "$page" | sed '/Content-Security-Policy/d' >tried.html
cat >>tried.html <<'END'
<script>
const word = document.querySelector(".filter input"), kind = document.querySelector(".filter select");
const shown = () => [...document.querySelectorAll("tr[data-v]")].filter(r => r.offsetHeight).length;
const said = [document.querySelector(".filter").hidden ? "hidden" : "shown", shown()];
word.value = "LONG fork";
word.dispatchEvent(new Event("input"));
said.push(shown(), document.querySelector("[role=status]").textContent.replace(/ /g, ""));
word.value = "";
kind.value = "good";
kind.dispatchEvent(new Event("change"));
said.push(shown());
kind.value = "";
kind.dispatchEvent(new Event("change"));
said.push(shown());
document.title = said.join(" ");
</script>
END
for width in 390 1280; do
  run timeout 180 "$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
    --disable-background-networking --disable-dev-shm-usage --user-data-dir="$work/profile-$width" \
    --window-size="$width",900 --dump-dom "file://$PWD/tried.html"
  is "$(sed -n 's#.*<title>\(.*\)</title>.*#\1#p' <<<"$out" | head -1)" "shown 5 1 1of5 2 5" \
    "$width wide: rows are filtered by words and by verdict"
done
