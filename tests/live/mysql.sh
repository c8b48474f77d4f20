#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress run on a real MariaDB: levels kept and broken, shapes of tables and
# statements, crashes in mid-run, and every way in which it cannot start.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs mariadb
live_needs_driver mysql libmariadb-dev
plan 129

# A user's environment and option files must not reach these tests.
unset MYSQL_PWD
export HOME=$work
live_start mariadb
uri=${server_uri[0]} node=$server/0
port=$(line_of "$node/port")
# Snapshot isolation, where repeatable read keeps what it says.
si="$uri?innodb_snapshot_isolation=on"

sql() { mariadb_sql "$node" "USE isostress; $1"; }

# ---- Levels that are kept

keeps "$si" "repeatable read" "repeatable read keeps SI, with innodb_snapshot_isolation (mt)"
like "$out" '^database +MariaDB [0-9.]+.*innodb_flush_log_at_trx_commit 2, .*innodb_snapshot_isolation ON, .*tx_isolation REPEATABLE-READ, wsrep_on OFF$' \
  "the server and its settings are recorded"
keeps "$si" "repeatable read" "repeatable read keeps SI, with innodb_snapshot_isolation (append)" \
  "${append[@]}"
keeps "$si" "repeatable read" "repeatable read keeps SI, with innodb_snapshot_isolation (general)" \
  "${general[@]}"
keeps "$uri" serializable "serializable keeps SER (mt)"
keeps "$uri" serializable "serializable keeps SER (append)" "${append[@]}"
keeps "$uri" serializable "serializable keeps SER (general)" "${general[@]}"
keeps "$uri" "read committed" "read committed keeps RC (mt)"
keeps "$uri" "read committed" "read committed keeps RC (append)" "${append[@]}"
keeps "$uri" "read committed" "read committed keeps RC (general)" "${general[@]}"
keeps "$uri" "read committed" "compare-and-set is linearizable (cas)" -w cas \
  --check sser

# ---- Levels that are not

breaks "$uri" "repeatable read" LostUpdate "repeatable read, the default, breaks SI (mt)" --check si -t 500
told "a lost update" "Each would have to come before the other\. Whichever came last, "
breaks "$uri" "repeatable read" LostUpdate "repeatable read, the default, breaks SI (general)" \
  --check si -w general -k 500 -t 500
breaks "$uri" "repeatable read" '[A-Z]' "repeatable read, the default, breaks SI (append)" \
  --check si -w append -k 500 -t 500
breaks "$uri" rc LostUpdate "read committed breaks SI" --check si --shares rmw1:1 -k 10 -t 500
breaks "$si" si WriteSkew "repeatable read breaks SER, even with innodb_snapshot_isolation" \
  --check ser --shares r2w1:1 -k 4 -t 500
breaks "$uri" "read uncommitted" '(IntermediateRead|AbortedRead)' "read uncommitted breaks RC" \
  --check rc --shares rewrite:1,reread:1 -k 2 -t 500

# ---- What repeatable read promises

promises() { # promises URI LEVEL STATUS HEADLINE NAME OPTION...
  local uri=$1 level=$2 status_wanted=$3 headline=$4 name=$5
  shift 5
  stress "$uri" -i "repeatable read" -k 20 -t 300 "$@"
  is "$status" "$status_wanted" "$name"
  like "$out" "^$headline" "$name: the headline"
  is "$(sed -n 's/.*in this run .* promises \([a-z ]*\), not snapshot isolation.*/\1/p' <<<"$err")" "$level" \
    "$name: the claim"
}
off="$uri?innodb_snapshot_isolation=off"
promises "$si" "" 0 "PASS: snapshot isolation was kept" "this version promises SI with innodb_snapshot_isolation"
promises "$uri" "prefix consistency" 0 "PASS: prefix consistency was kept" "this version promises PC by default"
promises "$off" "prefix consistency" 0 "PASS: prefix consistency was kept" "innodb_snapshot_isolation=off promises PC"
promises "$off" "prefix consistency" 0 "PASS: prefix consistency was kept" "nor is SI watched for" \
  --stop-on-violation
promises "$off" "prefix consistency" 0 "PASS: prefix consistency was kept" "what is kept beyond is told" \
  --check auto
