# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Throw-away database servers: each in a directory of its own, on free ports of
# the loopback interface, as an unprivileged user; stopped by pid, leaving no
# process and no file.  What is particular to a database is in the file of its
# name next to this one.  To be sourced by bash:
#
#   server_start postgresql fsync=on     # sets the variables below
#   isostress run "${server_uri[0]}"
#   node_crash "$server/0"               # SIGKILL for all its processes
#   node_start "$server/0"               # again, same data, same port
#   server_stop "$server"
#
# Whoever sources this calls server_stop_started when leaving (trap ... EXIT).
# Functions return 0, or 1 with a sentence on stderr.
#
# A command holds one command substitution at most (tests/rules/shell.sh), and,
# where a start waits, none is $(<FILE): when a signal comes during the first
# one, bash 5.2 runs its trap while it parses the second one, which ends the
# shell with status 1.
#
# A server is the directory $server; its nodes are the directories 0, 1... in
# it, each with the files
#   pid      process number and its start time, in ticks since boot; empty
#            while the process is being made
#   command  the words of the command, each ended by a zero byte
#   user     who runs it
#   port*    the ports it listens on
#   log      what it said
# and the directory data.  Files of the server as a whole: kind, uris (lines
# NAME=VALUE).

server=         # directory of the server that was started last
server_uri=()   # for clients: one URI per node, the primary first
server_admin=() # for tests: the same as superuser, where that makes a difference
server_started=()

