#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The harness of the live tests itself: servers come up, survive the shell that
# started them, crash, come back, and leave nothing behind.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs redis-replica postgresql etcd-3 mariadb
plan 34

server_command=$TOP_SRCDIR/servers/server.sh
# Servers of this test only, whatever else is going on.
export ISOSTRESS_SERVERS=${TMPDIR:-/tmp}/isostress-test-servers.$$
server_root=$ISOSTRESS_SERVERS
trap '"$server_command" stop all; server_stop_started; rm -rf "$work"' EXIT

# The remains of a server; nothing if all is well.
remains() { # remains DIRECTORY
  ls -d "$1"* "$server_root" 2>/dev/null
  pgrep -af -- "$1"
}

# ---- From the command line
run "$server_command" start redis
is "$status" 0 "start succeeds"
like "$out" '^uri=redis://:throwaway@127\.0\.0\.1:[0-9]+$' "start prints a URI"
name=$(sed -n 's/^server=//p' <<<"$out")
directory=$(sed -n 's/^directory=//p' <<<"$out")
is "$(redis_ask "$directory/0" ping)" PONG "the server survives the command"
run "$server_command" list
like "$out" "^$name +up +redis://" "list shows it"
run "$server_command" stop "$name"
is "$status" 0 "stop succeeds"
is "$(remains "$directory")" "" "stop leaves nothing"
run "$server_command" stop "$name"
is "$status:$err" "255:there is no server \"$name\"; \`isostress server list\` shows those there are" \
  "stopping it again is refused"
run "$server_command" start oracle
is "$status:$err" "255:there is no kind of server \"oracle\"; there are postgresql, postgresql-standby, postgresql-sync, mariadb, galera, mysql, mysql-group, redis, redis-replica, valkey, etcd, etcd-3, etcd-5, and newer versions: \`isostress server\` names them" \
  "an unknown kind is refused"
run "$server_command" start postgresql@9
like "$status:$err" '^255:fetch_server.sh: no server "postgresql@9" can be had; there are mariadb@11.8 galera@11.8 ' \
  "a version that nobody has is refused"
ISOSTRESS_MYSQLD=/nowhere/mysqld run "$server_command" start mysql
like "$err" "^mysql: no mysqld of MySQL's own is at ISOSTRESS_MYSQLD or on PATH; " \
  "what no package has is said, and where to get it"
run bash -c "trap '' XFSZ; ulimit -f 100; \"$server_command\" start redis"
is "$status:$err:$(remains "$server_root/redis.")" "255:no server can be kept in $server_root: there is no room left; set \
ISOSTRESS_SERVERS or TMPDIR to another directory:" "a full disk is said"
run "$server_command" start
is "$status" 254 "wrong usage has a status of its own"
run "$server_command" start redis port=none
is "$status" 255 "a server that does not come up is trouble"
like "$err" 'the server ended while it started' "the sentence says that the server ended while it started"
like "$err" 'could.*parsed into an integer' "the server's own words are shown"
is "$(remains "$server_root/redis.")" "" "a server that does not come up leaves nothing"

# ---- What start prints is for a shell to evaluate
run "$server_command" start postgresql
admin=
eval "$out"
is "$admin" "$(sed -n 's/^admin=//p' "$directory/uris")" "the URI of the superuser keeps its ampersands"
"$server_command" stop "$server" >/dev/null

# ---- Interrupted while starting
# Without its socket, nobody will ever hear it answer.
"$server_command" start postgresql unix_socket_directories= >"$work/started" 2>&1 &
starting=$!
is_starting() { ls "$server_root"/postgresql.*/0/pid; }
wait_for 60 is_starting
kill -TERM "$starting"
wait "$starting"
is "$?" 143 "a start can be interrupted"
is "$(remains "$server_root/postgresql")" "" "an interrupted start leaves nothing"

# Whenever the signal comes, the start leaves nothing, or it has told of a server.
starts=15
[ "${ISOSTRESS_LONG:-0}" != 1 ] || starts=150
wrong='' left=''
for ((i = 0; i < starts; i++)); do
  "$server_command" start redis >"$work/started" 2>&1 &
  starting=$!
  printf -v delay '0.%03d' "$((SRANDOM % 400))"
  sleep "$delay"
  kill -TERM "$starting" 2>/dev/null
  wait "$starting"
  ended=$?
  name=$(sed -n 's/^server=//p' "$work/started")
  case $ended:$name in
    143:) ;;
    0:?*) "$server_command" stop "$name" ;;
    *) wrong+=" $ended:$name" ;;
  esac
  left+=$(remains "$server_root/redis")
  "$server_command" stop all
done
is "$wrong" "" "a start is interrupted, or has told of its server"
is "$left" "" "starts that are interrupted at any time leave nothing"

# Killed, it can clean nothing up itself, and what makes its database goes on.
"$server_command" start mariadb >"$work/started" 2>&1 &
starting=$!
is_making() { ls "$server_root"/mariadb.*/0/data/*; }
wait_for 60 is_making
kill -KILL "$starting"
wait "$starting" 2>/dev/null
run "$server_command" stop all
is "$status" 0 "what a killed start has left can be stopped"
sleep 1 # long enough for what is still alive to show
is "$(remains "$server_root/mariadb")" "" "a stopped server leaves nothing"

# ---- From a script
missing() { # missing PROGRAM...: as if it were not installed
  redis_program() { [ "$1" != redis-server ] && type -P "$1"; }
  server_start redis
}
run missing
is "$status:$err" "1:redis: redis-server not installed: apt-get install redis-server" \
  "the package of a missing program is named"
. "$server_library/redis.sh"

live_start redis
first=$server taken=$(line_of "$server/0/port")
# As if somebody else had taken the port in between.
eval "real_$(declare -f node_take_port)"
node_take_port() {
  if [ -n "$taken" ]; then
    port=$taken taken=
    echo "$port" >"$node/$1"
  else
    real_node_take_port "$1"
  fi
}
live_start redis
is "$(redis_ask "$server/0" ping)$taken" PONG \
  "a port that was taken in between makes it try another one"
server_stop "$first"
server_stop "$server"

for kind in postgresql mariadb redis-replica etcd-3; do
  live_start "$kind"
  was=$(node_pid "$server/0")
  node_crash "$server/0"
  is "$(server_state "$server")" \
    "$([ "${#server_uri[@]}" = 1 ] && echo down || echo "partly up")" \
    "$kind is down after a crash"
  node_start "$server/0"
  is "$(server_state "$server")$([ "$was" != "$(node_pid "$server/0")" ] || echo "?")" \
    up "$kind comes back"
  server_stop "$server"
done
is "$(remains "$server_root")" "" "no server leaves anything"
