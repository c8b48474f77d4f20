#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes the picture of a page that README shows: the top of the page of a run, as
# a browser draws it.  Without RUN it makes a run on a throw-away PostgreSQL
# server; isostress is the one of build/, or the one in PATH.
#
#   page_picture.sh [PICTURE [RUN]]     (PICTURE: results/page.webp)
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
picture=${1:-$top/results/page.webp}
most=153600 # bytes: a reader of README waits for no more
PATH=$top/build:$PATH
run=${2:-}
work=$(mktemp -d "${TMPDIR:-/tmp}/isostress-picture.XXXXXX")
server=
clean_up() {
  [ -z "$server" ] || isostress server stop "$server" >/dev/null
  rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

if [ -z "$run" ]; then
  isostress server start postgresql >"$work/server"
  server=$(sed -n 's/^server=//p' "$work/server")
  status=0
  isostress run -i "repeatable read" --check=ser -k 20 -T 5s --op-times=on --seed=1 \
    -o "$work/runs" "$(sed -n 's/^uri=//p' "$work/server")" >&2 || status=$?
  [ "$status" = 1 ] || {
    echo "the run showed no violation (status $status); try again" >&2
    exit 1
  }
  run=$work/runs/latest
fi
python3 "$top/scripts/browser.py" "$run/report.html" "$work/page.webp" 1120 960
bytes=$(wc -c <"$work/page.webp")
[ "$bytes" -le "$most" ] || {
  echo "the picture has $bytes bytes, more than $most" >&2
  exit 1
}
mv "$work/page.webp" "$picture"
echo "$picture: $bytes bytes"
