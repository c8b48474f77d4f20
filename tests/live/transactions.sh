#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The ten daily transactions of configs/transactions on PostgreSQL: each keeps
# strict serializability and its invariant at SERIALIZABLE, and three racy forms
# break theirs at READ COMMITTED.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs postgresql
live_needs_driver postgresql libpq-dev
transactions=$TOP_SRCDIR/configs/transactions
names=(booking get-or-create hits order outbox queue report retire transfer upsert)
plan $((1 + 2 * ${#names[@]} + 3 * 3))

is "$(cd "$transactions" && echo */)" "$(printf '%s/ ' "${names[@]}" | sed 's/ $//')" "the ten are there"
live_start postgresql

# own NAME LEVEL SUFFIX OPTIONS...: the transactions of a folder.  The suffix _racy
# takes the racy forms that are there.
own() {
  local folder=$transactions/$1 script scripts=()
  for script in "$folder"/*.sql; do
    case $script in
      */schema.sql | */invariant.sql | *_racy.sql) ;;
      *)
        [ ! -e "${script%.sql}$3.sql" ] || script=${script%.sql}$3.sql
        scripts+=("$script")
        ;;
    esac
  done
  run isostress run "${server_uri[0]}" --schema "$folder/schema.sql" -i "$2" \
    -w "$(IFS=, && echo "${scripts[*]}")" --invariant "$(<"$folder/invariant.sql")" --equals 0 \
    -c 4 -T 0 -P 0 --op-delay=1ms -o "$work/runs" "${@:4}"
  flat=$(tr -s ' \n' ' ' <<<"$out")
}

for name in "${names[@]}"; do
  own "$name" serializable "" -t 25 --check=sser
  is "$status" 0 "$name: strict serializability and the invariant are kept at SERIALIZABLE"
  unlike "$flat $err" 'bypassed|ended in errors' "$name: no statement fails"
done

racy() { # racy NAME PATTERN: the racy form breaks the invariant within five runs, the right one does not
  local i
  for ((i = 0; i < 5; i++)); do
    own "$1" "read committed" _racy -t 100
    ! grep -qE "was [0-9]+, not 0.*$2" <<<"$flat" || break
  done
  is "$status" 1 "$1: the racy form breaks the invariant at READ COMMITTED"
  like "$flat" "was [0-9]+, not 0.*$2" "$1: the anomaly is named by its place"
  own "$1" "read committed" "" -t 100
  is "$status" 0 "$1: the right form keeps it there"
}
racy order 'scripts order_racy.sql:10: lost update'
racy queue 'scripts queue_racy.sql:5: lost update'
racy booking 'scripts booking_racy.sql:5: phantom write skew'
