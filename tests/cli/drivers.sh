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
    run isostress run "$@" $race --seed "$seed"
    [ "$status" = 0 ] || break
  done
}

plan 21
run isostress run "$db" $race
is "$status" 0 "SQLite is serializable"
like "$out" '^PASS: serializability was kept' "the verdict says so"
like "$out" 'SQLite 3\.[0-9.]+, journal_mode wal' "the database is described"
run isostress run "$db?begin=immediate&journal=delete&synchronous=off&busy=10m" $race
is "$status" 0 "SQLite without a WAL is serializable"
like "$out" '^attempts +400 = 400 committed' "immediate transactions all commit"
run isostress run "$db" $race -w append
is "$status" 0 "lists in SQLite are serializable"
run isostress run "$db" $race -w cas
is "$status" 0 "compare-and-set in SQLite is serializable"
race_is_lost "$db" -i read-uncommitted --check=si
is "$status" 1 "SQLite reads uncommitted values when asked to"
like "$out" '^VIOLATION: snapshot isolation was broken' "the verdict says so"

echo "Dear diary" >diary
run isostress run "sqlite:$work/diary" $race
is "$status" 255 "a diary is not a database"
like "$err" 'diary is not an SQLite database; name another' "that is said"

run isostress run --driver="$example" "file:$work/values" $race
is "$status" 0 "the example with its lock is strictly serializable"
like "$out" '^PASS: strict serializability was kept' "the verdict says so"
race_is_lost --driver="$example" "file:$work/values" -i unlocked --check=si
is "$status" 1 "the example without its lock is not"
run isostress run --driver="$example" "file:$work/values" $race -w append
is "$status" 254 "the example has no lists"
run isostress run --driver="$TOP_BUILDDIR/tests/drivers/wrong_abi.so" broken:x
is "$status" 255 "a driver of another version is refused"
like "$err" 'was built for version 77 of drivers/driver\.h' "that is said"

# A program that is not installed takes the drivers that lie beside it.
mkdir -p "$work/broken/drivers"
cp "$TOP_BUILDDIR/isostress" "$work/broken/isostress"
echo 'no shared object' >"$work/broken/drivers/network.so"
run "$work/broken/isostress" run -t 10 --check=none -o "$work/runs" memory:
is "$status" 0 "the memory store needs no client library"
run "$work/broken/isostress" run postgresql://localhost/test
is "$status" 254 "no server can be reached without one"
like "$err" 'network\.so: the drivers of databases in the network can not be loaded' "that is said"
run "$work/broken/isostress" list drivers
like "$err" 'network\.so: the drivers of databases in the network can not be loaded' "so does the list"
