#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The report of a run in a real browser, as wide as a phone and as a desk: it has
# its sections, fits, needs nothing from elsewhere, and the browser has nothing
# to complain about.
. "${TOP_SRCDIR:?}/tests/tap.sh"

cd "$work" || exit 1
browser=$(command -v chromium || command -v chromium-browser)
if [ -z "$browser" ]; then
  plan 1
  skip "the report in a browser" "no chromium"
  exit
fi
isostress run -t 5000 -c 4 -k 50 -i si --threads=1 --seed=1 --bug=LongFork memory: >/dev/null 2>&1
page=$(readlink -f results/runs/latest)/report.html

# browse WIDTH OPTION... PAGE: what the browser says in $err, its DOM in $out.
browse() {
  local width=$1
  shift
  run timeout 180 "$browser" --headless --no-sandbox --disable-gpu --disable-quic \
    --no-first-run --disable-background-networking --disable-component-update \
    --disable-sync --disable-dev-shm-usage --user-data-dir="$work/profile-$width" \
    --enable-logging=stderr --window-size="$width",900 "$@"
}

# Its policy forbids the browser to load or run anything: had it tried to, that
# would be on the console.
sections="hands run latency settings sure"
plan 26
for width in 390 1280; do
  browse "$width" --dump-dom --screenshot="$work/shot-$width.png" "file://$page"
  is "$status" 0 "$width wide: it opens"
  missing=
  for section in $sections; do
    grep -q "<section id=\"$section\"" <<<"$out" || missing="$missing $section"
  done
  is "$missing" "" "$width wide: all sections are there"
  is "$(grep CONSOLE <<<"$err")" "" "$width wide: no word on the console"
  like "$(head -c 4 "shot-$width.png" | tail -c 3)" '^PNG$' "$width wide: it is drawn"

  # A script around a copy of the page tells how wide it came out.  No window of
  # Chromium is narrower than 500, so that the copy stands in a frame.
  {
    printf '<!doctype html><iframe id="f" style="border:0;width:%spx;height:900px" srcdoc="' "$width"
    sed -e '/Content-Security-Policy/d' -e 's/&/\&amp;/g' -e 's/"/\&quot;/g' "$page"
    printf '"></iframe><script>f.onload = () => { const d = f.contentDocument; document.title ='
    printf ' d.documentElement.scrollWidth + " of " + d.documentElement.clientWidth + ", " +'
    printf ' d.querySelectorAll("svg").length + " pictures"; }</script>'
  } >"copy-$width.html"
  browse 1400 --hide-scrollbars --dump-dom "file://$PWD/copy-$width.html"
  title=$(sed -n 's#.*<title>\(.*\)</title>.*#\1#p' <<<"$out" | head -1)
  read -r wide _ available pictures _ <<<"$title"
  is "$wide" "${available%,}" "$width wide: nothing sticks out"
  is "${available%,}" "$width" "$width wide: as wide as asked for"
  like "$pictures" '^([4-9]|[1-9][0-9])$' "$width wide: the pictures are there"
done
# On paper, a picture that is taller than a page is made smaller.
sed -e '/Content-Security-Policy/d' -e 's/@media print/@media all/' \
  -e 's/viewBox="0 0 [0-9]* [0-9]*" style="--w:[0-9]*"/viewBox="0 0 700 1900" style="--w:700"/' \
  -e 's#</body>#<script>document.title = [...document.querySelectorAll(".pic-wrap")].map(\
 f => f.getBoundingClientRect().height < 980 ? "fits" : "too tall").join() + " " +\
 document.querySelectorAll("svg[viewBox=\\"0 0 700 1900\\"]").length</script></body>#' "$page" >paper.html
browse 1280 --dump-dom "file://$PWD/paper.html"
title=$(sed -n 's#.*<title>\(.*\)</title>.*#\1#p' <<<"$out" | head -1)
like "$title" ' [1-9]$' "the page has a tall picture"
like "$title" '^fits(,fits)* ' "the tall picture fits on its page"

# Runs side by side stand below each other where there is no room: nothing has to
# be moved to be read.
isostress run -T 300ms -c 2 memory: >/dev/null 2>&1
isostress report "${page%/*}" results/runs/latest --compare=both.html >/dev/null 2>&1
sed -e '/Content-Security-Policy/d' \
  -e 's#</body>#<script>document.title = [...document.querySelectorAll(".wide")].map(\
 part => part.scrollWidth - part.clientWidth).join();</script></body>#' both.html >moved.html
for width in 390 1280; do
  browse "$width" --dump-dom "file://$PWD/moved.html"
  like "$(sed -n 's#.*<title>\(.*\)</title>.*#\1#p' <<<"$out" | head -1)" '^0(,0)+$' \
    "$width wide: two runs fit side by side"
done
like "$(cat "$page")" "default-src 'none'" "the page has a policy"

like "$(cat "$page")" 'lang="en"' "the language is said"
for landmark in header main footer; do
  is "$(grep -c "^<$landmark" "$page")" 1 "the page has one $landmark"
done
is "$(python3 "$TOP_SRCDIR/tests/contrast.py" "$page")" "" "what is written can be read in light, dark and print"
sed 's/--soft:#[0-9a-f]*/--soft:#888/' "$page" >pale.html
like "$(python3 "$TOP_SRCDIR/tests/contrast.py" pale.html)" 'soft on page is only' "pale words would be noticed"
# All that a page could load or lead to from elsewhere.
is "$(grep -oiE '(src|href|action|data|srcset|poster)="[^#"][^"]*"|url\([^#)][^)]*\)|@import|<link|<iframe' \
  "$page" | sort -u)" 'href="../../index.html"' "the page loads nothing from elsewhere; its one link leads to all results"
