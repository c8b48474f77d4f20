#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# CONTRIBUTING.md and ARCHITECTURE.md are true: the paths that they name are
# there, and the map of the first has every room.
. "${TOP_SRCDIR:?}/tests/rules/rules.sh"
plan 3

# The paths between backticks, but for those with a NAME or LEVEL in them.
mapfile -t paths < <(grep -ohE '`[a-zA-Z_.]+(/[a-zA-Z_.]*)*`' CONTRIBUTING.md ARCHITECTURE.md | tr -d '`' |
  grep -E '/|\.(c|h|md|sh|ac|am|1|txt)$' | grep -vE 'NAME|LEVEL|COMMAND' | sort -u)
is "$((${#paths[@]} > 60))" 1 "the pages name paths"
is "$(for path in "${paths[@]}"; do [ -e "$path" ] || echo "$path"; done)" "" \
  "all named paths are there"
# Rooms are the directories with C files of the program, and servers/.
is "$(sources '*.c' | grep -vE '^(tests|bench|examples)/' | sed 's|[^/]*$||' | sort -u |
  while read -r room; do grep -q "^| \`$room\` |" CONTRIBUTING.md ||
    grep -q "\`$room\` is" CONTRIBUTING.md || echo "$room"; done)" "" "the map has every room"
