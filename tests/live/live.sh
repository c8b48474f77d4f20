# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Tests against real servers: tests/tap.sh and servers/servers.sh together.
# Whatever a test has started is stopped when it ends, however it ends.
. "$TOP_SRCDIR/tests/tap.sh"
. "$TOP_SRCDIR/servers/servers.sh"
trap 'server_stop_started; rm -rf "$work"' EXIT

# Ends the test with a skip if programs of one of these servers are missing.
live_needs() { # live_needs KIND...
  local kind missing
  for kind in "$@"; do
    if missing=$(server_missing "$kind"); then
      echo "1..0 # SKIP $kind: $missing"
      exit 0
    fi
  done
}

# Starts a server for the test, which fails as a whole without it.
live_start() { # live_start KIND [NAME=VALUE...]
  server_start "$@" || {
    echo "Bail out! $1 did not start"
    exit 1
  }
}

# Runs a program of this directory that says itself what it tests; without it,
# skips.  Variables in front of the call tell it where the servers are.
live_program() { # live_program NAME PACKAGE
  if [ -x "$TOP_BUILDDIR/tests/live/$1" ]; then
    "$TOP_BUILDDIR/tests/live/$1"
  else
    echo "1..0 # SKIP $1 was not built: apt-get install $2"
  fi
}