like "$out" "^ALL LEVELS: the strongest level kept is prefix consistency" \
  "--level=auto goes to the strongest level"
like "$out" "^  si .* broken .*LostUpdate" "lost updates are told as beyond the claim"
promises "$off" "nothing that is checked" 0 "(PASS: [a-z ]* was kept|NONE KEPT: read committed was broken)" \
  "lists have no promise, and the strongest level kept is told" "${append[@]}"
like "$out" "^ALL LEVELS: " "of all levels"
promises "$off&columns=4" "nothing that is checked" 0 "(PASS|NONE KEPT): " "nor registers that share a row" -w general
promises "$off" "nothing that is checked" 0 "NONE KEPT: read committed was broken by " "rows of searches keep no level" -w predicate -t 2000 -k 40
is "$(python3 - "$results/report.json" <<'EOF'
import json, sys
d = json.load(open(sys.argv[1]))
print(d["verdict"]["verdict"], d["all_levels"]["strongest"], d["history"]["committed"] > 0)
EOF
)" "violation none True" "which the document says"
head -c "$(($(stat -c %s "$results/history") * 4 / 5))" "$results/history" >"$work/torn"
like "$(isostress check -l rc "$work/torn" 2>/dev/null | xargs)" '^(VIOLATION: |UNDECIDED: .* Why: a part of the history is lost, )' \
  "a part of it is undecided for what is lost alone"
echo 'CREATE TABLE stock (sku INT PRIMARY KEY, quantity INT); INSERT INTO stock VALUES (1, 1000);' >"$work/own.sql"
cat >"$work/own.pgbench" <<'EOF'
BEGIN;
SELECT quantity FROM stock WHERE sku = 1 \gset
UPDATE stock SET quantity = :quantity - 1 WHERE sku = 1;
END;
EOF
run isostress run -t 100 -c 4 -i "repeatable read" -o "$work/runs" --schema "$work/own.sql" \
  -w "$work/own.pgbench" "$off"
like "$status:$(tr -s ' \n' ' ' <<<"$out")" \
  '^0:PASS: The strongest level that MariaDB kept .* not serializable at REPEATABLE READ: lost update in [0-9,]+ writes?\. SERIALIZABLE rules that out\.' \
  "own scripts there are held against serializability"
like "$(tr -s ' \n' ' ' <<<"$out")" ' promised No\. Seen, and allowed at this level\. .* helps innodb_snapshot_isolation = ON, ' \
  "with what is promised and what helps"
run isostress clean "$uri"
promises "$si" "" 0 "PASS: snapshot isolation was kept" "lists keep SI" "${append[@]}"
mariadb_sql "$node" "SET GLOBAL innodb_snapshot_isolation = ON"
promises "$uri" "" 0 "PASS: snapshot isolation was kept" "the server's own setting is read back"
mariadb_sql "$node" "SET GLOBAL innodb_snapshot_isolation = OFF"

# ---- Shapes

stress "$uri?read=for-update" -i rc --check ser -t 500
is "$status" 0 "read committed keeps SER if reads lock for update"
stress "$uri?read=for-share" -i rc --check ser -t 300
is "$status" 0 "read committed keeps SER if reads lock for share"
stress "$uri?tables=3&columns=4&index=secondary" -i ser -t 500
is "$status" 0 "cells in three tables, read through a secondary index, keep SER"
is "$(sql "SELECT GROUP_CONCAT(table_name ORDER BY table_name SEPARATOR ' ')
    FROM information_schema.tables WHERE table_schema = 'isostress' AND engine = 'InnoDB'")" \
  "isostress isostress_1 isostress_2 isostress_3" "the tables are there, in InnoDB"
is "$(sql "SELECT GROUP_CONCAT(column_name ORDER BY ordinal_position SEPARATOR ' ')
    FROM information_schema.columns WHERE table_name = 'isostress_2'")" \
  "k s v1 v2 v3 v4" "they have the columns"
stress "$si&write=upsert&table=isostress.other" -i si -t 300
is "$status" 0 "upserts into a table of another name keep SI"
stress "$uri?table=filled" -k 100000 -t 1
is "$(sql "SELECT COUNT(*), MIN(k), MAX(k), COUNT(DISTINCT k) FROM filled")" \
  "100000	0	99999	100000" "the table has each key"

