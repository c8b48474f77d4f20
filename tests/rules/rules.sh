# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# The tests of how the code is written share this: which files there are.
. "${TOP_SRCDIR:?}/tests/tap.sh"
cd "$TOP_SRCDIR" || exit 1

# sources PATTERN...: the project's own files with such names, sorted; not those
# of a build below the source directory.
sources() {
  local names=() pattern
  for pattern; do names+=(-o -name "$pattern"); done
  find . \( -path ./.git -o -path './build*' -o -path ./autom4te.cache \
    -o -path './isostress-[0-9]*' -o -path './sanitized-*' -o -path ./results/runs \) -prune \
    -o -type f \( "${names[@]:1}" \) -print | sed 's|^\./||' | sort
}

# needs_program NAME [PACKAGE]: skips the whole test where the program is missing.
needs_program() {
  command -v "$1" >/dev/null && return
  echo "1..0 # SKIP no $1 (Debian package ${2-$1})"
  exit 0
}
