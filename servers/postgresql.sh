# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# PostgreSQL, alone or with a hot standby.  Clients log in by password; the
# superuser comes in through the socket in the node's directory, which nobody
# else may enter.  Sourced by servers.sh.
# shellcheck disable=SC2154  # variables of servers.sh

postgresql_stop_signal() { echo INT; } # the "fast" shutdown

# Debian keeps the programs of each version out of PATH; the newest one wins.
postgresql_program() { # postgresql_program NAME: prints its path
  local found
  [ -z "${ISOSTRESS_PROGRAMS:-}" ] || {
    server_program "$1"
    return
  }
  found=$(printf '%s\n' /usr/lib/postgresql/*/bin/"$1" | sort -V | tail -n 1)
  [ -x "$found" ] || found=$(type -P "$1")
  [ -n "$found" ] && echo "$found"
}

postgresql_needs() {
  printf '%s postgresql\n' initdb postgres pg_basebackup psql
}

postgresql_user() {
  if [ "$(id -u)" = 0 ]; then echo postgres; else id -un; fi
}

# A crash leaves files behind that name processes of no meaning any more; all
# of the node's processes are gone by now.
postgresql_before_start() { # postgresql_before_start NODE
  rm -f "$1/data/postmaster.pid" "$1"/.s.PGSQL.*
}

postgresql_ready() { # postgresql_ready NODE
  local client port
  client=$(postgresql_program psql)
  port=$(line_of "$1/port")
  "$client" -qAtX -h "$1" -p "$port" -U postgres -d postgres -c 'SELECT 1'
}

postgresql_is_primary() { # postgresql_is_primary NODE
  local port
  port=$(line_of "$1/port")
  "$(postgresql_program psql)" -qAtX -h "$1" -p "$port" -U postgres -d postgres \
    -c 'SELECT pg_is_in_recovery()' | grep -qx f
}

# The command of $node, which has its data.  The settings trade safety from
# power failures for speed, but keep what survives a killed server, which may be
# killed in the middle of writing a page.
postgresql_command() { # postgresql_command [NAME=VALUE...]
  local setting settings=()
  for setting in "port=$port" listen_addresses=127.0.0.1 \
    "unix_socket_directories=$node" fsync=off synchronous_commit=on \
    max_connections=200 shared_buffers=128MB \
    max_pred_locks_per_transaction=256 deadlock_timeout=100ms \
    log_min_messages=fatal "$@"; do
    settings+=(-c "$setting")
  done
  node_command "$(postgresql_program postgres)" -D "$node/data" "${settings[@]}"
}

postgresql_uris() { # postgresql_uris SUFFIX
  echo "uri$1=postgresql://$server_login:$server_password@127.0.0.1:$port/$server_login"
  echo "admin$1=postgresql:///$server_login?host=$node&port=$port&user=postgres"
}

start_postgresql() { # start_postgresql [NAME=VALUE...]
  local user
  user=$(postgresql_user)
  server_reachable "$user" && node_new "$user" && node_take_port port ||
    return 1
  as_user "$user" "$(postgresql_program initdb)" -D "$node/data" -U postgres \
    --auth-local=trust --auth-host=scram-sha-256 --no-sync --encoding=UTF8 \
    --locale=C >>"$node/log" 2>&1 || return 1
  postgresql_command "$@"
  node_start "$node" || return 1
  # Nobody may be there yet to replicate to.
  PGOPTIONS='-c synchronous_commit=local' "$(postgresql_program psql)" -qX \
    -h "$node" -p "$port" -U postgres -d postgres -v ON_ERROR_STOP=1 \
    -c "CREATE ROLE $server_login LOGIN PASSWORD '$server_password'" \
    -c "CREATE DATABASE $server_login OWNER $server_login" \
    >>"$node/log" 2>&1 || return 1
  postgresql_uris '' >>"$server/uris"
}

# Another node, which follows the primary.
postgresql_add_standby() { # postgresql_add_standby SUFFIX [NAME=VALUE...]
  local user primary=$server/0 listens suffix=$1
  shift
  user=$(postgresql_user)
  listens=$(line_of "$primary/port")
  node_new "$user" && node_take_port port || return 1
  as_user "$user" "$(postgresql_program pg_basebackup)" -h "$primary" \
    -p "$listens" -U postgres -D "$node/data" -X stream -c fast -R \
    --no-sync >>"$node/log" 2>&1 || return 1
  postgresql_command "$@"
  node_start "$node" && postgresql_uris "$suffix" >>"$server/uris"
}

start_postgresql_standby() { # start_postgresql_standby [NAME=VALUE...]
  local primary listens
  start_postgresql "$@" || return 1
  primary=$server/0 listens=$port
  # So that step scripts can let the standby lag.
  PGOPTIONS='-c synchronous_commit=local' "$(postgresql_program psql)" -qX \
    -h "$primary" -p "$port" -U postgres -d "$server_login" -v ON_ERROR_STOP=1 \
    -c "GRANT EXECUTE ON FUNCTION pg_wal_replay_pause(), pg_wal_replay_resume()
      TO $server_login" >>"$primary/log" 2>&1 || return 1
  postgresql_add_standby _1 "$@"
}

postgresql_has_synchronous() { # postgresql_has_synchronous NODE COUNT
  local port psql count
  port=$(line_of "$1/port")
  psql=$(postgresql_program psql)
  count=$("$psql" -qAtX -h "$1" -p "$port" -U postgres \
    -d postgres -c "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'")
  [ "$count" = "$2" ]
}

# Each commit waits for both standbys, so that either may become the primary.
# The setting is the primary's alone: a standby that becomes one has none.
start_postgresql_sync() { # start_postgresql_sync [NAME=VALUE...]
  local listens
  start_postgresql "$@" || return 1
  listens=$port
  postgresql_add_standby _1 "$@" && postgresql_add_standby _2 "$@" || return 1
  "$(postgresql_program psql)" -qAtX -h "$server/0" -p "$listens" -U postgres \
    -d postgres -c "ALTER SYSTEM SET synchronous_standby_names = '2 (*)'" \
    -c 'SELECT pg_reload_conf()' >>"$server/0/log" 2>&1 || return 1
  wait_for 60 postgresql_has_synchronous "$server/0" 2
}

postgresql_promote() { # postgresql_promote NODE: a standby becomes a primary
  local user
  user=$(line_of "$1/user")
  as_user "$user" "$(postgresql_program pg_ctl)" -D "$1/data" -w -s promote
}
