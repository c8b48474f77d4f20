#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A hand-written banking script on PostgreSQL and MariaDB: write skew at
# REPEATABLE READ, none at SERIALIZABLE; explore says the same, and performs it.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs postgresql mariadb
live_needs_driver postgresql libpq-dev
live_needs_driver mysql libmariadb-dev
plan 23

applications=$TOP_SRCDIR/configs/applications
bank() { # bank TARGET OPTIONS...
  stress "$1" -w "$applications/withdraw.pgbench@2,$applications/pay.pgbench" --schema "$applications/bank.sql" \
    -c 8 "${@:2}"
}
explores() { # explores LEVEL [TARGET]
  run isostress explore --schema "$applications/bank.sql" "$applications/withdraw.pgbench@2" -i "$1" \
    --repeat 4 --blocked-after 100ms "${@:2}"
}
explores ser
is "$status" 0 "explored at serializable, the bank has serial outcomes alone"

# SET n = n - 1, calculated by the database, loses no update of others, though the
# transaction read the row before; SET n = 2, calculated by the script, does.
printf 'CREATE TABLE stock (id int PRIMARY KEY, n int NOT NULL);\nINSERT INTO stock VALUES (1, 1000000);\n' >"$work/stock.sql"
for change in relative='n - 1' absolute=':n - 1'; do
  printf 'BEGIN;\nSELECT n FROM stock WHERE id = 1 \\gset\nUPDATE stock SET n = %s WHERE id = 1;\nCOMMIT;\n' \
    "${change#*=}" >"$work/${change%%=*}.pgbench"
done
loses() { # loses NAME: which of the two scripts lose updates
  local change found
  for change in relative absolute; do
    stress "${server_uri[0]}" -i "$2" --check=ser --schema "$work/stock.sql" -w "$work/$change.pgbench" -c 4 -t 100
    is "$status" 1 "$1, $change: not serializable"
    found=$(sed -n 's/^.*Found: //p' <<<"$out")
    if [ "$change" = relative ]; then
      unlike "$found" 'LostUpdate' "$1: nothing is lost where the database calculates"
    else
      like "$found" 'LostUpdate in (at least )?[0-9]' "$1: updates are lost where the script does"
    fi
  done
}

# An invariant in the database's own SQL, with the names of the schema.
joined='SELECT SUM(a.balance + b.balance) / 2 FROM account a JOIN account b ON b.id <> a.id AND b.balance IS NOT NULL'
printf 'CREATE TABLE account (id int PRIMARY KEY, balance int);\nINSERT INTO account VALUES (1, 100), (2, 100);\n' >"$work/two.sql"
printf 'BEGIN;\n\\set n random(1, 50)\nSELECT balance FROM account WHERE id = 1 \\gset a_\nSELECT balance FROM account WHERE id = 2 \\gset b_\nUPDATE account SET balance = :a_balance - :n WHERE id = 1;\nUPDATE account SET balance = :b_balance + :n WHERE id = 2;\nCOMMIT;\n' >"$work/loses.pgbench"
asks() { # asks NAME
  stress "${server_uri[0]}" -i serializable --schema "$work/two.sql" -w "$work/loses.pgbench" -c 4 -t 50 --max-tries 50 --invariant "$joined" --equals 200
  is "$status" 0 "$1 keeps the invariant, which is a join"
  stress "${server_uri[0]}" -i "read committed" --check=rc --schema "$work/two.sql" -w "$work/loses.pgbench" -c 4 -t 200 --invariant "$joined" --equals 200
  like "$out" '^VIOLATION of the invariant: SELECT SUM' "$1 breaks it at read committed, and not the level"
  stress "${server_uri[0]}" -i serializable --schema "$work/two.sql" -w "$work/loses.pgbench" -c 4 -t 100 --op-delay 1ms
  like "$out" "^ +[0-9]+  loses.pgbench:[0-9]: ($2)" "$1 refuses some, by statement and code"
}

live_start postgresql
asks PostgreSQL 'serialization failure [(]40001[)]' 
loses PostgreSQL "read committed"
printf 'BEGIN;\nUPDATE account SET balance = balance + 1 WHERE id = 1;\nUPDATE account SET balance = balance - 1 WHERE id = 2;\nCOMMIT;\n' >"$work/move.pgbench"
printf 'BEGIN;\nSELECT balance FROM account WHERE id = 1;\nSELECT balance FROM account WHERE id = 2;\nCOMMIT;\n' >"$work/see.pgbench"
run isostress run "${server_uri[0]}" -i "read committed" --check=ser --schema "$work/two.sql" -c 6 -t 300 -T 0 -P 0 \
  -w "$work/move.pgbench,$work/see.pgbench" -o "$work/runs"
like "$(tr -s ' \n' ' ' <<<"$out")" \
  'VIOLATION: A run of see\.pgbench saw what a run of move\.pgbench did to account [12], and not what it did to account [12]\.' \
  "half of a transaction that was seen is told in the scripts' own names"
bank "${server_uri[0]}" -i "repeatable read" --check=ser -t 300
is "$status" 1 "PostgreSQL: the bank is not serializable at repeatable read"
like "$out" 'broken by .*WriteSkew' "by write skew"
bank "${server_uri[0]}" -i "repeatable read" -t 100
is "$status" 0 "which snapshot isolation allows"
bank "${server_uri[0]}" -i serializable -t 300
is "$status" 0 "and serializable prevents"
explores si "${server_uri[0]}"
is "$status" 1 "PostgreSQL: explored at repeatable read, no serial order explains it"
like "$out" "^seen live, .*, repeatable read: 4 of 4 performances$" "which four performances show"
explores ser "${server_uri[0]}"
is "$status" 0 "PostgreSQL: explored at serializable, nothing is found"
server_stop "$server"

live_start mariadb
asks MariaDB 'deadlock [(][0-9A-Z_]+[)]' 
bank "${server_uri[0]}" -i "repeatable read" --check=ser -t 300
is "$status" 1 "MariaDB: the bank is not serializable at repeatable read"
like "$out" '^VIOLATION: serializability was broken' "and the run says so"
bank "${server_uri[0]}" -i serializable -t 300
is "$status" 0 "serializable prevents it"
explores ser "${server_uri[0]}"
is "$status" 0 "MariaDB: explored at serializable, nothing is found"
server_stop "$server"
