#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# clang-format has nothing to change in any C file.
. "${TOP_SRCDIR:?}/tests/rules/rules.sh"
needs_program clang-format
plan 2

mapfile -t files < <(sources '*.c' '*.h')
is "$((${#files[@]} > 400))" 1 "the test finds C files"
is "$(clang-format --dry-run "${files[@]}" 2>&1 | sed -n 's/: warning: code should.*//p')" \
  "" "clang-format would change nothing"
