#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress report --compare: the page that shows runs side by side.
. "${TOP_SRCDIR:?}/tests/tap.sh"
cd "$work" || exit 1
plan 18

isostress run --threads=1 --seed=1 -t 2k -c 4 -k 20 --distribution=uniform --bug=LongFork -o one memory: >/dev/null 2>&1
isostress run -t 100 -c 2 --threads=1 --seed=2 -i si -o two memory: >/dev/null 2>&1
one=$(readlink -f one/latest) two=$(readlink -f two/latest)
isostress report "$one" "$two" --compare=both.html >/dev/null
both=$(cat both.html)
like "$both" '<h1>Run A showed .*long fork.*; run B did not.' "the headline says which run showed a violation"
like "$both" 'A: Broken promise</p>' "the verdicts come first"
like "$both" '<td>VIOLATION: [a-z ]+ was broken by LongFork: a broken promise</td>' "a figure tells what is allowed from a broken promise"
like "$both" 'B: Kept in this run</p>' "each run has its verdict"
like "$both" 'one of the runs is too short for an interval' "runs that are too short have no interval"
is "$(python3 "$TOP_SRCDIR/tests/contrast.py" both.html)" "" "the comparison can be read in light, dark and print"
fits_phone both.html
mkdir elsewhere
isostress report "$one" "$two" --compare=elsewhere/both.html >/dev/null
lost=
while read -r link; do [ -f "elsewhere/$link" ] || lost="$lost $link"; done \
  < <(grep -o '<a href="[^"]*/report.html">' elsewhere/both.html | cut -d'"' -f2)
is "$(grep -c '<a href="../[^"]*/report.html"><code>' elsewhere/both.html):$lost" "2:" \
  "the page of a comparison leads to the page of each run, wherever it is"
# per_second NAME COMMITS: a run that committed so many in each of five seconds, and a few more or fewer.
per_second() {
  mkdir -p "$1"
  python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
n, run = int(sys.argv[2]), r["run"]
run["elapsed_ns"] = run["measured_ns"] = 5 * 10**9
run["seconds"] = [{"committed": n + d, "aborted": 0, "unknown": 0} for d in (-20, 10, 0, -10, 20)]
run["series"] = {"interval_ns": 10**9, "intervals": [
  {"committed": n, "aborted": 0, "unknown": 0, "p50_ns": 1000, "p95_ns": 2000, "p99_ns": 3000, "max_ns": 4000}] * 5}
run["committed"] = run["begun"] = 5 * n
run["aborted"] = 0
json.dump(r, open(sys.argv[3], "w"))' "$two/report.json" "$2" "$1/report.json"
}
per_second fast 200
per_second near 195
per_second slow 100
isostress report fast slow --compare=slower.html >/dev/null
like "$(cat slower.html)" '<h1>Both runs kept what was asked. B committed 50&nbsp;% fewer per second.</h1>' \
  "the headline says by how much a run is slower"
like "$(cat slower.html)" 'a difference of .50&nbsp;% \(95&nbsp;% interval .62&nbsp;% to .38&nbsp;%\). The interval leaves chance out.' \
  "a difference has its interval"
like "$(cat slower.html)" '<td class="n">200</td><td class="n">100</td><td class="n"><b>.50&nbsp;%</b> . 12</td>' \
  "the change stands beside the numbers"
is "$(grep -c '<svg class="plot"' slower.html)" 3 "both runs are drawn over time"
isostress report fast near --compare=nearly.html >/dev/null
like "$(cat nearly.html)" '<h1>Both runs kept what was asked.</h1>' "the headline says nothing of a difference within the interval"
like "$(cat nearly.html)" 'interval .14&nbsp;% to .9&nbsp;%\): that can be chance.' "a difference that can be chance is called so"
isostress report fast near slow --compare=three.html >/dev/null
like "$(cat three.html)" '<h1>All runs kept what was asked.</h1>' "three runs are compared"
is "$(grep -o '<p class="tag good">' three.html | wc -l)" 3 "each of three runs has its verdict"
isostress run -t 100 -c 2 --threads=1 --seed=2 -i si --check=rc -o weak memory: >/dev/null 2>&1
isostress report "$two" weak/latest --compare=levels.html >/dev/null
like "$(cat levels.html)" 'checked at different levels:</strong> A at snapshot isolation, B at read committed\. ' \
  "runs that were checked at different levels have a warning"
is "$(grep -c 'different levels' slower.html)" 0 "others have none"
