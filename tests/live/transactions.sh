#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The ten daily transactions of configs/transactions on PostgreSQL and MariaDB:
# each keeps strict serializability and its invariant at SERIALIZABLE, and three
# racy forms break theirs at READ COMMITTED.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs postgresql mariadb
live_needs_driver postgresql libpq-dev
live_needs_driver mysql libmariadb-dev
transactions=$TOP_SRCDIR/configs/transactions
names=(booking get-or-create hits order outbox queue report retire transfer upsert)
plan $((1 + 2 * (2 * ${#names[@]} + 3 * 3) + 6))

is "$(cd "$transactions" && echo */)" "$(printf '%s/ ' "${names[@]}" | sed 's/ $//')" "the ten are there"
live_start postgresql

# own NAME LEVEL OPTIONS...: the transactions of that name.
own() {
  run isostress run "${server_uri[0]}" -w "$1" -i "$2" -c 4 -T 0 -P 0 --op-delay=1ms -o "$work/runs" "${@:3}"
  flat=$(tr -s ' \n' ' ' <<<"$out")
}

kept() { # all of them
  local name
  for name in "${names[@]}"; do
    own "$name" serializable -t 25 --check=sser
    is "$status" 0 "$name: strict serializability and the invariant are kept at SERIALIZABLE"
    unlike "$flat $err" 'bypassed|ended in errors' "$name: no statement fails"
  done
}
kept

racy() { # racy NAME PATTERN: the racy form breaks the invariant within five runs, the right one does not
  local i
  for ((i = 0; i < 5; i++)); do
    own "$1-racy" "read committed" -t 100
    ! grep -qE "was [0-9]+, not 0.*$2" <<<"$flat" || break
  done
  is "$status" 1 "$1: the racy form breaks the invariant at READ COMMITTED"
  like "$flat" "was [0-9]+, not 0.*$2" "$1: the anomaly is named by its place"
  own "$1" "read committed" -t 100
  is "$status" 0 "$1: the right form keeps it there"
}
racy order 'scripts order_racy.sql:10: lost update'
racy queue 'scripts queue_racy.sql:5: lost update'
racy booking 'scripts booking_racy.sql:5: phantom write skew'

# The job file has the name, and makes the same run again.
own hits "read committed" -t 5
run isostress run "$(ls -td "$work"/runs/*/ | head -1)job.ini" "${server_uri[0]}" -o "$work/again" -P 0
is "$status" 0 "a job file runs them again"
like "$out" "'?SELECT count\\(\\*\\) FROM page|invariant" "with their invariant"
own hits "read committed" -t 5 --invariant "SELECT count(*) FROM page" --equals 3
is "$status" 1 "another invariant takes the place of theirs"
run isostress run "${server_uri[0]}" -w oder -t 1
like "$err" 'unknown workload "oder", did you mean "order"' "an unknown name proposes the nearest"
run isostress run memory: -w order-racy -t 1
is "$status $err" \
  '254 isostress: the transactions "order-racy" are SQL as people write it, which memory does not run' \
  "and a database that cannot run them is named"
run isostress run -w order -t 1
like "$err" 'no target' "and so is a target that lacks"

# MariaDB has forms of its own.  An UPDATE that finds what it would write leaves
# the row as it is.
live_start mariadb
kept
racy order 'scripts .*order_racy.sql:10: (lost update|non-repeatable)'
racy queue 'scripts .*queue_racy.sql:5: (lost update|non-repeatable)'
racy booking 'scripts .*booking_racy.sql:[58]:'
