#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Servers of newer versions than the machine's own: each is fetched, is of the
# version that was asked for, keeps its promise in a short run, and a server of
# the machine's own beside it stays what it was.  Long: 200 MB are fetched.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs redis postgresql mariadb etcd
kinds=(mariadb@11.8 galera@11.8 postgresql@17 postgresql@18 postgresql-standby@18 mysql@9
  mysql-group@9 valkey@9 etcd@3.5 etcd-3@3.5)
declare -A names=([mariadb@11.8]='MariaDB 11\.8' [galera@11.8]='MariaDB 11\.8'
  [postgresql@17]='PostgreSQL 17' [postgresql@18]='PostgreSQL 18'
  [postgresql-standby@18]='PostgreSQL 18' [mysql@9]='MySQL 9' [mysql-group@9]='MySQL 9'
  [valkey@9]='Valkey 9' [etcd@3.5]='etcd 3\.5' [etcd-3@3.5]='etcd 3\.5')
plan $((3 * ${#kinds[@]} + 2))

for kind in "${kinds[@]}"; do
  live_start "$kind"
  run isostress run -T 0 -t 50 -c 4 "${server_uri[0]}" -o "$work/runs" --output json
  like "$status" '^[01]$' "$kind: a run ends with a verdict"
  like "$out" "\"server\": \"${names[$kind]}" "and says which version it spoke to"
  like "$server" "/$kind\\." "the server is listed by its kind and version"
done
live_start postgresql
run isostress run -T 0 -t 50 -c 4 "${server_uri[0]}" -o "$work/runs" --output json
is "$status" 0 "the machine's own server runs beside them"
unlike "$out" '"server": "PostgreSQL 1[78]' "and is none of theirs"
