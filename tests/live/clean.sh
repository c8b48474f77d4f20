#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress clean on real servers: drops the tables and keys of runs, leaves
# those of others, and is refused while a run uses the names.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs postgresql mariadb redis etcd
for driver in postgresql mysql redis etcd; do
  live_needs_driver "$driver" libpq-dev libmariadb-dev libhiredis-dev \
    libcurl4-openssl-dev libjansson-dev
done
plan 30
unset MYSQL_PWD
export HOME=$work

# Seven checks.  `left` prints the names that are there.
cleans() { # cleans TARGET LEVEL REST REFUSAL NAME
  stress "$1" -i "$2" -t 20
  is "$status" 0 "$5: a run"
  run isostress clean "$1"
  like "$status $out" '^0 removed [0-9]+ (table or key|tables or keys) of isostress$' "$5: what the run left is removed"
  is "$(left)" "$3" "$5: what others made stays"
  run isostress clean "$1"
  is "$status" 0 "$5: it can be cleaned twice"
  stress_start "$1" -i "$2" -T 0
  stress_past 20
  run isostress clean "$1"
  is "$status" 255 "$5: a clean is refused while a run uses the names"
  like "$err" "^isostress: .*: another run uses $4; wait until it has ended" "$5: the refusal says why"
  kill -TERM "$stressing"
  stress_wait
  kept_when_stopped "$5: the run knows nothing of the clean"
}

live_start postgresql
pg=${server_uri[0]}
sql() { psql -qAt "$pg" -c "$1"; }
left() { sql "SELECT relname FROM pg_class WHERE relname LIKE 'isostress%' AND relkind = 'r' ORDER BY 1" | xargs; }
sql 'CREATE TABLE isostress_notes (id int)'
stress "$pg" -w predicate -i serializable -t 20
stress "$pg?tables=3" -i serializable -t 20
cleans "$pg" serializable isostress_notes "the table isostress" PostgreSQL
stress_start "$pg?table=isostress_longer&tables=2" -i serializable -T 0
stress_past 20
run isostress clean "$pg"
is "$status" 255 "PostgreSQL: a run with a longer name keeps its tables"
kill -TERM "$stressing"
stress_wait
kept_when_stopped "PostgreSQL: the run with a longer name knows nothing of the clean"
server_stop "$server"

live_start mariadb
my=${server_uri[0]}
base=${my##*/}
left() { mariadb_sql "$server/0" "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_NAME LIKE 'isostress%' AND TABLE_SCHEMA = '${base%%\?*}' ORDER BY 1" | grep isostress | xargs; }
mariadb_sql "$server/0" "CREATE TABLE ${base%%\?*}.isostress_notes (id int)"
stress "$my?tables=3" -i serializable -t 20
cleans "$my" serializable isostress_notes "the table isostress" MariaDB
server_stop "$server"

live_start redis
left() { redis_ask "$server/0" keys '*' | sort | xargs; }
redis_ask "$server/0" set isostress:notes mine >/dev/null
cleans "${server_uri[0]}" watch isostress:notes 'keys isostress:[*]' Redis
server_stop "$server"

live_start etcd
left() {
  ETCDCTL_API=3 "$(etcd_program etcdctl)" --endpoints="$(line_of "$server/0/client")" \
    get --prefix --keys-only isostress | xargs
}
ETCDCTL_API=3 "$(etcd_program etcdctl)" --endpoints="$(line_of "$server/0/client")" \
  put isostress:notes mine >/dev/null
cleans "${server_uri[0]}" strict isostress:notes 'keys isostress:[*]' etcd
server_stop "$server"
