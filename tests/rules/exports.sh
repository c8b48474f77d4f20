#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The program exports what drivers need (drivers/exports.list) and nothing else.
. "${TOP_SRCDIR:?}/tests/rules/rules.sh"
needs_program nm binutils
plan 4

program=$TOP_BUILDDIR/isostress network=$TOP_BUILDDIR/drivers/network.so
sed -n '/^{/,/^}/p' drivers/exports.list | sed 's|/\*.*\*/||' |
  grep -oE '[a-z_0-9]+' | sort >"$work/listed"
nm --defined-only "$program" | awk '$2 ~ /[TDBR]/ { print $3 }' | sort >"$work/defined"
# B has what a library's variables are copied to.
nm -D --defined-only "$program" | awk '$2 ~ /[TDR]/ { print $3 }' | sort >"$work/exported"
nm -D --undefined-only "$network" | awk '{ print $2 }' | sort >"$work/needed"
grep -v '^#' base/error.h base/isolation.h base/operation.h base/outcome.h sql/predicate.h \
  sql/statement.h sql/tables.h drivers/driver.h \
  >"$work/headers"

# A sanitizer's own names are not ours to list.
is "$(comm -13 "$work/listed" "$work/exported" | grep -vE '^_|san_')" \
  "" "the program exports no other name"
is "$(comm -12 "$work/needed" "$work/defined" | comm -23 - "$work/listed")" \
  "" "all that network.so needs of the program is listed"
is "$(nm -D --defined-only "$network" | awk '$2 ~ /[TDBR]/ { print $3 }' | grep -v '^_')" \
  network_drivers "network.so shows its table only"
is "$(while read -r name; do
  grep -qx "$name" "$work/needed" || grep -q "\b$name(" "$work/headers" ||
    [ "$name" = network_drivers ] || echo "$name"
done <"$work/listed")" "" "each listed name is needed by network.so or declared for drivers"
