#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress repro on the embedded databases: the catalogue, recipes that come out
# as expected and others that do not, and mistakes in them.
. "${TOP_SRCDIR:?}/tests/tap.sh"
cd "$work" || exit 1
mkdir -p files/configs/repro
ln -s "$TOP_SRCDIR/servers" files/servers
plan 43

# ---- The catalogue that is installed

export ISOSTRESS_FILES=$TOP_SRCDIR
run isostress repro list
is "$status" 0 "the catalogue is listed"
is "$(grep '^[^ ]' <<<"$out" | sort)" \
  "$(basename -s .ini "$TOP_SRCDIR"/configs/repro/*.ini | sort)" "the catalogue has every recipe"
is "$(grep -A 4 '^postgresql-rc-lost-update$' <<<"$out" | sed 's/ manual.*//')" "postgresql-rc-lost-update
  database   PostgreSQL, READ COMMITTED
  server     postgresql
  expected   LostUpdate, allowed
  source     PostgreSQL" "database, server, anomaly, promise and source are shown"
is "$(awk 'length > 80' <<<"$out")" "" "the catalogue has 80 columns"
is "$(awk '/^[^ ]/ { name = $1 } /^  server     at a URI$/ { print name }' <<<"$out" | sort)" \
  "$(grep -l '^needs = ' "$TOP_SRCDIR"/configs/repro/*.ini | xargs basename -s .ini | sort)" \
  "the catalogue says which recipes need a server that is given"
for recipe in "$TOP_SRCDIR"/configs/repro/*-in-memory.ini; do
  name=$(basename "$recipe" .ini)
  run isostress repro "$name" --budget 60s
  is "$status" 0 "$name comes out as expected"
  like "$out" "^found +$(sed -n 's/^expect = //p' "$recipe") after [0-9]+ transactions, [0-9.]+ s$" \
    "$name: the anomaly is named, and when it appeared"
done
isostress repro sqlite-holds --out=stopped >out 2>err &
recipe=$!
until ls stopped/*/history >/dev/null 2>&1; do sleep 0.1; done
kill -TERM "$recipe"
wait "$recipe"
is "$?" 2 "a recipe that was interrupted"
is "$(tail -n 1 out)" "UNDECIDED: interrupted" "shows nothing, though nothing was expected"
mkdir temporary
TMPDIR=$PWD/temporary run isostress repro sqlite-shared-cache-aborted-read --budget 120s
is "$status" 0 "dirty reads of SQLite's shared cache"
like "$out" '^VIOLATION: read committed was broken by ' "come with their counterexample"
is "$(echo temporary/* ./*.db*)" 'temporary/* ./*.db*' "recipes leave no database"
run isostress repro mongodb-4.2.6-aborted-read
is "$status $err" "254 isostress: mongodb-4.2.6-aborted-read needs a MongoDB 4.2.6, and a driver for it given with --driver: give it as the target" \
  "what cannot be started here is said"
run isostress repro postgresql-rc-lost-updat
is "$status $err" "254 isostress: there is no recipe \"postgresql-rc-lost-updat\", did you mean postgresql-rc-lost-update?" \
  "an unknown recipe: the nearest one"
run isostress repro
is "$status" 254 "no recipe"
run isostress repro sqlite-holds --server=redis
is "$status $err" "254 isostress: sqlite-holds starts no server: leave out --server" \
  "a kind of server for a recipe that starts none"
run isostress repro redis-watch-holds redis://127.0.0.1 --server=valkey@9
is "$status $err" "254 isostress: give a target or --server, not both" "a target and a kind of server"
run isostress repro --all --server=oracle@23
is "$status $err" "254 isostress: no recipe takes a server of kind oracle@23" "all recipes of a kind that none takes"

# ---- Recipes of our own

export ISOSTRESS_FILES=$work/files
recipe() { # recipe NAME EXPECT: the rest from stdin
  {
    printf '[recipe]\ntitle = t\ndatabase = d\nclaims = si\nsource = s\nexpect = %s\n' "$2"
    cat
  } >"files/configs/repro/$1.ini"
}
recipe strange none <<<$'assumes = in-process store; PostgreSQL 12.3\n[run]\ntarget = memory:\nisolation = si\ncheck = si\ntime = 200ms'
recipe good none <<<$'[run]\ntarget = memory:\nisolation = si\ncheck = si\ntime = 200ms'
recipe wrong none <<<$'[run]\ntarget = memory:\nbug = LostUpdate\nisolation = si\ncheck = si\nthreads = 1\ntransactions = 2000'
recipe absent LostUpdate <<<$'[run]\ntarget = memory:\nisolation = si\ncheck = si\ntime = 200ms'
recipe stepwise P4 <<<$'steps = lost.steps\n[run]\ntarget = memory:\nisolation = rc'
cp "$TOP_SRCDIR/configs/steps/p4.steps" lost.steps
run isostress repro good
is "$status $(tail -n 1 <<<"$out")" "0 as expected" "a recipe that expects nothing and finds nothing succeeds"
is "$err" "" "a recipe that succeeds prints nothing on stderr"
run isostress repro strange
is "$status $err" "0 isostress: strange is about a database that says \"PostgreSQL 12.3\" of itself, and this one says \"in-process store\"" \
  "a database that is not what the recipe assumes"
rm files/configs/repro/strange.ini
run isostress repro wrong
is "$status $(tail -n 1 <<<"$out")" "1 NOT AS EXPECTED" "a recipe that expects nothing and finds something fails"
run isostress repro absent --budget 500ms
is "$status $(tail -n 1 <<<"$out")" "1 NOT AS EXPECTED" "something expected, nothing found"
like "$out" '^found +nothing in [0-9]+ transactions, [0-9.]+ s$' "a recipe that finds nothing goes on until its budget ends"
run isostress repro stepwise
is "$status" 0 "a step script"
run isostress repro --all --budget 500ms
is "$status" 1 "one recipe that differs decides the status of all"
is "$(grep -c '^  as expected: ' <<<"$out") $(grep -c '^  DIFFERS: ' <<<"$out")" "2 2" "each recipe has its result"
is "$(awk 'length > 80' <<<"$out")" "" "the results have 80 columns"
run isostress repro --all --budget 500ms --output json
is "$(python3 -c 'import json, sys
print(*(r["recipe"] + ":" + str(r["as_expected"]) for r in json.load(sys.stdin)))' <<<"$out")" \
  "absent:False good:True stepwise:True wrong:False" "JSON"

# ---- Mistakes

mistake() { # mistake TEXT SENTENCE
  rm -f files/configs/repro/*
  printf '%s\n' "$1" >files/configs/repro/bad.ini
  run isostress repro bad
  is "$status $err" "254 isostress: $work/files/configs/repro/bad.ini:$2" "refused: $2"
}
mistake '[recipe]
titel = x' '2: there is no key "titel" in a recipe, did you mean title?'
mistake '[run]
keys = none' '2: keys: "none" is not a number such as 8, 10k or 1M'
mistake '[server]
kind = x' '2: a recipe has the sections [recipe] and [run] only'
mistake '[recipe]
title = x' ' the section [recipe] does not say "database"'
