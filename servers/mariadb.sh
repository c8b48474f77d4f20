# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# MariaDB, alone or as a Galera cluster of three.  Clients log in by password;
# the superuser comes in through the socket, as the user who runs the server.
# Sourced by servers.sh.
# shellcheck disable=SC2154  # variables of servers.sh

mariadb_stop_signal() { echo TERM; }

mariadb_program() { # mariadb_program NAME: prints its path
  case $1 in
    libgalera_smm.so)
      local found=${ISOSTRESS_PROGRAMS:+${ISOSTRESS_PROGRAMS%/bin}/root}/usr/lib/galera/$1
      [ -e "$found" ] && echo "$found"
      ;;
    *) server_program "$1" ;;
  esac
}

mariadb_needs() { # mariadb_needs KIND
  printf '%s mariadb-server\n' mariadbd mariadb-install-db mariadb-admin mariadb
  [ "$1" != galera ] ||
    printf '%s\n' 'libgalera_smm.so galera-4' 'rsync rsync' 'lsof lsof' \
      'socat socat'
}

mariadb_user() {
  if [ "$(id -u)" = 0 ]; then echo mysql; else id -un; fi
}

mariadb_before_start() { # mariadb_before_start NODE
  rm -f "$1/socket" "$1/mysqld.pid"
}

# Runs SQL as superuser.
mariadb_sql() { # mariadb_sql NODE STATEMENT
  local user client
  user=$(line_of "$1/user")
  client=$(mariadb_program mariadb)
  as_user "$user" "$client" --no-defaults -S "$1/socket" -u "$user" -N -B -e "$2"
}

# A node of a cluster is ready when it has caught up with the others.
mariadb_ready() { # mariadb_ready NODE
  if [ -e "$1/port_group" ]; then
    mariadb_sql "$1" "SHOW STATUS LIKE 'wsrep_local_state_comment'" |
      grep -qw Synced
  else
    mariadb_sql "$1" 'SELECT 1'
  fi
}

# All nodes of a cluster take writes; the first one that answers is as good as any.
mariadb_is_primary() { # mariadb_is_primary NODE
  mariadb_sql "$1" 'SELECT @@read_only' | grep -qx 0
}

# A server that starts removes all temporary tables from its directory for them,
# of other servers that live there too: each node has one of its own.
mariadb_new() { # mariadb_new USER
  node_new "$1" && as_user "$1" mkdir "$node/tmp"
}

# The data of a server that nobody has written to.
mariadb_install() { # mariadb_install USER
  as_user "$1" env TMPDIR="$node/tmp" "$(mariadb_program mariadb-install-db)" \
    --no-defaults --datadir="$node/data" \
    --auth-root-authentication-method=socket \
    --auth-root-socket-user="$1" --skip-test-db --skip-name-resolve \
    >>"$node/log" 2>&1
}

# The command of $node, which has its data.  The settings trade safety from
# power failures for speed, but keep what survives a killed server, which may be
# killed in the middle of writing a page.
mariadb_command() { # mariadb_command [NAME=VALUE...]
  local program listens
  program=$(mariadb_program mariadbd)
  listens=$(line_of "$node/port")
  node_command "$program" --no-defaults \
    --datadir="$node/data" --tmpdir="$node/tmp" \
    --port="$listens" --bind-address=127.0.0.1 \
    --socket="$node/socket" --pid-file="$node/mysqld.pid" --skip-name-resolve \
    --skip-networking=0 --innodb-flush-log-at-trx-commit=2 \
    --innodb-flush-method=nosync --innodb-buffer-pool-size=128M \
    --innodb-log-file-size=64M --max-connections=200 \
    --innodb-lock-wait-timeout=5 --performance-schema=OFF "${@/#/--}"
}

mariadb_make_login() { # mariadb_make_login NODE
  local login="'$server_login'@'127.0.0.1'"
  mariadb_sql "$1" "
    CREATE DATABASE $server_login;
    CREATE USER $login IDENTIFIED BY '$server_password';
    GRANT ALL ON $server_login.* TO $login;
    GRANT PROCESS ON *.* TO $login" >>"$1/log" 2>&1
}

mariadb_uris() { # mariadb_uris SUFFIX NODE
  echo "uri$1=mysql://$server_login:$server_password@127.0.0.1:$(line_of "$2/port")/$server_login"
}

start_mariadb() { # start_mariadb [NAME=VALUE...]
  local user
  user=$(mariadb_user)
  server_reachable "$user" && mariadb_new "$user" && node_take_port port &&
    mariadb_install "$user" || return 1
  mariadb_command "$@"
  node_start "$node" && mariadb_make_login "$node" &&
    mariadb_uris '' "$node" >>"$server/uris"
}

# The three of a cluster know each other by the ports of their group
# communication; the first one begins it, but not when it is started again.
galera_command() { # galera_command MEMBERS [NAME=VALUE...]
  local group transfer state listens provider members=$1
  shift
  group=$(line_of "$node/port_group")
  transfer=$(line_of "$node/port_transfer")
  state=$(line_of "$node/port_state")
  listens=$(line_of "$node/port")
  provider=$(mariadb_program libgalera_smm.so)
  mariadb_command binlog-format=ROW default-storage-engine=InnoDB \
    innodb-autoinc-lock-mode=2 wsrep-on=ON \
    "wsrep-provider=$provider" \
    wsrep-cluster-name=isostress "wsrep-cluster-address=gcomm://$members" \
    "wsrep-node-name=node${node##*/}" "wsrep-node-address=127.0.0.1:$group" \
    "wsrep-node-incoming-address=127.0.0.1:$listens" \
    wsrep-sst-method=rsync "wsrep-sst-receive-address=127.0.0.1:$state" \
    "wsrep-provider-options=base_host=127.0.0.1;base_port=$group;gmcast.listen_addr=tcp://127.0.0.1:$group;ist.recv_addr=127.0.0.1:$transfer;ist.recv_bind=127.0.0.1:$transfer;gcache.size=64M;pc.recovery=false" \
    "$@"
}

start_galera() { # start_galera [NAME=VALUE...]
  local user i members=
  user=$(mariadb_user)
  server_reachable "$user" || return 1
  for i in 0 1 2; do
    mariadb_new "$user" && node_take_port port && node_take_port port_group &&
      node_take_port port_transfer && node_take_port port_state || return 1
    members+=,127.0.0.1:$(line_of "$node/port_group")
  done
  members=${members#,}
  for i in 0 1 2; do
    node=$server/$i
    if [ "$i" = 0 ]; then
      mariadb_install "$user" || return 1
      galera_command '' "$@"
    else # installing is slow, and joining overwrites it all anyway
      as_user "$user" cp -a "$server/installed" "$node/data" || return 1
      galera_command "$members" "$@"
    fi
    [ "$i" != 0 ] || cp -a "$node/data" "$server/installed"
    node_start "$node" || return 1
    mariadb_uris "$([ "$i" = 0 ] || echo "_$i")" "$node" >>"$server/uris"
  done
  rm -rf "$server/installed"
  node=$server/0
  galera_command "$members" "$@"
  # It may lock all tables, so that step scripts can let a node lag.
  mariadb_make_login "$node" &&
    mariadb_sql "$node" "GRANT RELOAD ON *.* TO '$server_login'@'127.0.0.1'"
}
