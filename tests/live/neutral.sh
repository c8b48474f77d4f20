#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Plays neutral.c on PostgreSQL and MariaDB: a third of the plays, and all of them
# where ISOSTRESS_LONG is set.  A change that is not neutral has to be found: one
# that makes updates wait, and one that makes an UPDATE of what changes nothing.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs postgresql
live_needs mariadb
live_needs_driver postgresql libpq-dev
live_needs_driver mysql libmariadb-dev
share=3
[ -z "${ISOSTRESS_LONG:-}" ] || share=1
plan 4

neutral() { # neutral KIND NAIVE OPTION: two checks
  live_start "$1"
  run "$TOP_BUILDDIR/tests/live/neutral" "${server_uri[0]}$3" "$share"
  is "$status $(grep -c '^ok' <<<"$out")$(grep -v '^ok\|^1\.\.' <<<"$out")" "0 $((51 / share + 1))" \
    "$1: the instrument changes no interleaving"
  run "$TOP_BUILDDIR/tests/live/neutral" "${server_uri[0]}" 1 "$2"
  is "$status" 0 "$1: one that did would be found"
}
neutral postgresql \
  "CREATE TABLE counter AS SELECT 0 AS n; CREATE RULE naive AS ON UPDATE TO t DO ALSO UPDATE counter SET n = n + 1" ""
neutral mariadb "CREATE TRIGGER naive BEFORE UPDATE ON t FOR EACH ROW SET NEW.s = UUID_SHORT()" "?lock_timeout=100"
