#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress scaffold writes drivers that run at once and pass every check.
. "${TOP_SRCDIR:?}/tests/tap.sh"

cd "$work" || exit 1
long=${ISOSTRESS_LONG:+1}
plan $((16 + ${long:-0} * 10))
# works LANGUAGE PROGRAM [PACKAGE]: five checks.
works() {
  run isostress scaffold "$1" "$1"
  is "$status" 0 "a driver in $1 is written"
  is "$(find "$1" -type f | wc -l)" 2 "with its test"
  if ! command -v "$2" >/dev/null; then
    skip "$1: its test passes" "no $2"
    skip "$1: the driver" "no $2"
    skip "$1: the level" "no $2"
    return
  fi
  run timeout 500 "$1/test.sh"
  is "$status" 0 "$1: its test passes"
  like "$out" '^16 checks: 15 passed, 0 failed, 0 to look at, 1 not possible$' "$1: the driver makes no mistake"
  like "$out" '^PASS: The database kept snapshot isolation' "$1: the toy store keeps its level"
}
works python python3
[ -z "$long" ] || works node node
[ -z "$long" ] || works java javac
works c cc

run isostress scaffold python python
is "$status" 255 "a file that is there"
like "$err" 'my_driver\.py: is there already, and is not replaced' "is not replaced"
run isostress scaffold cobol
is "$status" 254 "another language"
like "$err" 'python, node, java or c; any other one does as well, by the page PIPE\.md' "is refused with a hint"
run isostress scaffold
is "$status" 254 "scaffold needs a language"
run isostress scaffold c a b
is "$status" 254 "and one directory"
