#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress clean drops what runs left in an SQLite file, and nothing else; the
# servers are in tests/live/clean.sh.
. "${TOP_SRCDIR:?}/tests/tap.sh"
cd "$work" || exit 1
plan 10

run isostress clean
is "$status" 254 "a target is needed"
run isostress clean nosuch:
like "$status $err" '^254 isostress: there is no driver "nosuch"' "a target that is misspelled"
run isostress clean memory:
is "$status" 254 "the built-in store has nothing to clean"
like "$err" 'the driver memory leaves nothing' "the built-in store: the sentence says why"
if ! isostress list drivers | grep -q '^sqlite' || ! command -v sqlite3 >/dev/null; then
  for name in run drop again foreign live refused; do skip "$name" "no SQLite, or no sqlite3"; done
  exit
fi

isostress run sqlite:try.db -t 10 -P 0 -o runs >/dev/null 2>&1
isostress run sqlite:try.db -w predicate -t 10 -P 0 -o runs >/dev/null 2>&1
sqlite3 try.db "CREATE TABLE isostress_notes (id INTEGER); CREATE TABLE mine (id INTEGER)"
run isostress clean sqlite:try.db
like "$status $out" '^0 removed [0-9]+ (table or key|tables or keys) of isostress$' "the tables of runs are removed"
is "$(sqlite3 try.db .tables | xargs)" "isostress_notes mine" "tables of somebody else stay"
run isostress clean sqlite:try.db
is "$status $out" "0 nothing of isostress was there" "a clean database has nothing to remove"

isostress run sqlite:try.db -t 0 -T 0 -P 20ms -o runs >/dev/null 2>going.err &
running=$!
until grep -q committed going.err; do sleep 0.05; done
run isostress clean sqlite:try.db
is "$status" 255 "a file that a run uses is refused"
like "$err" '^isostress: try.db: another run uses this file; wait until it has ended' "the refusal says why"
kill -TERM "$running"
wait "$running"
is "$?" 2 "the run knows nothing of the clean that was refused"
