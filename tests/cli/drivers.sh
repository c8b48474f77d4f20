#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Databases from the command line to the verdict: SQLite at both of its levels,
# and the example of a driver from outside the tree.
. "${TOP_SRCDIR:?}/tests/tap.sh"

cd "$work" || exit 1
db=sqlite:$work/x.db
example=$TOP_BUILDDIR/examples/file_driver.so
# Few keys, and pauses within transactions, so that they do meet.
race="-c 4 -t 100 -k 2 --op-delay=50us"

race_is_lost() { # race_is_lost OPTION...: with one of twenty seeds
  local seed
  for seed in {1..20}; do
    run isostress run -v "$@" $race --seed "$seed"
    [ "$status" = 0 ] || break
  done
}

plan 29
run isostress run -v "$db" $race
is "$status" 0 "SQLite is serializable"
like "$out" '^PASS: serializability was kept' "the verdict says so"
like "$out" 'SQLite 3\.[0-9.]+, journal_mode wal' "the database is described"
run isostress run -v "$db?begin=immediate&journal=delete&synchronous=off&busy=10m" $race
is "$status" 0 "SQLite without a WAL is serializable"
like "$out" '^attempts +400 = 400 committed' "immediate transactions all commit"
run isostress run -v "$db" $race -w append
is "$status" 0 "lists in SQLite are serializable"
run isostress run -v "$db" $race -w cas
is "$status" 0 "compare-and-set in SQLite is serializable"
race_is_lost "$db" -i read-uncommitted --check=si
is "$status" 1 "SQLite reads uncommitted values when asked to"
like "$out" '^VIOLATION: snapshot isolation was broken' "the verdict says so"

echo "Dear diary" >diary
run isostress run "sqlite:$work/diary" $race
is "$status" 255 "a diary is not a database"
like "$err" 'diary is not an SQLite database; name another' "the sentence says to name another file"

# Two runs on one file would read each other's values.
ln -s x.db alias.db
isostress run -v "$db" -T 0 -P 50ms -o first 2>first.err >first.out &
first=$!
until grep -q committed first.err; do sleep 0.02; done
run isostress run "sqlite:$work/alias.db" $race
is "$status" 255 "a file that another run uses is refused"
like "$err" "^isostress: .*alias\.db: another run uses this file; wait until it has ended, or name another file$" \
  "the sentence says that another run uses the file"
kill -KILL "$first"
wait "$first" 2>/dev/null
run isostress run -v "$db" $race
is "$status" 0 "a run that was killed keeps no other away"
is "$(find . -name "*-isostress")" "" "the lock leaves no file"

# A second writer that knows nothing of locks.
run isostress run -v memory: --bug ThinAirRead:0.01 -t 200 --threads 1 --seed 1
like "$out" '^  No session of this run wrote what was read: another program may be writing' \
  "a value from nowhere: the text says who may have written it"
like "$(cat results/runs/latest/report.html)" 'another program may be writing' "the page says who may have written the value"
like "$(cat results/runs/latest/report.json)" '"suspicion": ?"No session of this run' "JSON says who may have written the value"
run isostress check --level=ra results/runs/latest/history
unlike "$out" 'another program may be writing' "a check of the history alone suspects no other program"

run isostress run -v --driver="$example" "file:$work/values" $race
is "$status" 0 "the example with its lock is strictly serializable"
like "$out" '^PASS: strict serializability was kept' "the verdict says so"
race_is_lost --driver="$example" "file:$work/values" -i unlocked --check=si
is "$status" 1 "the example without its lock is not"
run isostress run -v --driver="$example" "file:$work/values" $race -w append
is "$status" 254 "the example has no lists"
run isostress run -v --driver="$TOP_BUILDDIR/tests/drivers/wrong_abi.so" broken:x
is "$status" 255 "a driver of another version is refused"
like "$err" 'was built for version 77 of drivers/driver\.h' "the sentence names the version of the driver"

# A program that is not installed takes the drivers that lie beside it.
mkdir -p "$work/broken/drivers"
cp "$TOP_BUILDDIR/isostress" "$work/broken/isostress"
echo 'no shared object' >"$work/broken/drivers/network.so"
run "$work/broken/isostress" run -t 10 --check=none -o "$work/runs" memory:
is "$status" 0 "the memory store needs no client library"
run "$work/broken/isostress" run postgresql://localhost/test
is "$status" 254 "no server can be reached without one"
like "$err" 'network\.so: the drivers of databases in the network cannot be loaded' "the sentence names network.so"
run "$work/broken/isostress" list drivers
like "$err" 'network\.so: the drivers of databases in the network cannot be loaded' "the list of drivers says that network.so cannot be loaded"
