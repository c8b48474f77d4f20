#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# No shell script has anything that shellcheck warns of.
. "${TOP_SRCDIR:?}/tests/rules/rules.sh"
needs_program shellcheck
plan 2

mapfile -t files < <(sources '*.sh')
is "$((${#files[@]} > 50))" 1 "the test finds scripts"
is "$(shellcheck -S warning -f gcc "${files[@]}")" "" "shellcheck finds nothing"
