# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Runs of isostress --resolve-unknown behind tests/live/lossy, a proxy that loses
# answers; live.sh and more, to be sourced in its place.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"

lossy=
trap 'lossy_end; live_stop' EXIT
lossy_end() {
  [ -z "$lossy" ] || kill "$lossy" 2>/dev/null
  lossy=
}
lossy_start() { # lossy_start PORT FIRST EVERY: in front of that port; sets $port
  lossy_end
  : >"$work/lossy"
  "$TOP_BUILDDIR/tests/live/lossy" "$@" >"$work/lossy" </dev/null &
  lossy=$!
  wait_for 60 test -s "$work/lossy" || exit 1
  port=$(line_of "$work/lossy")
}

# What is lost is a matter of luck: some seed will lose answers to commits.
resolves() { # resolves NAME TARGET LEVEL EVERY OPTION...
  local name=$1 target=$2 level=$3 every=$4 port seed
  shift 4
  for seed in {1..20}; do
    lossy_start "$(line_of "$server/0/port")" 300 "$every"
    run isostress run -v "${target/":$(line_of "$server/0/port")"/":$port"}" -i "$level" \
      --resolve-unknown -t 200 --seed "$seed" "$@" -o "$work/runs"
    ! { [ "$status" = 0 ] &&
      grep -qE '^resolved +.*: [1-9][0-9]* committed' <<<"$out"; } || break
  done
  is "$status" 0 "$name: the level is kept"
  like "$out" '^resolved +.*: [1-9][0-9]* committed' "$name: some committed"
  like "$out" 'connection lost \(' "$name: connections were lost"
  accounted "$name: every attempt is accounted for"
}
