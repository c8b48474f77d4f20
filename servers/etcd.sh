# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# etcd, alone or as a cluster of three; with the setting cert-file, clients are
# to come by TLS, and with client-cert-auth=true, with a certificate of their own.
# Sourced by servers.sh.
# shellcheck disable=SC2154  # variables of servers.sh

etcd_stop_signal() { echo TERM; }

etcd_program() { # etcd_program NAME: prints its path
  server_program "$1"
}

etcd_needs() {
  printf '%s\n' 'etcd etcd-server' 'etcdctl etcd-client'
}

etcd_user() {
  if [ "$(id -u)" = 0 ]; then echo etcd; else id -un; fi
}

etcd_before_start() { :; }

etcd_ready() { # etcd_ready NODE
  local client
  mapfile -t client <"$1/client"
  ETCDCTL_API=3 "$(etcd_program etcdctl)" --command-timeout=2s \
    --endpoints="${client[0]}" "${client[@]:1}" endpoint health
}

etcd_is_primary() { # etcd_is_primary NODE: is it the leader?
  local client
  mapfile -t client <"$1/client"
  ETCDCTL_API=3 "$(etcd_program etcdctl)" --command-timeout=2s -w fields \
    --endpoints="${client[0]}" "${client[@]:1}" endpoint status |
    awk -F ' : ' '$1 == "\"MemberID\"" { self = $2 } $1 == "\"Leader\"" { leader = $2 }
      END { exit self == "" || self != leader }'
}

# The command of $node, one of MEMBERS.  A killed server keeps what it wrote.
etcd_command() { # etcd_command MEMBERS [NAME=VALUE...]
  local client peer setting members=$1
  shift
  client=http://127.0.0.1:$(line_of "$node/port")
  peer=http://127.0.0.1:$(line_of "$node/port_peer")
  case " $*" in *" cert-file="*) client=${client/http/https} ;; esac
  echo "$client" >"$node/client"
  for setting in "$@"; do # the server's own certificate will do for looking
    case $setting in
      cert-file=*) printf '%s\n' --insecure-transport=false --insecure-skip-tls-verify \
        "--cert=${setting#*=}" ;;
      key-file=*) echo "--key=${setting#*=}" ;;
    esac
  done >>"$node/client"
  node_command "$(etcd_program etcd)" --name "node${node##*/}" \
    --data-dir "$node/data" --unsafe-no-fsync --listen-client-urls "$client" \
    --advertise-client-urls "$client" --listen-peer-urls "$peer" \
    --initial-advertise-peer-urls "$peer" --initial-cluster "$members" \
    --initial-cluster-state new --initial-cluster-token "${server##*/}" \
    --logger zap --log-level warn --log-outputs stderr "${@/#/--}"
}

# A member answers only when most of them are there: all are spawned before the
# first one is waited for.
etcd_start_members() { # etcd_start_members COUNT [NAME=VALUE...]
  local count=$1 user i suffix='' members=
  shift
  user=$(etcd_user)
  server_reachable "$user" || return 1
  for ((i = 0; i < count; i++)); do
    node_new "$user" && node_take_port port && node_take_port port_peer ||
      return 1
    members+=,node$i=http://127.0.0.1:$port
    port=$(line_of "$node/port")
    echo "uri$suffix=etcd://127.0.0.1:$port" >>"$server/uris"
    suffix=_$((i + 1))
  done
  for ((i = 0; i < count; i++)); do
    node=$server/$i
    etcd_command "${members#,}" "$@"
    node_spawn "$node"
  done
  for ((i = 0; i < count; i++)); do
    node_await "$server/$i" || return 1
  done
}

start_etcd() { # start_etcd [NAME=VALUE...]
  etcd_start_members 1 "$@"
}

start_etcd_3() { # start_etcd_3 [NAME=VALUE...]
  etcd_start_members 3 "$@"
}

start_etcd_5() { # start_etcd_5 [NAME=VALUE...]
  etcd_start_members 5 "$@"
}
