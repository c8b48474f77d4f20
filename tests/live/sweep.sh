#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A sweep one of whose servers dies while it goes on: the rows say so, the other
# target's runs are made, and the same command makes up for what is missing.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs redis
live_needs_driver redis libhiredis-dev
live_start redis
node=$server/0 uri=${server_uri[0]}
cd "$work" || exit 1
plan 11

cat >two.ini <<'END'
[two]
time = 300ms
keys = 20
repetitions = 8
END
rows() { # rows EXPRESSION: how many rows of the table fulfil it
  python3 -c 'import csv, sys
rows = list(csv.DictReader(open("two-two/runs.csv")))
print(sum(1 for r in rows if eval(sys.argv[1])))' "$1" 2>/dev/null || echo 0
}
isostress sweep two.ini "$uri" memory: -o . >out 2>err &
stressing=$!
tries=2400
# As soon as one of its runs is over: seven more are to come, at times of their own.
until grep -q redis: two-two/runs.csv 2>/dev/null || ((tries-- <= 0)); do
  sleep 0.05
done
node_crash "$node"
wait "$stressing"
is "$?" 255 "a server that died is trouble"
stressing=
is "$(rows True)" 16 "every run has its row"
is "$(rows 'r["target"] == "memory:" and not r["trouble"] and int(r["committed"]) > 0')" 8 \
  "the rest goes on"
is "$(rows 'r["target"] == "memory:" or not r["trouble"] or "redis" in r["trouble"].lower()')" 16 \
  "the rows of the server that died say so"
is "$(($(rows 'r["trouble"]') > 0))" 1 "some rows are of a server that died"
like "$(cat out)" '^redis.* TROUBLE in [1-8]$' "the table names the trouble"
is "$(python3 -c 'import csv
print(sum(int(r["runs"]) for r in csv.DictReader(open("two-two/sweep.csv"))))')" \
  "$(rows 'not r["trouble"]')" "figures are of runs without trouble only"
is "$(grep -c "${server_password:-throwaway}" out err two-two/runs.csv two-two/sweep.* |
  awk -F: '{ n += $2 } END { print n }')" 0 "no password is shown"

node_start "$node"
run isostress sweep two.ini "$uri" memory: -o .
is "$status" 0 "the same command goes on when the server is back"
is "$(rows 'not r["trouble"]')" 16 "all runs are made when the sweep has gone on"
unlike "$out" TROUBLE "the table has no trouble left"
