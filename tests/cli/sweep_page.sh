#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The page of a sweep: what the figures say, panels, numbers that lead to runs.
. "${TOP_SRCDIR:?}/tests/tap.sh"
cd "$work" || exit 1
plan 32

# table NAME PYTHON: the directory of a sweep whose runs have the figures that the
# expression makes of level, clients and r, the repetition.
table() {
  mkdir -p "$1"
  python3 -c 'import sys
print("isolation,clients,distribution,repetition,started,attempts,committed,aborted,unknown,asked_for,given_up,"
      "abort_rate,throughput,p99_ms,verdict,anomaly,server,trouble,run")
for level in "read committed", "serializable":
    for clients in 2, 16:
        for skew in "uniform", "zipfian:0.99":
            for r in range(3):
                rate, verdict = eval(sys.argv[1])
                anomaly = "LostUpdate" if verdict == "violation" else ""
                print(f"{level},{clients},{skew},{r},1700000000,1000,{1000 - 1000 * rate:.0f},{1000 * rate:.0f},0,1000,0,"
                      f"{rate},{1000 + 200 * r},4,{verdict},{anomaly},"
                      f"Server 1.2 (x),,run-{r}")' "$2" >"$1/runs.csv" || exit 1
  isostress report "$1" >/dev/null 2>&1
}
h1() { sed -n 's#.*<h1>\(.*\)</h1>.*#\1#p' "$1/sweep.html"; }

table apart '(0.001 * r if level == "read committed" else 0.01 * clients + 0.001 * r, "pass")'
is "$(h1 apart)" "At serializable, 16 of 100 attempts were aborted; at read committed, fewer than 1." \
  "the headline says how far the levels are apart"
page=$(cat apart/sweep.html)
like "$page" 'Sweep: 8 settings, 24 runs' "the page says how many settings and runs"
like "$page" 'All 24 runs that were checked kept what was asked' "the page says what the runs kept"
like "$page" 'Most attempts were aborted with serializable, 16 sessions, uniform|Most attempts were aborted with serializable, 16 sessions, distribution' \
  "the page says where most was aborted"
like "$page" 'By aborted attempts, some intervals are apart in 6 of 8 comparisons; in the others all overlap' \
  "intervals that are apart are called so"
like "$page" 'By commits per second, all intervals overlap\. Longer and more runs narrow them' \
  "intervals that overlap are called so"
is "$(grep -c '<svg class="multiple" ' <<<"$page")" 6 "a panel for each distribution and measure"
is "$(grep -A4 'aria-label="Aborted attempts: ' <<<"$page" | grep -o '>[0-9]* %<' | sort | uniq -c | awk '{print $1}' | xargs)" \
  "2 2 2" "panels of a measure have one scale"
like "$page" '<span><svg class="multiple swatch".*</svg>RC: read committed</span>' "the legend tells levels by letters"
is "$(grep -c '<a href="#cell-[0-9]*">' <<<"$page") $(grep -c '<tr id="cell-[0-9]*">' <<<"$page")" "8 8" \
  "each share of aborted attempts leads to its runs"
like "$page" '<a href="runs/run-1/report.html">1</a>' "a repetition leads to the page of its run"
like "$page" '<dt>server</dt><dd>Server 1.2' "the page names the server"
if command -v tidy >/dev/null; then
  is "$(tidy -q -e apart/sweep.html 2>&1)" "" "the page is HTML"
else
  skip "the page is HTML" "no tidy: apt-get install tidy"
fi
is "$(python3 "$TOP_SRCDIR/tests/contrast.py" apart/sweep.html)" "" "the page can be read in light, dark and print"
fits_phone apart/sweep.html

table same '(0.1 + 0.05 * r + 0.01 * (level == "serializable"), "")'
table sessions '(0.005 * clients + 0.0001 * r, "pass")'
is "$(h1 sessions)" "With 16 sessions at read committed, 8.0 of 100 attempts were aborted; with 2 sessions, 1.0." \
  "the headline says how far numbers of sessions are apart"
is "$(h1 same)" "The intervals overlap: these runs do not tell the settings apart by aborted attempts." \
  "the headline says nothing where the intervals overlap"
like "$(cat same/sweep.html)" 'No run was checked' "the page says that nothing was checked"
table none '(0.0, "undecided" if r else "pass")'
is "$(h1 none)" "No attempt was aborted." "the headline of a sweep without aborts"
like "$(cat none/sweep.html)" 'Of 24 runs that were checked, <b class="open">0</b> broke what was asked, 8 kept it, and 16 were not decided' \
  "the page counts what was not decided"
