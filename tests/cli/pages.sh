#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Pages of runs in a real browser: hover, keys, copies, folds, contrast, and all
# of it without a script; and the picture of a page that README shows.
. "${TOP_SRCDIR:?}/tests/tap.sh"

cd "$work" || exit 1
picture=$TOP_SRCDIR/results/page.webp
if [ -z "$(command -v chromium || command -v chromium-browser)" ]; then
  plan 1
  skip "pages in a browser" "no chromium"
  exit
fi
isostress run -t 2k -c 4 -k 20 -i si --bug=FracturedRead --threads=1 --seed=7 -o broken memory: >/dev/null 2>&1
isostress run -t 2k -c 4 -k 20 -i si --bug=LongFork --threads=1 --seed=7 -o wide memory: >/dev/null 2>&1
isostress run -t 500 -c 4 -k 20 -i si --threads=1 --seed=1 -o kept memory: >/dev/null 2>&1
isostress run -t 500 -c 4 -k 20 -i si --threads=1 --seed=1 -o open memory: >/dev/null 2>&1
isostress steps g2 memory: -i si --page=steps.html >/dev/null 2>&1
# As if the check had not come to an end.
python3 - open/latest/report.json <<'END'
import json, sys
report = json.load(open(sys.argv[1]))
report["verdict"]["verdict"] = "undecided"
report["verdict"]["why"] = "time limit: stopped before it was decided"
report.pop("chances", None)
json.dump(report, open(sys.argv[1], "w"))
END
isostress report open/latest >/dev/null

plan 79
python3 "$TOP_SRCDIR/tests/pages.py" broken/latest/report.html wide/latest/report.html kept/latest/report.html \
  open/latest/report.html steps.html broken/index.html >browsed
status=$?
sed '/^1\.\./d' browsed
tap_count=$(grep -cE '^(not )?ok ' browsed)
is "$status" 0 "all tests in the browser took place"
# Pages of other kinds on a phone.
isostress run -t 2k -c 4 --threads=1 --seed=1 -w predicate -k 24 -i rc --check ser -o rows memory: >/dev/null 2>&1
isostress repro -o again mongodb-4.2.6-aborted-read-in-memory >/dev/null 2>&1
isostress explore --schema "$TOP_SRCDIR/configs/programs/stock.sql" "$TOP_SRCDIR/configs/programs/buy.pgbench@2" \
  --explain=explored >/dev/null 2>&1
for page in rows/latest/report.html again/latest/report.html explored/report.html steps.html broken/index.html; do
  fits_phone "$page"
done
like "$(cat open/latest/report.html)" 'Undecided</p>' "the last of these pages is undecided"

run "$TOP_SRCDIR/scripts/page_picture.sh" made.webp broken/latest
is "$status" 0 "the picture of a page is made by its script"
is "$(head -c 4 made.webp)$(head -c 12 made.webp | tail -c 4)" RIFFWEBP "the picture is one"
# The gallery has pictures of each page, of which one is enough here.
run "$TOP_SRCDIR/scripts/page_gallery.sh" all cycle-12 long-keys
is "$status" 0 "the gallery of pages is made by its script"
is "$(cd all/pictures && echo *)" "$(printf '%s ' {cycle-12,long-keys}{-1280-dark.png,-1280.png,-390-dark.png,-390.png,.pdf} | sed 's/ $//')" \
  "it has pictures for a desk, a phone and paper"
unlike "$err" 'stick out' "no page of the gallery is wider than its window"
like "$(<all/gallery.html)" '<a href="pictures/cycle-12-390.png">' "its own page shows them"
is "$(grep -oE '<text[^>]*>[^<]{40,}' all/long-keys.html)" "" "keys of 200 characters have short names in the picture"
run isostress check -l ser all/long-keys.history --raw-values --explain raw
like "$out" '^    1\. 0:0 read key a_key_whose_…_key_wh2 = 0\. ' "raw keys of 200 characters are cut on the terminal"
is "$(grep -oE '<text[^>]*>[^<]{40,}' raw/report.html)" "" "raw keys of 200 characters are cut in the picture"
like "$(<raw/report.html)" 'read key [a-z_]{200}2 = 0<br>' "the fold has them whole"
is "$(($(wc -c <"$picture") <= 153600))" 1 "the picture that README shows has 150 kB at most"
like "$(cat "$TOP_SRCDIR/README.md")" '\]\(results/page\.webp\)' "README shows the picture"
