#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The ten daily transactions of configs/transactions in SQLite, in both forms:
# SQLite lets none of them break, and no statement fails.
. "${TOP_SRCDIR:?}/tests/tap.sh"

if ! isostress list drivers | grep -q '^sqlite'; then
  echo "1..0 # SKIP needs the sqlite driver"
  exit
fi
cd "$work" || exit 1
names=(booking get-or-create hits order outbox queue report retire transfer upsert)
plan $((4 * ${#names[@]}))

for name in "${names[@]}"; do
  for form in "$name" "$name-racy"; do
    run isostress run -w "$form" -c 4 -t 25 -T 0 -P 0 --op-delay=0.2ms --check=sser -o runs "sqlite:$name.db"
    is "$status" 0 "$form: strict serializability and the invariant are kept"
    unlike "$(tr -s ' \n' ' ' <<<"$out $err")" 'bypassed|ended in errors' "$form: no statement fails"
  done
done
