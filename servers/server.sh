#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Starts and stops throw-away database servers from the command line; they
# survive it.  `isostress server` runs it, and alone says how.  Exit status: 0, 254 for wrong usage,
# 255 for trouble.
set -u
watcher= # of `serve`, while a server starts
. "$(dirname "${BASH_SOURCE[0]}")/servers.sh"

usage() {
  cat <<TEXT
usage: isostress server start KIND [NAME=VALUE...]
       isostress server stop NAME|KIND|all
       isostress server list
       isostress server crash|start|stop|pause|resume|detach|promote NAME NODE
       isostress server faults NAME 'SECONDS ACTION NODE; ...'

start takes settings by the server's own names, and prints lines NAME=VALUE: the
server's name, its directory, and uri for the first node, uri_1, uri_2 for the
others.  Nodes are counted from 0.  stop KIND and stop all mean the servers that
were started in this directory.  Faults are actions on nodes, each after so
many seconds more.

kinds: $(awk '{ printf "%s%s", sep, $1; sep = " " }' <<<"$server_kinds")
newer versions, which are fetched from Debian when they are started:
$(bash "$server_library/../scripts/fetch_server.sh" list | sed 's/^/  /')
TEXT
}

wrong_usage() { # wrong_usage SENTENCE
  echo "isostress server: $1" >&2
  usage >&2
  exit 254
}

no_such_server() { # no_such_server NAME
  echo "there is no server \"$1\"; \`isostress server list\` shows those there are" >&2
}

start() {
  local word
  for word in "${@:2}"; do
    case $word in
      [!=]*=*) ;;
      *) wrong_usage "\"$word\" is no setting of a server: write NAME=VALUE" ;;
    esac
  done
  # shellcheck disable=SC2086  # the watcher of `serve`, or nothing
  trap 'server_stop_started; kill $watcher 2>/dev/null' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  server_start "$@" || exit 255
  # It is there, and whoever started it is told so, whatever signal comes.
  trap '' INT TERM HUP
  server_started=()
  echo "server=${server##*/}"
  echo "directory=$server"
  # So that a shell can evaluate the lines: this URI has an ampersand.
  sed "s/^\(admin[^=]*\)=\(.*\)/\1='\2'/" "$server/uris"
}

servers() { # the directories of all servers
  local one
  for one in "$server_root"/*/kind; do
    [ ! -e "$one" ] || echo "${one%/kind}"
  done
}

# Was the server started here?  Others are somebody else's, of another terminal
# or of a test.
started_here() { # started_here SERVER
  local here
  here=$(pwd -P)
  [ "$here" = "$(line_of "$1/started_in" 2>/dev/null)" ]
}

stop() { # stop NAME|KIND|all
  local one found=0 others=0 status=0
  while read -r one; do
    case $1 in
      "${one##*/}") ;;
      all | "$(line_of "$one/kind")")
        if ! started_here "$one"; then
          others=$((others + 1))
          continue
        fi
        ;;
      *) continue ;;
    esac
    found=1
    server_stop "$one" || status=255
  done < <(servers)
  if [ "$others" -gt 0 ]; then
    echo "left alone: $others, which were started in other directories;" \
      "\`isostress server list\` names them, \`isostress server stop NAME\` stops one" >&2
  elif [ "$found" = 0 ] && [ "$1" != all ]; then
    no_such_server "$1"
    status=255
  fi
  return "$status"
}

list() {
  local one uri
  while read -r one; do
    uri=
    [ ! -s "$one/uris" ] || read -r uri <"$one/uris"
    printf '%-26s %-10s %s\n' "${one##*/}" "$(server_state "$one")" "${uri#uri=}"
  done < <(servers)
}

# Actions that not every database can do.
act_as_database() { # act_as_database ACTION NODE
  local family
  family=$(node_family "$2")
  if ! declare -F "${family}_$1" >/dev/null; then
    echo "a node of $family cannot be told to $1" >&2
    return 255
  fi
  "${family}_$1" "$2"
}

# ACTION of a node of the server in $server.
act() { # act ACTION NODE
  local node=$server/$2
  if [ ! -e "$node/pid" ]; then
    echo "${server##*/} has no node $2: nodes are counted from 0" >&2
    return 255
  fi
  case $1 in
    crash | kill) node_crash "$node" ;;
    start) node_start "$node" ;;
    stop) node_stop "$node" ;;
    pause) node_signal "$node" STOP ;;
    resume) node_signal "$node" CONT ;;
    detach | promote) act_as_database "$1" "$node" ;;
    *)
      echo "there is no action \"$1\"; there are crash, start, stop, pause," \
        "resume, detach and promote" >&2
      return 255
      ;;
  esac
}

use() { # use NAME
  if [ ! -e "$server_root/$1/kind" ]; then
    no_such_server "$1"
    return 255
  fi
  server_use "$server_root/$1"
}

faults() { # faults 'SECONDS ACTION NODE; ...'
  local seconds action node
  while read -r seconds action node; do
    [ -n "$seconds" ] || continue
    sleep "$seconds" && act "$action" "$node" || return
  done < <(tr ';' '\n' <<<"$1")
}

