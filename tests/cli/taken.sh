#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The list of SQL in `isostress help scripts` is what explore, run on rows of
# numbers and histories as text take, and no more; each refusal names file and
# line.
. "$(dirname "${BASH_SOURCE[0]}")/../tap.sh"
. "$(dirname "${BASH_SOURCE[0]}")/../kit/taken.sh"
plan 5
cd "$work" || exit 1

by_run() {
  run isostress run --schema s.sql -w x.pgbench -t 1 -c 1 -P0 memory:
  taken_said 0 1 2
}
by_explore() {
  run isostress explore --assert-only --schema s.sql x.pgbench@2 -i ser
  taken_said 0 1 2
}
# The condition of the statement, or none.
by_text() {
  local condition=''
  case $1 in
    *WHERE*) condition=${1##*WHERE } ;;
    CREATE* | INSERT* | SAVEPOINT* | \\* | *LIMIT* | *COALESCE* | *GROUP* | *JOIN* | *"'"*)
      echo -
      return
      ;;
  esac
  condition=${condition%% FOR *}
  condition=${condition%% ORDER *}
  condition=${condition%% RETURNING *}
  printf 'table t(n, m): 1{n=1,m=1} 2{n=3,m=3}\n[sel t{%s}: ]\n' "${condition:-TRUE}" >h.txt
  run isostress check -l rc h.txt
  [ "$status" = 255 ] && status=254 # a file that cannot be read
  taken_said 0 1 2
}

# Each sample is given to by_NAME; refusals without file and line are counted.
holds() { # holds COLUMN NAME
  local said='' found='' untold=0 mark sample
  while IFS=$'\t' read -r mark sample; do
    taken_files "$sample"
    "by_$2" "$sample" >answer
    said+="$mark $sample"$'\n'
    found+="$(cat answer) $sample"$'\n'
    [ "$(cat answer)" = - ] && ! grep -qE '^isostress: (s.sql|x.pgbench):[1-9]' <<<"$err" && untold=$((untold + 1))
  done < <(taken_rows "$1")
  is "$found" "$said" "$2: the list is what it takes"
  [ "$2" = text ] || is "$untold" 0 "$2: each refusal has file and line"
}
holds 2 run
holds 3 explore
holds 4 text
