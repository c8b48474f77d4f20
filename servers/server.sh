#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Starts and stops throw-away database servers from the command line; they
# survive it.  `server.sh` alone says how.  Exit status: 0, 254 for wrong usage,
# 255 for trouble.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/servers.sh"

usage() {
  cat <<TEXT
usage: server.sh start KIND [NAME=VALUE...]   settings by the server's own names
       server.sh stop NAME|KIND|all
       server.sh list

start prints lines NAME=VALUE: the server's name, its directory, and uri for the
first node, uri_1, uri_2 for the others.

kinds: $(awk '{ printf "%s%s", sep, $1; sep = " " }' <<<"$server_kinds")
TEXT
}

start() {
  trap 'server_stop_started' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  server_start "$@" || exit 255
  server_started=()
  echo "server=${server##*/}"
  echo "directory=$server"
  cat "$server/uris"
}

servers() { # the directories of all servers
  local one
  for one in "$server_root"/*/kind; do
    [ ! -e "$one" ] || echo "${one%/kind}"
  done
}

stop() { # stop NAME|KIND|all
  local one found=0 status=0
  while read -r one; do
    case $1 in
      all | "${one##*/}" | "$(<"$one/kind")")
        found=1
        server_stop "$one" || status=255
        ;;
    esac
  done < <(servers)
  if [ "$found" = 0 ] && [ "$1" != all ]; then
    echo "there is no server \"$1\"; \`server.sh list\` shows those there are" >&2
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

case ${1-}:$# in
  start:[1-9]*) [ $# -ge 2 ] || { usage >&2; exit 254; }; shift; start "$@" ;;
  stop:2) stop "$2" ;;
  list:1) list ;;
  *) usage >&2; exit 254 ;;
esac
