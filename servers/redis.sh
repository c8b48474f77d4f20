# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Redis, alone or with a replica, and Valkey, which is spoken to in the same
# way.  Clients give a password.  Sourced by servers.sh.
# shellcheck disable=SC2154  # variables of servers.sh

redis_stop_signal() { echo TERM; }

redis_program() { # redis_program NAME: prints its path
  server_program "$1"
}

redis_needs() { # redis_needs KIND
  case $1 in
    valkey*) printf '%s\n' 'valkey-server valkey-server' 'valkey-cli valkey-tools' ;;
    *) printf '%s\n' 'redis-server redis-server' 'redis-cli redis-tools' ;;
  esac
}

# Which of the two the node is.
redis_make() { # redis_make NODE
  local kind
  kind=$(line_of "${1%/*}/kind")
  case $kind in
    valkey*) echo valkey ;;
    *) echo redis ;;
  esac
}

redis_user() {
  if [ "$(id -u)" = 0 ]; then echo redis; else id -un; fi
}

redis_before_start() { # redis_before_start NODE
  rm -f "$1/socket"
}

redis_ask() { # redis_ask NODE COMMAND...
  local port make
  port=$(line_of "$1/port")
  make=$(redis_make "$1")
  shift
  REDISCLI_AUTH=$server_password "$(redis_program "$make-cli")" -p "$port" "$@"
}

# INFO is answered while data is loaded, PING is not.  A replica is ready when it
# has all that its primary had.
redis_ready() { # redis_ready NODE
  [ "$(redis_ask "$1" ping)" = PONG ] &&
    redis_ask "$1" info replication | grep -qE '^(role:master|master_link_status:up)'
}

redis_is_primary() { # redis_is_primary NODE
  redis_ask "$1" info replication | grep -q '^role:master'
}

# The command of $node.  Nothing is kept on disk unless appendonly=yes.
redis_command() { # redis_command [NAME=VALUE...]
  local setting make program listens settings=()
  for setting in "$@"; do
    settings+=("--${setting%%=*}" "${setting#*=}")
  done
  make=$(redis_make "$node")
  program=$(redis_program "$make-server")
  listens=$(line_of "$node/port")
  node_command "$program" --port "$listens" \
    --bind 127.0.0.1 --dir "$node/data" --unixsocket "$node/socket" --save '' \
    --appendonly no --daemonize no --requirepass "$server_password" \
    --masterauth "$server_password" --repl-diskless-sync-delay 0 "${settings[@]}"
}

redis_start_node() { # redis_start_node SUFFIX [NAME=VALUE...]
  local user suffix=$1
  shift
  user=$(redis_user)
  server_reachable "$user" && node_new "$user" && node_take_port port &&
    as_user "$user" mkdir "$node/data" || return 1
  redis_command "$@"
  node_start "$node" || return 1
  echo "uri$suffix=redis://:$server_password@127.0.0.1:$port" >>"$server/uris"
}

start_redis() { # start_redis [NAME=VALUE...]
  redis_start_node '' "$@"
}

start_valkey() { # start_valkey [NAME=VALUE...]
  start_redis "$@"
}

start_redis_replica() { # start_redis_replica [NAME=VALUE...]
  redis_start_node '' "$@" &&
    redis_start_node _1 "$@" "replicaof=127.0.0.1 $(line_of "$server/0/port")"
}

# The replica loses its primary, keeps what it has and does not find back.
redis_detach() { # redis_detach NODE
  redis_ask "$1" config set masterauth '' >/dev/null &&
    redis_ask "$1" client kill type master >/dev/null
}

redis_promote() { # redis_promote NODE: a replica becomes a primary
  redis_ask "$1" replicaof no one >/dev/null
}
