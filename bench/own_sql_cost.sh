#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Processor time of the server that a transaction costs with the instrument of own SQL,
# and without it: the shape of TPC-B, four rows written and one read, four sessions, at
# READ COMMITTED, in pairs of loads in turns.  Without it the same statements come from
# pgbench, and on MariaDB from four clients `mariadb` that read them from files.  What a
# run asks before its load and behind it is left out.  Prints the median of the pairs'
# ratios and between which the middle half of them is.
#
#   bench/own_sql_cost.sh [PAIRS [TRANSACTIONS [SERVER]]]
#
# Expects to be started where isostress was built; starts its servers for itself.
set -eu
pairs=${1:-5} transactions=${2:-2000} # of each of four sessions
tree=$(cd "$(dirname "$0")/.." && pwd)
directory=$(mktemp -d)
export ISOSTRESS_SERVERS=$directory/servers
. "$tree/servers/servers.sh"
trap 'server_stop_started; rm -rf "$directory"' EXIT
chmod 755 "$directory"

# Processor time of a process, of its children and of those that have ended, in ms.
spent() { # spent PID
  local pid sum=0 ms fields
  ms=$((1000 / $(getconf CLK_TCK)))
  for pid in "$1" $(pgrep -P "$1"); do
    read -ra fields < <(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null || echo gone)
    [ "${#fields[@]}" -gt 14 ] || continue
    sum=$((sum + fields[11] + fields[12]))
    [ "$pid" != "$1" ] || sum=$((sum + fields[13] + fields[14]))
  done
  echo $((sum * ms))
}

schema='CREATE TABLE branch (id int PRIMARY KEY, balance int NOT NULL);
CREATE TABLE teller (id int PRIMARY KEY, branch int NOT NULL, balance int NOT NULL);
CREATE TABLE account (id int PRIMARY KEY, branch int NOT NULL, balance int NOT NULL, filler char(84));
CREATE TABLE moved (teller int, branch int, account int, delta int, at timestamp DEFAULT CURRENT_TIMESTAMP);
INSERT INTO branch SELECT n, 0 FROM NUMBERS_10;
INSERT INTO teller SELECT n, 1 + n / 10, 0 FROM NUMBERS_100;
INSERT INTO account SELECT n, 1 + n / 100, 0, NULL FROM NUMBERS_1000;'
cat >"$directory/load.sql" <<'SQL'
\set account random(1, 1000)
\set branch random(1, 10)
\set teller random(1, 100)
\set delta random(-5000, 5000)
BEGIN;
UPDATE account SET balance = balance + :delta WHERE id = :account;
SELECT balance FROM account WHERE id = :account;
UPDATE teller SET balance = balance + :delta WHERE id = :teller;
UPDATE branch SET balance = balance + :delta WHERE id = :branch;
INSERT INTO moved (teller, branch, account, delta) VALUES (:teller, :branch, :account, :delta);
COMMIT;
SQL

numbers_of() { # numbers_of KIND: the schema as the database writes series of numbers
  case $1 in
    postgresql) sed 's/NUMBERS_\([0-9]*\)/generate_series(1, \1) n/' <<<"$schema" ;;
    mariadb)
      echo 'SET SQL_MODE = CONCAT(@@SQL_MODE, "");'
      sed 's/SELECT n/SELECT seq/; s/+ n /+ seq /; s/NUMBERS_\([0-9]*\)/seq_1_to_\1/' <<<"$schema"
      ;;
  esac
}

# The statements of one client with numbers in them.
written_load() {
  awk -v n="$transactions" -v seed="$1" 'BEGIN { srand(seed)
    for (i = 0; i < n; i++) {
      a = 1 + int(rand() * 1000); b = 1 + int(rand() * 10); t = 1 + int(rand() * 100)
      d = int(rand() * 10001) - 5000
      printf "BEGIN;\nUPDATE account SET balance = balance + %d WHERE id = %d;\n", d, a
      printf "SELECT balance FROM account WHERE id = %d;\n", a
      printf "UPDATE teller SET balance = balance + %d WHERE id = %d;\n", d, t
      printf "UPDATE branch SET balance = balance + %d WHERE id = %d;\n", d, b
      printf "INSERT INTO moved (teller, branch, account, delta) VALUES (%d, %d, %d, %d);\nCOMMIT;\n", t, b, a, d
    } }'
}

