#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Each room includes only what tests/rules/includes.txt allows it, that list has
# nothing that no file needs, and no two rooms know each other.
. "${TOP_SRCDIR:?}/tests/rules/rules.sh"
plan 4

# Every include between rooms: the room, the file included, and where.
sources '*.c' '*.h' | grep -vE '^(tests|bench|examples)/' | xargs awk '
  /^#include "[a-z_]+\// {
    split($0, quoted, "\"")
    room = FILENAME; sub("/[^/]*$", "", room)
    other = quoted[2]; sub("/[^/]*$", "", other)
    if (other != room && other != "base") print room, quoted[2], FILENAME ":" FNR
  }' >"$work/includes"
# Every permission: a room, and a room or one file that it may include.
sed -n 's/#.*//; s/^\([a-z_/]*\):/\1/p' tests/rules/includes.txt |
  awk '{ for (i = 2; i <= NF; i++) print $1, $i }' >"$work/allowed"

is "$(($(wc -l <"$work/includes") > 300))" 1 "the test finds includes between rooms"
is "$(awk 'NR == FNR { allowed[$0]; next }
  { room = $2; sub("/[^/]*$", "", room) }
  !(($1 " " $2) in allowed) && !(($1 " " room) in allowed) {
    print $3 ": " $1 " may not include " $2 }' "$work/allowed" "$work/includes")" \
  "" "every include is allowed"
is "$(awk 'NR == FNR { room = $2; sub("/[^/]*$", "", room); used[$1 " " $2]; used[$1 " " room]; next }
  !($0 in used)' "$work/includes" "$work/allowed")" "" "every permission is used"
# A room that may include one file of another one depends on what that file needs.
is "$(awk '{ room = $2; if (room ~ /\.h$/) sub("/[^/]*$", "", room); print $1, room }' \
  "$work/allowed" | tsort 2>&1 >/dev/null)" "" "no two rooms include each other, directly or through others"
