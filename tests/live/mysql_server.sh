#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The mysql driver on a server of MySQL's own, as tests/live/mysql*.sh on
# MariaDB: levels kept and broken, codes, crashes in mid-run, doubts resolved.
# Part of make check-long, which gets the server.
. "$(dirname "${BASH_SOURCE[0]}")/resolving.sh"
live_needs mysql
live_needs_driver mysql libmariadb-dev
plan 76

unset MYSQL_PWD
export HOME=$work
live_start mysql
uri=${server_uri[0]} node=$server/0
port=$(line_of "$node/port")

# ---- Levels that are kept

for workload in mt append general; do
  case $workload in
    mt) options=() ;;
    append) options=("${append[@]}") ;;
    general) options=("${general[@]}") ;;
  esac
  keeps "$uri" serializable "serializable keeps SER ($workload)" \
    "${options[@]}"
  keeps "$uri" "read committed" "read committed keeps RC ($workload)" \
    "${options[@]}"
done
like "$out" '^database +MySQL [0-9.]+[^,]*, innodb_flush_log_at_trx_commit 2, .*transaction_isolation REPEATABLE-READ' \
  "the server and its settings are recorded"
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
breaks "$uri" "read uncommitted" '(IntermediateRead|AbortedRead)' "read uncommitted breaks RC" \
  --check rc --shares rewrite:1,reread:1 -k 2 -t 500

stress "$uri" -i "repeatable read" -k 20 -t 300
is "$status" 0 "repeatable read promises PC"
like "$out" "^PASS: prefix consistency was kept" "prefix consistency is kept"

# ---- Shapes

for option in read=for-update read=for-share; do
  stress "$uri?$option" -i rc --check ser -t 300
  is "$status" 0 "read committed keeps SER with $option"
done
stress "$uri?tables=3&columns=4&index=secondary" -i ser -t 500
is "$status" 0 "cells in three tables, read through a secondary index, keep SER"
stress "$uri?write=upsert&table=isostress.other&lock_timeout=1s" -i ser -t 300
is "$status" 0 "upserts into a table of another name keep SER"

# ---- Codes and losses

mysql_sql "$node" "$boss; SET GLOBAL innodb_lock_wait_timeout = 120"
for program in mysql_conflicts mysql_losses mysql_refusals; do
  MY_URI=$uri run "$TOP_BUILDDIR/tests/live/$program"
  is "$status" 0 "$program"
  [ "$status" = 0 ] || printf '%s\n' "$out" | sed 's/^/# /'
done
mysql_sql "$node" "SET GLOBAL innodb_lock_wait_timeout = 5"

# ---- Crashes and doubts

survives_crash "$node" "$uri" serializable ser
dies "$node" "$uri" serializable ser \
  "MySQL at 127.0.0.1:$port: cannot connect: the connection was refused \(2002\)"
resolves MySQL "$uri" serializable 70

# ---- Two runs at once

one_at_a_time "$uri" serializable \
  "MySQL at 127\.0\.0\.1:$port: another run uses the table isostress; wait until it has ended, or choose other names with table=NAME"

# ---- Bad input

at="MySQL at 127\.0\.0\.1:$port: cannot"
refused 255 "${uri/throwaway/mistyped}" \
  "$at connect: Access denied for user 'isostress'@'127\.0\.0\.1' \(using password: YES\) \(1045\)" \
  "a wrong password"
refused 255 "${uri%/*}/nowhere" \
  "$at connect: Access denied for user 'isostress'@'127\.0\.0\.1' to database 'nowhere' \(1044\)" \
  "a database without privileges"
refused 255 "$uri?innodb_snapshot_isolation=on" \
  "$at be set up for a session: Unknown system variable 'innodb_snapshot_isolation' \(1193\)" \
  "a setting of MariaDB"
mysql_sql "$node" "ALTER USER isostress@'127.0.0.1' WITH MAX_USER_CONNECTIONS 3"
refused 255 "$uri" "session [0-9]+ could not connect: MySQL .* \(1226\)" "too many sessions are refused"

# ---- Ways in
# A password is sent as a whole when the server has not seen it before: encrypted
# by the connection, or by the key that the server hands out.

live_start_with_tls mysql
for mode in required disabled; do
  mysql_sql "$server/0" "FLUSH PRIVILEGES"
  stress "${server_uri[0]}?ssl-mode=$mode" -i rc -t 10
  is "$status" 0 "a new password is sent with ssl-mode=$mode"
done
speaks_tls
refused 255 "$uri?ssl-ca=$node/data/ca.pem" \
  'MySQL at .*: cannot connect: TLS/SSL error: .*' "a certificate for another host"
is "$(grep -rl -e throwaway -e mistyped "$work/runs")" "" \
  "no password is in any file of any run"

# ---- Who waits
# The servers of tests have no performance schema, and others may have none.

export ISOSTRESS_FILES=$TOP_SRCDIR
run isostress steps p4 "$uri" -i "repeatable read"
like "$out" '^anomaly     seen$' "a lost update is seen where the server cannot say who waits"
live_start mysql performance-schema=ON
run isostress steps p4 "${server_uri[0]}" -i "repeatable read"
like "$out" '^anomaly     seen$' "and where it can"
unlike "$out" 'told by time' "which is then not told by time"
