#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Random scripts, performed in random orders on PostgreSQL and MariaDB: what the
# clients are told is an outcome that explore lists.  `make check-long` takes a
# minute for each level.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs postgresql
live_needs mariadb
for program in psql mariadb; do
  command -v "$program" >/dev/null && continue
  echo "1..0 # SKIP there is no $program"
  exit 0
done
plan 5
seconds=3
[ -z "${ISOSTRESS_LONG:-}" ] || seconds=60
cd "$work" || exit 1

compare() { # compare COMMAND LEVEL NAME
  out=$(python3 "$TOP_SRCDIR/tests/live/explore_random.py" $seconds "${SEED:-1}" "$1" "$2" "$3" 2>&1)
  like "$out" '^[1-9][0-9]* compared, 0 differ, ' "$3 of ${1%% *}: $(tail -n 1 <<<"$out")"
}
live_start postgresql
compare "psql -AtX ${server_uri[0]}" rc-statement "READ COMMITTED"
compare "psql -AtX ${server_uri[0]}" si "REPEATABLE READ"
compare "psql -AtX ${server_uri[0]}" ser SERIALIZABLE
server_stop "$server"
live_start mariadb
[[ ${server_uri[0]} =~ //(.*):(.*)@(.*):(.*)/(.*) ]]
mariadb="mariadb --batch --skip-column-names --unbuffered --force -h ${BASH_REMATCH[3]} -P ${BASH_REMATCH[4]} \
  -u ${BASH_REMATCH[1]} -p${BASH_REMATCH[2]} ${BASH_REMATCH[5]}"
compare "$mariadb" mysql-rr "REPEATABLE READ"
compare "$mariadb" rc-statement "READ COMMITTED"
server_stop "$server"