# Where servers are kept: shared by all shells of one user.
server_root=${ISOSTRESS_SERVERS:-${TMPDIR:-/tmp}/isostress-servers-$(id -u)}
# Name and database of the user that servers are made for, and the password.
# shellcheck disable=SC2034  # used by the files of the databases
server_login=isostress server_password=throwaway
server_library=${BASH_SOURCE[0]%/*}
server_library=$(cd "$server_library" && pwd)

# KIND FAMILY NODES CLIENTS, one per line; clients of a run speak to the first node
# or to all.  KIND@VERSION is one of these with programs
# that are not the machine's: scripts/fetch_server.sh gets them.
server_kinds='postgresql postgresql 1 first
postgresql-standby postgresql 2 first
postgresql-sync postgresql 3 first
mariadb mariadb 1 first
galera mariadb 3 all
mysql mysql 1 first
mysql-group mysql 3 all
redis redis 1 first
redis-replica redis 2 first
valkey redis 1 first
etcd etcd 1 first
etcd-3 etcd 3 all
etcd-5 etcd 5 all'

# Prints the first line of a file.
line_of() { # line_of FILE
  local line
  read -r line <"$1"
  echo "$line"
}

# ---- Processes

# Runs a command as USER if we are root, else as we are.
as_user() { # as_user USER COMMAND...
  local user=$1
  shift
  if [ "$(id -u)" = 0 ]; then
    (cd / && exec setpriv --reuid="$user" --regid="$user" --init-groups -- "$@")
  else
    "$@"
  fi
}

# The fields of /proc/PID/stat from the third on: state, parent, group,
# session..., threads as number 17, start time as number 19; false if there is
# no such process.  A zombie is none, unless some of its threads are still
# dying: until they are gone, they hold its files and ports.
process_fields=()
read_process() { # read_process PID
  local line
  { read -r line <"/proc/$1/stat"; } 2>/dev/null || return 1
  read -ra process_fields <<<"${line##*) }"
  [ "${process_fields[0]}" != Z ] || [ "${process_fields[17]}" -gt 1 ]
}

# Is the process that a node's file `pid` names alive?  Start times tell it
# from a later one with the same number.
node_alive() { # node_alive NODE
  local pid start
  { read -r pid start <"$1/pid"; } 2>/dev/null && read_process "$pid" &&
    [ "${process_fields[19]}" = "$start" ]
}

node_pid() { # node_pid NODE
  local pid start
  { read -r pid start <"$1/pid"; } 2>/dev/null && echo "$pid"
}

# All processes of a node, one per line: those in the session of its main
# process, and, for servers whose processes make sessions of their own, those
# that run the same program in the node's directory.
node_processes() { # node_processes NODE
  local main start command stat pid
  { read -r main start <"$1/pid"; } 2>/dev/null || return 0
  mapfile -d '' -t command <"$1/command"
  if read_process "$main" && [ "${process_fields[19]}" != "$start" ]; then
    main=none # the number was given to somebody else since
  fi
  for stat in /proc/[0-9]*/stat; do
    pid=${stat#/proc/} pid=${pid%/stat}
    read_process "$pid" || continue
    if [ "${process_fields[3]}" = "$main" ] ||
      { [ "/proc/$pid/exe" -ef "${command[0]}" ] &&
        { [ "/proc/$pid/cwd" -ef "$1" ] || [ "/proc/$pid/cwd" -ef "$1/data" ]; }; }
    then
      echo "$pid"
    fi
  done
}

node_signal() { # node_signal NODE SIGNAL: to all its processes
  local pids
  mapfile -t pids < <(node_processes "$1")
  [ ${#pids[@]} = 0 ] || kill "-$2" "${pids[@]}" 2>/dev/null || true
}

wait_for() { # wait_for SECONDS COMMAND...: until it succeeds
  local end=$((SECONDS + $1))
  shift
  while ! "$@" >/dev/null 2>&1; do
    ((SECONDS <= end)) || return 1
    sleep 0.05
  done
}

node_is_made() { # node_is_made NODE: its process, if it has one
  [ ! -e "$1/pid" ] || [ -s "$1/pid" ]
}

node_is_gone() { # node_is_gone NODE
  [ -z "$(node_processes "$1")" ]
}

# The process dies, its kernel's memory of what it wrote does not: like a crash
# of the server, not of the machine.
node_crash() { # node_crash NODE
  wait_for 10 node_is_made "$1"
  node_signal "$1" KILL
  wait_for 60 node_is_gone "$1" || {
    echo "processes of $1 survived SIGKILL" >&2
    return 1
  }
}

node_stop() { # node_stop NODE: as its database wishes to be stopped
  local pid family
  family=$(node_family "$1")
  wait_for 10 node_is_made "$1"
  if node_alive "$1" && pid=$(node_pid "$1"); then
    node_signal "$1" CONT
    kill "-$("${family}_stop_signal")" "$pid" 2>/dev/null
    local tries=400
    while node_alive "$1" && ((tries-- > 0)); do sleep 0.05; done
  fi
  node_crash "$1"
}

# ---- Nodes

node_family() { # node_family NODE
  server_family "$(line_of "${1%/*}/kind")"
}

node= # made last
# Makes the next node of $server.
node_new() { # node_new USER
  local i=0
  while [ -e "$server/$i" ]; do i=$((i + 1)); done
  node=$server/$i
  mkdir "$node" && chmod 700 "$node" && : >"$node/log" || return 1
  echo "$1" >"$node/user"
  [ "$(id -u)" != 0 ] || chown "$1:" "$node" "$node/log"
}

# Takes a free port below those that the kernel gives to clients and writes it
# to the node's file NAME.  The link keeps other servers of this user away from
# it; of anybody else the server will find out, and is then started anew.
port= # taken last
node_take_port() { # node_take_port NAME
  local tries=500
  while ((tries-- > 0)); do
    port=$((10000 + SRANDOM % 20000))
    ln -s "$server" "$server_root/.port.$port" 2>/dev/null || continue
    if ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
      echo "$port" >"$node/$1"
      return 0
    fi
    rm -f "$server_root/.port.$port"
  done
  echo "no free port found between 10000 and 29999" >&2
  return 1
}

node_command() { # node_command COMMAND...: what node_start will run
  printf '%s\0' "$@" >"$node/command"
}

# A session of its own: signals of a terminal do not reach it, and it survives
# the shell.
node_spawn() { # node_spawn NODE
  local command user
  user=$(line_of "$1/user")
  mapfile -d '' -t command <"$1/command"
  [ "$(id -u)" != 0 ] ||
    command=(setpriv "--reuid=$user" "--regid=$user" --init-groups --
      "${command[@]}")
  : >"$1/pid"
  # shellcheck disable=SC2016  # for the inner shell
  setsid bash -c '
    cd "$0" && read -r line <"/proc/$$/stat" || exit 1
    read -ra fields <<<"${line##*) }"
    echo "$$ ${fields[19]}" >"$0/pid"
    exec "$@"' "$1" "${command[@]}" </dev/null >>"$1/log" 2>&1 \
    3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- &
  disown
}

# Waits until a node that was spawned answers.
node_await() { # node_await NODE [SECONDS]
  local family end=$((SECONDS + ${2:-120}))
  family=$(node_family "$1")
  until "${family}_ready" "$1" >/dev/null 2>&1; do
    if [ -s "$1/pid" ] && ! node_alive "$1"; then
      echo "$(line_of "${1%/*}/kind"): the server ended while it started" >&2
      return 1
    fi
    if ((SECONDS > end)); then
      echo "$(line_of "${1%/*}/kind"): no answer after ${2:-120} s" >&2
      return 1
    fi
    sleep 0.05
  done
}

# Runs the node's command, for the first time or again, and waits until it
# answers.
node_start() { # node_start NODE [SECONDS]
  local family
  family=$(node_family "$1")
  "${family}_before_start" "$1"
  node_spawn "$1"
  node_await "$@"
}

# ---- Servers

server_family() { # server_family KIND[@VERSION]
  awk -v kind="${1%@*}" '$1 == kind { print $2 }' <<<"$server_kinds"
}

kind_nodes() { # kind_nodes KIND[@VERSION]
  awk -v kind="${1%@*}" '$1 == kind { print $3 }' <<<"$server_kinds"
}

kind_clients() { # kind_clients KIND[@VERSION]
  awk -v kind="${1%@*}" '$1 == kind { print $4 }' <<<"$server_kinds"
}

# Prints the path of a program of the version that was asked for, or else of the
# machine's own.
server_program() { # server_program NAME
  if [ -n "${ISOSTRESS_PROGRAMS:-}" ] && [ -e "$ISOSTRESS_PROGRAMS/$1" ]; then
    echo "$ISOSTRESS_PROGRAMS/$1"
  else
    PATH=$PATH:/usr/sbin:/sbin type -P "$1"
  fi
}

# Sets ISOSTRESS_PROGRAMS to the programs of KIND@VERSION, which it fetches if
# they are not there, or empties it for a KIND.
server_fetch() { # server_fetch KIND[@VERSION]
  ISOSTRESS_PROGRAMS=
  [[ $1 != *@* ]] ||
    ISOSTRESS_PROGRAMS=$(bash "$server_library/../scripts/fetch_server.sh" "$1")
}

# Says what has to be installed for a kind; false if nothing.
server_missing() { # server_missing KIND
  local family program package programs=() packages=
  family=$(server_family "$1")
  while read -r program package; do
    "${family}_program" "$program" >/dev/null && continue
    programs+=("$program")
    [[ " $packages " == *" $package "* ]] || packages+=" $package"
  done < <("${family}_needs" "$1")
  if [ ${#programs[@]} != 0 ]; then
    echo "${programs[*]} not installed: apt-get install$packages"
  elif declare -F "${family}_lacks" >/dev/null; then # what is in no package
    "${family}_lacks"
  else
    false
  fi
}

# Makes an empty server and sets $server.
server_new() { # server_new KIND
  local tries=3 name
  until
    printf -v name '%s.%08x' "$1" "$SRANDOM"
    server=$server_root/$name
    [ ! -e "$server" ]
  do :; done
  # It is noted before it is made, so that no signal comes in between.
  server_started+=("$server")
  until (umask 066 && mkdir -p "$server_root" && mkdir -m 700 "$server") 2>/dev/null; do
    ((tries-- > 0)) && continue # somebody removed an empty server_root
    echo "no server can be kept in $server_root: set ISOSTRESS_SERVERS or" \
      "TMPDIR to a directory in which you may write" >&2
    return 1
  done
  if [ ! -O "$server_root" ]; then
    echo "$server_root belongs to somebody else" >&2
    return 1
  fi
  # Servers that find the disk full while they start do not always say so.
  if ! head -c 1000000 /dev/zero >"$server/kind" 2>/dev/null; then
    echo "no server can be kept in $server_root: there is no room left; set" \
      "ISOSTRESS_SERVERS or TMPDIR to another directory" >&2
    return 1
  fi
  chmod 711 "$server" && pwd -P >"$server/started_in" &&
    echo "$ISOSTRESS_PROGRAMS" >"$server/programs" && echo "$1" >"$server/kind"
}

# Is the directory of servers within reach of the user who will run them?
server_reachable() { # server_reachable USER
  as_user "$1" test -x "$server" || {
    echo "user $1 cannot enter $server_root; set TMPDIR to a directory that" \
      "everybody may enter" >&2
    return 1
  }
}

# Reads what is known of a server into the variables of this file.
server_use() { # server_use DIRECTORY
  local line
  server=$1 server_uri=() server_admin=()
  while read -r line; do
    case $line in
      uri*=*) server_uri+=("${line#*=}") ;;
      admin*=*) server_admin+=("${line#*=}") ;;
    esac
  done <"$server/uris"
  ISOSTRESS_PROGRAMS=$(line_of "$server/programs")
}

server_port_was_taken() {
  grep -qiE 'address already in use|could not bind|bind on tcp/ip port' \
    "$server"/*/log 2>/dev/null
}

server_show_logs() {
  local log
  for log in "$server"/*/log; do
    [ -s "$log" ] && sed "s|^|  |" <(tail -n 8 "$log") >&2
  done
}

# Starts a server; the settings are the server's own, by their own names.
server_start() { # server_start KIND [NAME=VALUE...]
  local kind=$1 start=${1%@*} family missing tries=5
  shift
  family=$(server_family "$kind")
  if [ -z "$family" ]; then
    echo "there is no kind of server \"$kind\"; there are" \
      "$(awk '{ printf "%s%s", sep, $1; sep = ", " }' <<<"$server_kinds"), and newer" \
      "versions: \`isostress server\` names them" >&2
    return 1
  fi
  server_fetch "$kind" || return 1
  if missing=$(server_missing "$kind"); then
    echo "$kind: $missing" >&2
    return 1
  fi
  local -x ISOSTRESS_SERVER # names the server in the environment of all that is started for it
  while ((tries-- > 0)); do
    server_new "$kind" || return 1
    ISOSTRESS_SERVER=$server
    if "start_${start//-/_}" "$@"; then
      server_use "$server"
      return 0
    fi
    if ! server_port_was_taken || ((tries == 0)); then
      server_show_logs
      server_stop "$server"
      return 1
    fi
    server_stop "$server"
  done
}

# Ends what was started for a server and is no node: the programs that make a
# database outlive a start that was killed, and would go on to fill its
# directory.  False while some are left.
server_has_no_strays() { # server_has_no_strays DIRECTORY
  local environment pids=()
  for environment in /proc/[0-9]*/environ; do
    ! grep -qzxF "ISOSTRESS_SERVER=$1" "$environment" 2>/dev/null ||
      pids+=("${environment//[^0-9]/}")
  done
  [ ${#pids[@]} = 0 ] && return 0
  kill -KILL "${pids[@]}" 2>/dev/null
  return 1
}

# Another one may be removing it, too, or be about to find out that it is gone.
server_removed() { # server_removed DIRECTORY
  rm -rf "$1"
  [ ! -e "$1" ]
}

# Stops a server and removes everything that it left.
server_stop() { # server_stop DIRECTORY
  local node status=0 i
  case $1 in "$server_root"/?*) ;; *) return 1 ;; esac
  for i in 9 8 7 6 5 4 3 2 1 0; do
    node=$1/$i
    [ ! -e "$node" ] || node_stop "$node" || status=1
  done
  [ "$status" = 0 ] && wait_for 20 server_has_no_strays "$1" || return 1
  find "$server_root" -maxdepth 1 -lname "$1" -delete 2>/dev/null
  wait_for 10 server_removed "$1" || return 1
  rmdir "$server_root" 2>/dev/null
  return 0
}

# Stops what this shell has started; for traps.
server_stop_started() {
  local one status=0
  for one in "${server_started[@]}"; do
    [ ! -e "$one" ] || server_stop "$one" || status=1
  done
  server_started=()
  return "$status"
}

# "up", "down", or "partly up".
server_state() { # server_state DIRECTORY
  local node up=0 all=0
  for node in "$1"/[0-9]; do
    [ -e "$node" ] || continue
    all=$((all + 1))
    ! node_alive "$node" || up=$((up + 1))
  done
  case $up in
    0) echo down ;;
    "$all") echo up ;;
    *) echo "partly up" ;;
  esac
}

for server_file in postgresql mariadb mysql redis etcd; do
  # shellcheck source=/dev/null
  . "$server_library/$server_file.sh"
done
unset server_file