table broken '(0.004, "violation" if level == "read committed" and r == 0 else "pass")'
is "$(h1 broken)" "4 of 24 runs broke what was asked. Fewer than 1 of 100 attempts were aborted." \
  "the headline says how many runs broke what was asked"
like "$(cat broken/sweep.html)" '<td class="bad" data-l="verdict">broken by LostUpdate</td>' "a number that was broken names the anomaly"

# Two of three runs of each setting do not meet a requirement; one of these committed nothing.
mkdir -p unmet
awk -F , -v OFS=, 'NR == 1 { print $0, "unmet"; next }
  { $NF = "run-" $4; text = $4 == 1 ? "12.100 ms" : "unknown: nothing committed"
    print $0, $4 ? "p99<10ms was required, and it is " text ($2 == 2 ? "; refused<1% was required, and it is " $4 " %" : "") : "" }' \
  <apart/runs.csv | sed 's/,\(p99[^,]*\), \(and it is [^,]*\), \(and it is.*\)$/,"\1, \2, \3"/; s/,\(p99[^,]*\), \(and it is [^,"]*\)$/,"\1, \2"/' >unmet/runs.csv
isostress report unmet >unmet.txt
is "$(h1 unmet)" "16 of 24 runs do not meet a requirement. At serializable, 16 of 100 attempts were aborted; at read committed, fewer than 1." \
  "the headline says how many runs do not meet a requirement"
is "$(grep -c 'kept what was asked' unmet/sweep.html) $(grep -c '<strong>A requirement is not met</strong> in <b>16</b> of 24 runs' unmet/sweep.html)" \
  "0 1" "the page does not say that all was kept as it was asked"
is "$(grep -o '<td class="[a-z]*" data-l="verdict">.*</td>' unmet/sweep.html | LC_ALL=C sort -r | uniq -c | sed 's/^ *//')" \
  '4 <td class="open" data-l="verdict">kept; <code>p99&lt;10ms</code> was required, and in 2 of 3 runs it is 12.100 ms or more, or unknown: nothing committed</td>
4 <td class="open" data-l="verdict">kept; <code>p99&lt;10ms</code> was required, and in 2 of 3 runs it is 12.100 ms or more, or unknown: nothing committed; <code>refused&lt;1%</code> was required, and in 2 of 3 runs it is 1 % to 2 %</td>' \
  "each setting says which requirement, in how many runs, and what was measured"
is "$(python3 -c 'import json
print({(u["required"], u["runs"], u["least"], u["most"]) for c in json.load(open("unmet/sweep.json"))["cells"] for u in c["unmet"]}
      == {("p99<10ms", 2, "12.100 ms", "unknown: nothing committed"), ("refused<1%", 2, "1 %", "2 %")})')" True "so does sweep.json"

printf '[two]\nclients = 2,4\ntransactions = 100\nrepetitions = 1\nkeys = 20\n' >real.ini
run isostress sweep real.ini memory:
directory=results/sweeps/real-two
is "$status" 0 "a sweep"
like "$(cat $directory/sweep.html)" '<h2 id="measured-heading">What was measured' "measures of one panel each stand side by side"
lacking=
for link in $(grep -o 'href="runs/[^"]*' $directory/sweep.html | cut -d'"' -f2); do
  [ -f "$directory/$link" ] || lacking="$lacking $link"
done
is "$lacking $(grep -c 'href="runs/' $directory/sweep.html)" " 2" "each run's page is there"
like "$(cat $directory/sweep.html)" 'A dot is 1 run, which has no interval' "one run has no interval"
browser=$(command -v chromium || command -v chromium-browser)
for width in 390 1280; do
  if [ -z "$browser" ]; then
    skip "$width wide: nothing sticks out" "no chromium"
    continue
  fi
  sed -e '/Content-Security-Policy/d' -e 's#</body>#<script>document.title = document.documentElement.scrollWidth + " of " +\
 document.documentElement.clientWidth;</script></body>#' apart/sweep.html >wide.html
  run timeout 180 "$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
    --disable-background-networking --disable-dev-shm-usage --user-data-dir="$work/profile-$width" \
    --window-size="$width",900 --dump-dom "file://$PWD/wide.html"
  title=$(sed -n 's#.*<title>\(.*\)</title>.*#\1#p' <<<"$out" | head -1)
  is "${title% of *}" "${title#* of }" "$width wide: nothing sticks out"
done
