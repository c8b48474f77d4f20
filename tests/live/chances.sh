#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Chances of runs on servers, counted again by other code (tests/chances.py).
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs postgresql mariadb
live_start postgresql
postgresql=${server_uri[0]}
live_start mariadb
mariadb=${server_uri[0]}
cd "$work" || exit 1
plan 5

# compare URI LEVEL CHECKED [OPTION...]
compare() {
  local uri=$1 level=$2 checked=$3
  shift 3
  isostress run -T 0 -t 300 -k 10 -i "$level" --check=none -o runs "$@" "$uri" >/dev/null 2>&1
  isostress convert --to=jsonl runs/latest/history history.jsonl 2>/dev/null
  for _ in {1..20}; do # a busy machine may have time for a sample only
    isostress check -l "$checked" --explain=checked runs/latest/history >/dev/null 2>&1
    again=$(python3 "$TOP_SRCDIR/tests/chances.py" checked/report.json history.jsonl)
    [ "$again" = "right: some chances, a sample" ] || break
  done
  is "$again" "right: some chances, all" "${uri%%:*}, $level, $checked $*"
  rm -rf runs checked history.jsonl
}
compare "$postgresql" "read committed" rc
compare "$postgresql" "repeatable read" si
compare "$postgresql" serializable ser -w append
compare "$mariadb" "read committed" rc
compare "$mariadb" serializable ser
