#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress run --resolve-unknown behind a proxy that loses answers: which of the
# transactions without an answer to their commit did commit is found out, and
# the level is kept with them.  Transactions of SQL statements write no value of
# their own: PostgreSQL can tell their outcome, other databases leave it unknown.
. "$(dirname "${BASH_SOURCE[0]}")/resolving.sh"
live_needs mariadb postgresql redis etcd
for driver in postgresql mysql redis etcd; do
  live_needs_driver "$driver" libpq-dev libmariadb-dev libhiredis-dev \
    libcurl4-openssl-dev libjansson-dev
done
plan 42
unset MYSQL_PWD
export HOME=$work

live_start mariadb
uri=${server_uri[0]}
resolves MariaDB "$uri" serializable 70
stay_unknown "MariaDB, predicate" "$uri" serializable 40 -w predicate
stay_unknown "MariaDB, tpcc" "$uri" serializable 90 -w tpcc -t 60
live_start postgresql
resolves PostgreSQL "${server_uri[0]}" serializable 70
resolves "PostgreSQL, predicate" "${server_uri[0]}" serializable 40 -w predicate --max-tries 50
resolves "PostgreSQL, tpcc" "${server_uri[0]}" serializable 90 -w tpcc --max-tries 50 -t 60
resolves "PostgreSQL, pipelined" "${server_uri[0]}?pipeline=yes" serializable 20
live_start redis
resolves Redis "${server_uri[0]}" watch 40
resolves "Redis, by scripts" "${server_uri[0]/redis:/redis+lua:}" script 20
live_start etcd
resolves etcd "${server_uri[0]}" strict 20
