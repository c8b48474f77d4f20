#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Plays neutral.c on PostgreSQL: a third of the plays, and all of them where
# ISOSTRESS_LONG is set.  A rule that counts updates in one row makes them wait,
# which has to be found.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs postgresql
live_needs_driver postgresql libpq-dev
share=3
[ -z "${ISOSTRESS_LONG:-}" ] || share=1
plan 2

live_start postgresql
run "$TOP_BUILDDIR/tests/live/neutral" "${server_uri[0]}" "$share"
is "$status $(grep -c '^ok' <<<"$out")$(grep -v '^ok\|^1\.\.' <<<"$out")" "0 $((51 / share))" "the instrument changes no interleaving"
run "$TOP_BUILDDIR/tests/live/neutral" "${server_uri[0]}" 1 \
  "CREATE TABLE counter AS SELECT 0 AS n; CREATE RULE naive AS ON UPDATE TO t DO ALSO UPDATE counter SET n = n + 1"
is "$status" 0 "one that did would be found"
