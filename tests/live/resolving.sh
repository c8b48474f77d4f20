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

# The level was kept, though so many lost answers may be more than a run that is
# a success has.
kept='^(0 PASS|2 ERRORS): .* was kept'
status_and_word() {
  echo "$status $(grep -E '^(PASS|ERRORS): ' <<<"$out")"
}

# Some seed will lose answers to commits, and leave a history that is decided: of
# rows with many outcomes that are unknown not every one is.
lose() { # lose NAME LINE TARGET LEVEL EVERY OPTION...: until the result has the line
  local name=$1 line=$2 target=$3 level=$4 every=$5 port seed
  shift 5
  for seed in {1..20}; do
    lossy_start "$(line_of "$server/0/port")" 300 "$every"
    run isostress run -v "${target/":$(line_of "$server/0/port")"/":$port"}" -i "$level" \
      --resolve-unknown -t 80 --seed "$seed" "$@" -o "$work/runs"
    [ "$status" != 1 ] || break
    ! { [[ $(status_and_word) =~ $kept ]] && grep -qE "$line" <<<"$out"; } || break
  done
  like "$(status_and_word)" "$kept" "$name: the level is kept"
  like "$out" "$line" "$name: answers to commits were lost"
  like "$out" 'connection lost \(' "$name: connections were lost"
  accounted "$name: every attempt is accounted for"
}

resolves() { # resolves NAME TARGET LEVEL EVERY OPTION...
  lose "$1" '^resolved +.*: [1-9][0-9]* committed' "${@:2}"
}

# Where nothing can tell what became of such a transaction.
stay_unknown() { # stay_unknown NAME TARGET LEVEL EVERY OPTION...
  lose "$1" '^attempts .* [1-9][0-9]* unknown$' "${@:2}"
  unlike "$out" '^resolved ' "$1: none is told"
}
