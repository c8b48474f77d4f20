#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A name leads to one place: no function name stands in three or more files of
# the program, few stand in two, and no struct is defined twice.  Drivers and
# workloads may call what they put into a slot by the name of the slot.
. "${TOP_SRCDIR:?}/tests/rules/rules.sh"
. "$TOP_SRCDIR/scripts/definitions.sh"
needs_program ctags universal-ctags
plan 6

in_two=100 # names of functions that may stand in two files

mapfile -t program < <(sources '*.c' '*.h' | grep -vE '^(tests|bench|examples)/')
mapfile -t code < <(printf '%s\n' "${program[@]}" | grep '\.c$')
defined f "${code[@]}" | without_slots >"$work/functions"
defined s "${program[@]}" >"$work/structs"

is "$(($(wc -l <"$work/functions") > 5000 && $(wc -l <"$work/structs") > 500))" 1 "the test finds functions and structs"
is "$(slots | grep -cxE 'open|close|begin|commit|rollback|get|put|append|cas|next')" 10 "and the slots"
is "$(printf '%s\n' 'a x.c' 'a y.c' 'a z.c' 'b x.c' 'b x.c' 'b y.c' 'c x.c' | shared 3 99999)" "a: x.c y.c z.c" \
  "and names that stand in several files"
is "$(shared 3 99999 <"$work/functions")" "" "no name of a function stands in three files"
shared 2 2 <"$work/functions" >"$work/twice"
is "$([ "$(wc -l <"$work/twice")" -le "$in_two" ] || cat "$work/twice")" "" \
  "at most $in_two names stand in two files"
is "$(shared 2 99999 <"$work/structs")" "" "no struct is defined twice"
