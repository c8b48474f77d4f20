# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# MySQL, 8.0 or later, alone or as a group of three that all take writes.  Stable
# releases of Debian have no package of it: mysql@9 is fetched.  ISOSTRESS_MYSQLD
# says where another mysqld is, unless that is on PATH, where MariaDB's may have
# its name.  Clients log in by password; the superuser comes in through the
# socket, which nobody else can reach.  Sourced by servers.sh.
# shellcheck disable=SC2154  # variables of servers.sh

mysql_stop_signal() { echo TERM; }

mysql_program() { # mysql_program NAME: prints its path
  local found
  [ "$1" = mysqld ] && [ -z "${ISOSTRESS_PROGRAMS:-}" ] || {
    mariadb_program "$1"
    return
  }
  found=$(PATH=$PATH:/usr/sbin:/sbin type -P "${ISOSTRESS_MYSQLD:-mysqld}") &&
    ! "$found" --version | grep -q MariaDB && realpath "$found"
}

mysql_needs() { echo 'mariadb mariadb-client'; }

# Says how to get a server; false if there is one.
mysql_lacks() {
  ! mysql_program mysqld >/dev/null &&
    echo "no mysqld of MySQL's own is at ISOSTRESS_MYSQLD or on PATH;" \
      "\`isostress server start mysql@9\` gets one from Debian sid"
}

mysql_before_start() { mariadb_before_start "$1"; }

# Runs SQL as superuser.
mysql_sql() { # mysql_sql NODE STATEMENT
  local user client
  user=$(line_of "$1/user")
  client=$(mysql_program mariadb)
  as_user "$user" "$client" --no-defaults -S "$1/socket" -u root -N -B -e "$2"
}

# A member of a group is ready when it has caught up with the others.
mysql_ready() { # mysql_ready NODE
  if [ -e "$1/port_group" ]; then
    mysql_sql "$1" 'SELECT member_state
      FROM performance_schema.replication_group_members
      WHERE member_id = @@server_uuid' | grep -qx ONLINE
  else
    mysql_sql "$1" 'SELECT 1'
  fi
}

# All nodes of a group take writes; the first one that answers is as good as any.
mysql_is_primary() { # mysql_is_primary NODE
  mysql_sql "$1" 'SELECT @@read_only' | grep -qx 0
}

# The data of a server that nobody has written to, with a superuser who may come
# in without a password, and only as localhost.
mysql_install() { # mysql_install USER
  as_user "$1" "$(mysql_program mysqld)" --no-defaults \
    --datadir="$node/data" --tmpdir="$node/tmp" --initialize-insecure \
    >>"$node/log" 2>&1
}

# As MariaDB's.
mysql_command() { # mysql_command [NAME=VALUE...]
  local program listens
  program=$(mysql_program mysqld)
  listens=$(line_of "$node/port")
  node_command "$program" --no-defaults \
    --datadir="$node/data" --tmpdir="$node/tmp" \
    --port="$listens" --bind-address=127.0.0.1 \
    --socket="$node/socket" --pid-file="$node/mysqld.pid" --skip-name-resolve \
    --innodb-flush-log-at-trx-commit=2 --innodb-flush-method=nosync \
    --innodb-buffer-pool-size=128M --max-connections=200 \
    --innodb-lock-wait-timeout=5 --performance-schema=OFF \
    --secure-file-priv="$node/tmp" --mysqlx=OFF --skip-log-bin "${@/#/--}"
}

mysql_make_login() { # mysql_make_login NODE
  local login="'$server_login'@'127.0.0.1'"
  mysql_sql "$1" "
    CREATE DATABASE $server_login;
    CREATE USER $login IDENTIFIED BY '$server_password';
    GRANT ALL ON $server_login.* TO $login;
    GRANT SELECT ON performance_schema.* TO $login" >>"$1/log" 2>&1
}

# A node with its data and a login, and running.
mysql_new() { # mysql_new USER [NAME=VALUE...]
  local user=$1
  shift
  as_user "$user" test -x "$(mysql_program mysqld)" || {
    echo "user $user cannot run $(mysql_program mysqld)" >&2
    return 1
  }
  server_reachable "$user" && mariadb_new "$user" && node_take_port port &&
    mysql_install "$user" || return 1
  mysql_command "$@"
  node_start "$node" && mysql_make_login "$node"
}

start_mysql() { # start_mysql [NAME=VALUE...]
  mysql_new "$(mariadb_user)" "$@" && mariadb_uris '' "$node" >>"$server/uris"
}

# The members know each other by the ports of their group communication; the
# first one begins the group, but not when it is started again.
mysql_group_command() { # mysql_group_command MEMBERS BEGIN [NAME=VALUE...]
  local members=$1 begin=$2
  shift 2
  mysql_command performance-schema=ON log-bin=binlog gtid-mode=ON \
    enforce-gtid-consistency=ON "server-id=$((${node##*/} + 1))" \
    report-host=127.0.0.1 plugin-load-add=group_replication.so \
    group-replication-group-name=15057e55-0000-4000-8000-000000000000 \
    "group-replication-local-address=127.0.0.1:$(line_of "$node/port_group")" \
    "group-replication-group-seeds=$members" \
    group-replication-single-primary-mode=OFF \
    group-replication-recovery-get-public-key=ON \
    group-replication-member-expel-timeout=20 \
    "group-replication-bootstrap-group=$begin" "$@"
}

# The members have these in common before they are a group: the login, and the
# account by which one that has just joined reads what it missed.
mysql_make_member() { # mysql_make_member NODE
  mysql_sql "$1" "
    CREATE USER member@'127.0.0.1' IDENTIFIED BY '$server_password';
    GRANT REPLICATION SLAVE, GROUP_REPLICATION_STREAM, BACKUP_ADMIN
      ON *.* TO member@'127.0.0.1';
    CHANGE REPLICATION SOURCE TO SOURCE_USER = 'member',
      SOURCE_PASSWORD = '$server_password'
      FOR CHANNEL 'group_replication_recovery'" >>"$1/log" 2>&1 &&
    node_stop "$1" && rm "$1/data/auto.cnf" # the identity of a member
}

start_mysql_group() { # start_mysql_group [NAME=VALUE...]
  local user i members=
  user=$(mariadb_user)
  mysql_new "$user" && mysql_make_member "$node" || return 1
  for i in 0 1 2; do
    if [ "$i" != 0 ]; then
      mariadb_new "$user" && node_take_port port &&
        as_user "$user" cp -a "$server/0/data" "$node/data" || return 1
    fi
    node=$server/$i
    node_take_port port_group || return 1
    members+=,127.0.0.1:$port
  done
  members=${members#,}
  for i in 0 1 2; do
    node=$server/$i
    mysql_group_command "$members" "$([ "$i" = 0 ] && echo ON || echo OFF)" "$@"
    node_start "$node" || return 1
    mariadb_uris "$([ "$i" = 0 ] || echo "_$i")" "$node" >>"$server/uris"
  done
  node=$server/0
  mysql_group_command "$members" OFF "$@"
}
