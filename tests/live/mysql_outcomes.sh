#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Starts MariaDB for mysql_outcomes.c, with a second login that may do all.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs mariadb
program=$TOP_BUILDDIR/tests/live/mysql_outcomes
if [ ! -x "$program" ]; then
  echo "1..0 # SKIP built without libmariadb: apt-get install libmariadb-dev"
  exit 0
fi
live_start mariadb innodb-lock-wait-timeout=120
mariadb_sql "$server/0" "GRANT ALL ON *.* TO boss@'127.0.0.1'
  IDENTIFIED BY '$server_password' WITH GRANT OPTION"
# What a user's environment and option files say must not reach this test.
unset MYSQL_PWD
HOME=$work MY_URI=${server_uri[0]} "$program"
