# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Throw-away servers for benchmarks; to be sourced.  Sets isostress, top and
# work, a directory; what was started is stopped at the end.
set -u
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
isostress=$(realpath "${TOP_BUILDDIR:-.}/isostress")
export ISOSTRESS_FILES=$top
# Apart from the servers of users, who may stop theirs at any time.
export ISOSTRESS_SERVERS=${ISOSTRESS_SERVERS:-${TMPDIR:-/tmp}/isostress-bench-servers-$(id -u)}
work=$(mktemp -d)
servers=()
trap 'leave' EXIT
trap 'exit 130' INT TERM

# A server holds the pipe to tee open while it runs, so that who waits for tee stops
# all servers first.
stop_servers() {
  local one
  for one in "${servers[@]}"; do "$isostress" server stop "$one"; done
  servers=()
}

leave() {
  stop_servers
  rm -rf "$work"
}

# shellcheck disable=SC2034  # its caller reads it
uri= # of the server that was started last, with all its hosts
start() { # start KIND
  local hosts
  "$isostress" server start "$1" >"$work/server" || exit 1
  servers+=("$(sed -n 's/^server=//p' "$work/server")")
  hosts=$(sed -nE 's|^uri[^=]*=[a-z+]+://([^@/]*@)?([^/]*).*|\2|p' "$work/server" | paste -sd ,)
  # shellcheck disable=SC2034
  uri=$(sed -nE "s#^uri=([a-z+]+://([^@/]*@)?)[^/]*#\1$hosts#p" "$work/server")
}

# Runs without a check; the history is runs/latest/history in the work directory.
# On a busy machine a session may wait too long for its connection, and then all is
# tried again.  False: there is no history.
record() { # record OPTION... URI
  local try
  for try in 1 2 3 4 5; do
    rm -rf "$work/runs"
    "$isostress" run -P 0 --check=none -o "$work/runs" "$@" >"$work/out" 2>&1 || true
    [ ! -e "$work/runs/latest/history" ] || return 0
    grep -q 'could not connect' "$work/out" || return 1
    sleep "$try"
  done
  return 1
}