sql "CREATE TABLE precious AS SELECT 42 AS answer"
for name in precious isostress.precious; do
  stress "$uri?table=$name" -t 10
  is "$status" 255 "a table that is not ours is left alone ($name)"
  like "$err" "^isostress: MySQL at 127.0.0.1:$port has a table .*\`precious\` that was not made by isostress; choose another name" \
    "the sentence says to choose another name"
done
is "$(sql "SELECT answer FROM precious")" 42 "the table that is not ours keeps its row"

# ---- Ways in

MYSQL_PWD=throwaway stress "mariadb://isostress@127.0.0.1:$port/isostress" -i rc -t 10
is "$status" 0 "passwords come from the environment"
printf '[client]\nuser=isostress\npassword=throwaway\nhost=127.0.0.1\nport=%s\n' \
  "$port" >"$work/options.cnf"
stress "mysql:///isostress?defaults-file=$work/options.cnf" -i rc -t 10
is "$status" 0 "users, passwords, hosts and ports come from an option file"
cp "$work/options.cnf" "$work/.my.cnf"
stress "mysql://127.0.0.1:$port/isostress" -i rc -t 10
is "$status" 0 "passwords come from the usual option file"
rm "$work/.my.cnf"
sql "GRANT ALL ON isostress.* TO isostress@localhost IDENTIFIED BY 'throwaway'"
stress "mysql://isostress:throwaway@/isostress?socket=$node/socket" -i rc -t 10
is "$status" 0 "sockets are reached"

# ---- Crashes

survives_crash "$node" "$si" si si
dies "$node" "$si" si si \
  "MySQL at 127.0.0.1:$port: cannot connect: the connection was refused \(2002\)"

# ---- Two runs at once

one_at_a_time "$uri" serializable \
  "MySQL at 127\.0\.0\.1:$port: another run uses the table isostress; wait until it has ended, or choose other names with table=NAME"

# ---- Bad input

at="MySQL at 127\.0\.0\.1:$port: cannot"
refused 255 "${uri/throwaway/mistyped}" \
  "$at connect: Access denied for user 'isostress'@'127\.0\.0\.1' \(using password: YES\) \(1045\)" \
  "a wrong password"
refused 255 "mysql://isostress:throwaway@127.0.0.1:1/x" \
  'MySQL at 127\.0\.0\.1:1: cannot connect: the connection was refused \(2002\)' "a closed port"
refused 255 "mysql://isostress:throwaway@no-such-host.invalid/x" \
  "MySQL at no-such-host.invalid: cannot connect: Unknown server host 'no-such-host.invalid' .*" \
  "an unknown host"
refused 255 "${uri%/*}/nowhere" \
  "$at connect: Access denied for user 'isostress'@'127\.0\.0\.1' to database 'nowhere' \(1044\)" \
  "a database without privileges"
refused 255 "${uri%/*}" "$at make the table \`isostress\`: No database selected \(1046\)" \
  "no database"
sql "GRANT ALL ON nowhere.* TO isostress@'127.0.0.1'"
refused 255 "${uri%/*}/nowhere" "$at connect: Unknown database 'nowhere' \(1049\)" \
  "a missing database"
refused 255 "$uri?table=mysql.x" \
  "$at make the table \`mysql\`\.\`x\`: DROP command denied to user .* \(1142\)" \
  "a missing privilege"
refused 255 "$uri?ssl-mode=required" \
  "MySQL at 127\.0\.0\.1:$port: ssl-mode demands TLS, which the server lacks" \
  "TLS that the server lacks"
sql "ALTER USER isostress@'127.0.0.1' WITH MAX_USER_CONNECTIONS 3"
refused 255 "${uri/mysql:/mariadb:}" "session [0-9]+ could not connect: MariaDB .* \(1226\)" "too many sessions are refused"
sql "ALTER USER isostress@'127.0.0.1' WITH MAX_USER_CONNECTIONS 0"
refused 254 "$uri" 'mysql has no isolation level "sser"; it has repeatable read \(si\), read committed \(rc\), serializable \(ser\), read uncommitted \(none\)' \
  "a level that it lacks" -i sser

# ---- TLS

live_start_with_tls mariadb
speaks_tls

# ---- Secrets

is "$(grep -rl -e throwaway -e mistyped "$work/runs")" "" \
  "no password is in any file of any run"