# ---- For isostress itself, which faults a server while a run goes on

# The actions that nodes of a kind can be told.
kind_actions() { # kind_actions KIND
  local family action
  family=$(server_family "$1")
  printf 'kill start stop pause resume'
  for action in detach promote; do
    ! declare -F "${family}_$action" >/dev/null || printf ' %s' "$action"
  done
  echo
}

# Prints what a run has to know of a server before it starts one: how many nodes
# there are, what they can be told, and whether clients may speak to all of them;
# false if there is neither such a server nor such a kind.
describe() { # describe KIND|NAME
  local kind=$1
  [ ! -e "$server_root/$1/kind" ] || kind=$(line_of "$server_root/$1/kind")
  [ -n "$(server_family "$kind")" ] || return 255
  echo "nodes=$(kind_nodes "$kind")"
  echo "actions=$(kind_actions "$kind")"
  echo "clients=$(kind_clients "$kind")"
}

# The number of the first node that calls itself the primary.
primary() {
  local kind family node
  kind=$(line_of "$server/kind")
  family=$(server_family "$kind")
  for node in "$server"/[0-9]*; do
    if node_alive "$node" && "${family}_is_primary" "$node" >/dev/null 2>&1; then
      echo "${node##*/}"
      return 0
    fi
  done
  echo "no node of ${server##*/} says that it is the primary" >&2
  return 255
}

# Waits until NODE answers, unless nobody started it.
settle() { # settle NODE
  [ ! -e "$server/$1/pid" ] || node_await "$server/$1" "${2:-60}"
}

order() { # order ID ACTION NODE: prints "ID ok WORDS" or "ID no WORDS"
  local words answer=ok
  case $2 in
    primary) words=$(primary 2>&1) || answer=no ;;
    settle) words=$(settle "$3" 2>&1) || answer=no ;;
    *) words=$(act "$2" "$3" 2>&1 >/dev/null) || answer=no ;;
  esac
  echo "$1 $answer ${words//$'\n'/; }"
}

# Takes back the faults of a server that was there before the run.
heal() { # heal NODE...: those that were up before
  local node
  for node; do
    node_signal "$node" CONT
    node_alive "$node" || node_start "$node" 60
  done
}

# Nothing outlives whoever asked for the server: it is killed, not stopped.
serve_end() { # serve_end NODE...: those to heal of a server that was there before
  trap '' INT TERM HUP
  # shellcheck disable=SC2046  # one word for each job
  kill $(jobs -p) 2>/dev/null
  exec >/dev/null 2>&1 # whoever asked may be gone
  if [ "$1" != own ]; then
    heal "$@"
    return
  fi
  for node in "$server"/[0-9]*; do
    node_signal "$node" KILL
  done
  server_stop "$server"
}

# Starts a server of a kind, or takes one that is there; prints the lines of
# `start` and "ready"; carries out lines "ID ACTION NODE" until its input ends,
# and then leaves nothing of a server that it started.
serve() { # serve KIND|NAME [NAME=VALUE...]
  local id action node up=()
  exec 3<&0
  if [ -e "$server_root/$1/kind" ]; then
    if [ $# != 1 ]; then
      echo "$1 is there already: settings are for a kind that is started" >&2
      return 255
    fi
    use "$1"
    for node in "$server"/[0-9]*; do
      ! node_alive "$node" || up+=("$node")
    done
    echo "server=$1"
    cat "$server/uris"
  else
    # Nobody gives orders before "ready": input that ends says that nobody waits.
    { read -r _ <&3 || kill -TERM "$$"; } >/dev/null 2>&1 &
    watcher=$!
    start "$@"
    kill "$watcher" 2>/dev/null
    wait "$watcher" 2>/dev/null
    watcher=
    up=(own)
  fi
  echo ready
  while read -r -u 3 id action node; do
    order "$id" "$action" "$node" 3<&- &
  done
  serve_end "${up[@]}"
}

case ${1-}:$# in
  faults:3) use "$2" && faults "$3" ;;
  describe:2) describe "$2" ;;
  serve:1) wrong_usage "say which server to serve" ;;
  serve:*) shift; serve "$@" ;;
  crash:3 | kill:3 | stop:3 | pause:3 | resume:3 | detach:3 | promote:3 | start:3)
    if [ "$1" = start ] && [ ! -e "$server_root/$2/kind" ]; then
      shift
      start "$@"
    else
      use "$2" && act "$1" "$3"
    fi
    ;;
  start:1) wrong_usage "say which kind of server to start" ;;
  start:*) shift; start "$@" ;;
  stop:1) wrong_usage "say which server to stop" ;;
  stop:2) stop "$2" ;;
  list:1) list ;;
  :0) wrong_usage "say what to do" ;;
  faults:* | crash:* | stop:* | pause:* | resume:* | detach:* | promote:*)
    wrong_usage "too few or too many words after \"$1\""
    ;;
  list:*) wrong_usage "list takes no further words" ;;
  *) wrong_usage "there is no \"$1\" to do with a server" ;;
esac
