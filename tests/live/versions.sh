#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Servers of newer versions than the machine's own: each is fetched, is of the
# version that was asked for, ends a short run with a verdict, keeps its strongest
# level in a scorecard, and shows what its recipes and the step scripts with
# conditions expect; a server of the machine's own beside it stays what it was.
# Long: 200 MB are fetched.  bench/versions.sh makes a table of the same.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs redis postgresql mariadb etcd
kinds=(mariadb@11.8 galera@11.8 postgresql@17 postgresql@18 postgresql-standby@18 mysql@9
  mysql-group@9 valkey@9 etcd@3.5 etcd-3@3.5)
declare -A names=([mariadb@11.8]='MariaDB 11\.8' [galera@11.8]='MariaDB 11\.8'
  [postgresql@17]='PostgreSQL 17' [postgresql@18]='PostgreSQL 18'
  [postgresql-standby@18]='PostgreSQL 18' [mysql@9]='MySQL 9' [mysql-group@9]='MySQL 9'
  [valkey@9]='Valkey 9' [etcd@3.5]='etcd 3\.5' [etcd-3@3.5]='etcd 3\.5')
# The strongest level of kinds with one server.
declare -A strongest=([mariadb@11.8]=serializable [postgresql@17]=serializable [postgresql@18]=serializable
  [mysql@9]=serializable [valkey@9]=watch [etcd@3.5]=strict)
with_recipes=(mariadb@11.8 galera@11.8 postgresql@17 postgresql@18 postgresql-standby@18 valkey@9 etcd-3@3.5)
with_conditions=(mariadb@11.8 postgresql@17 postgresql@18 mysql@9)
plan $((3 * ${#kinds[@]} + ${#strongest[@]} + ${#with_recipes[@]} + ${#with_conditions[@]} + 2))

# Recipes that did not come out as expected.  Faults that take a second on an idle
# machine may come too late on a busy one: such recipes are left to repro.sh.
differing() { # differing: the output of repro --all on stdin
  local name
  awk '/^[^ ]/ { name = $1 } /^  / && !told[name]++ && !/^  as expected: / { print name }' | while read -r name; do
    grep -q '^faults = ' "$TOP_SRCDIR/configs/repro/$name.ini" || echo "$name"
  done
}

# Lines of bench/predicates.sh whose step script was seen where it is not known to
# be, or was not seen where it is.
other_than_known() {
  awk 'NR > 1 && (substr($0, 80, 4) == "seen") != (substr($0, 90, 4) == "seen")'
}


for kind in "${kinds[@]}"; do
  live_start "$kind"
  run isostress run -T 0 -t 50 -c 4 "${server_uri[0]}" -o "$work/runs" --output json
  like "$status" '^[01]$' "$kind: a run ends with a verdict"
  like "$out" "\"server\": \"${names[$kind]}" "and says which version it spoke to"
  like "$server" "/$kind\\." "the server is listed by its kind and version"
  [ -n "${strongest[$kind]:-}" ] || continue
  run isostress scorecard "${server_uri[0]}" -i "${strongest[$kind]}" -T 1s -o "$work/runs"
  is "$status" 0 "$kind: the scorecard of ${strongest[$kind]}"
done
for kind in "${with_recipes[@]}"; do
  run isostress repro --all --server="$kind" --budget 400s -o "$work/runs"
  is "$(differing <<<"$out")" "" "$kind: its recipes come out as expected"
done
for kind in "${with_conditions[@]}"; do
  run bash "$TOP_SRCDIR/bench/predicates.sh" 1 "$kind"
  is "$status $(other_than_known <<<"$out")" "0 " "$kind: step scripts with conditions show what is known"
done
live_start postgresql
run isostress run -T 0 -t 50 -c 4 "${server_uri[0]}" -o "$work/runs" --output json
is "$status" 0 "the machine's own server runs beside them"
unlike "$out" '"server": "PostgreSQL 1[78]' "and is none of theirs"
