#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# No shell script has anything that shellcheck warns of.
. "${TOP_SRCDIR:?}/tests/rules/rules.sh"
needs_program shellcheck
plan 3

mapfile -t files < <(sources '*.sh' elle-cli)
is "$((${#files[@]} > 50))" 1 "the test finds scripts"
is "$(shellcheck -S warning -f gcc "${files[@]}")" "" "shellcheck finds nothing"

# servers/servers.sh says why.  Lines that go on are one; $(( )) is arithmetic.
is "$(sed -s -e ':a' -e '/\\$/N; s/\\\n//; ta' servers/*.sh | grep -v '^ *#' | sed 's/\$((/((/g' |
  grep -E '\$\(.*\$\(')" "" "no command of servers/ holds two command substitutions"
