#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The pictures in results/abort_rates show the figures beside them, as one command
# draws them: make abort-rates-pictures.
. "${TOP_SRCDIR:?}/tests/tap.sh"
plan 4
export TOP_BUILDDIR
cd "$TOP_SRCDIR" || exit 1

run env OUT="$work/drawn" bench/abort_rates.sh draw
is "$status $out$err" "0 " "the pictures are drawn from the CSV files"
# One that nothing draws, or that shows other figures, is named.
is "$(cd results/abort_rates && for picture in *.svg; do
  cmp -s "$picture" "$work/drawn/$picture" || echo "$picture"
done)" "" "each picture is as it is drawn"
is "$(cd "$work/drawn" && echo *)" "$(cd results/abort_rates && echo *.svg)" "and none is lacking"
like "$("$TOP_BUILDDIR/bench/panels" x results/abort_rates/levels-levels.csv given-up 2>&1)" \
  '^panels: .*levels.csv: nothing of "given-up" was measured$' "a measure that no run has is refused"