plain_postgresql() {
  pgbench -n -c 4 -t "$transactions" -f "$directory/load.sql" "$plain" >/dev/null
}
plain_mariadb() {
  local i clients=()
  for i in 1 2 3 4; do
    mariadb_client <"$directory/load-$i" >/dev/null &
    clients+=($!)
  done
  wait "${clients[@]}"
}
mariadb_client() {
  mariadb -h 127.0.0.1 -P "$(line_of "$server/0/port")" -u "$server_login" -p"$server_password" -D plain "$@" # another -D comes behind it
}

prepare_plain() { # prepare_plain KIND: a database of its own for the load without the instrument
  case $1 in
    postgresql)
      postgresql_admin=${server_admin[0]}
      psql -qX "$postgresql_admin" -c "CREATE DATABASE plain OWNER $server_login"
      plain=${server_uri[0]%/*}/plain
      numbers_of "$1" | psql -qX "$plain"
      ;;
    mariadb)
      mariadb_sql "$server/0" "CREATE DATABASE plain; GRANT ALL ON plain.* TO $server_login@'127.0.0.1'"
      numbers_of "$1" | mariadb_client
      for i in 1 2 3 4; do written_load "$i" >"$directory/load-$i"; done
      ;;
  esac
}

committed() { # committed KIND: transactions so far, each of which leaves a row
  case $1 in
    postgresql) psql -qXAt "${server_uri[0]}" -c "SELECT count(*) FROM isostress_own.moved" ;;
    mariadb) mariadb_client -N -D isostress -e "SELECT count(*) FROM moved" ;;
  esac 2>>"$directory/log" || echo 0
}

until_committed() { # until_committed KIND NUMBER: sets $now
  until now=$(committed "$1") && [ "${now:-0}" -ge "$2" ]; do
    kill -0 "$load" 2>>"$directory/log" || exit 1
    sleep 2 # asking costs the server time, too
  done
}

measure() { # measure KIND: us of a transaction with the instrument and without it
  local pid load now first start with without
  read -r pid _ <"$server/0/pid"
  ./isostress run "${server_uri[0]}" -w "$directory/load.sql" --schema "$directory/schema.sql" -i "read committed" \
    -c 4 -t 1000000 -T 0 -P 0 --twins=0 --check=none -o "$directory/runs" >"$directory/out" 2>&1 &
  load=$!
  sleep 2 # until the tables of the run before are gone
  until_committed "$1" 200
  first=$now start=$(spent "$pid")
  until_committed "$1" $((first + 4 * transactions))
  with=$((($(spent "$pid") - start) * 1000 / (now - first)))
  kill -KILL "$load"
  wait "$load" 2>>"$directory/log" || true
  rm -rf "$directory/runs"
  start=$(spent "$pid")
  "plain_$1"
  without=$((($(spent "$pid") - start) * 1000 / (4 * transactions)))
  echo "$with $without"
}

for kind in ${3:-postgresql mariadb}; do
  server_start "$kind" || exit 1
  numbers_of "$kind" >"$directory/schema.sql"
  prepare_plain "$kind"
  : >"$directory/pairs"
  for ((i = 0; i < pairs; i++)); do measure "$kind" >>"$directory/pairs"; done
  awk '{ print $1 / $2, $1, $2 }' "$directory/pairs" | sort -n |
    awk -v kind="$kind" '{ r[NR] = $1; w += $2; p += $3 } END {
      printf "%-11s  %+.0f %%  (%+.0f to %+.0f)  %.0f us with the instrument, %.0f us without, means of %d\n", kind,
        100 * (r[int((NR + 1) / 2)] - 1), 100 * (r[int((NR + 3) / 4)] - 1), 100 * (r[int((3 * NR + 3) / 4)] - 1),
        w / NR, p / NR, NR }'
done
