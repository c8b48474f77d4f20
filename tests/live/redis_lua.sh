#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress run on a real Redis by scripts in Lua, and commands that fail inside
# of scripts and of EXEC.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs redis
live_needs_driver redis libhiredis-dev
plan 20

live_start redis appendonly=yes appendfsync=no
uri=${server_uri[0]/redis:/redis+lua:}

keeps "$uri" script "scripts keep SSER (mt)"
keeps "$uri" script "scripts keep SSER (append)" -w append
keeps "$uri" script "scripts keep SSER (general)" -w general -k 5000
keeps "$uri" sser "compare-and-set is linearizable (cas)" -w cas
survives_crash "$server/0" "$uri" script sser --resolve-unknown

# ---- Commands that fail half-way

# Somebody makes a list a string in mid-run: what else a transaction wrote stays.
# EXEC says which commands failed; a script has neither committed as it was meant
# nor aborted.
spoil() { # spoil TARGET OPTION...
  local before
  stress_start "$@" -w append --ops 4 --read-ratio 0.02 -k 8 \
    --max-length 100000 -T 0 --max-tries 3
  stress_past 100
  redis_ask "$server/0" set isostress:3 spoiled >"$work/said"
  before=$(progress)
  stress_past $((before + 300))
  kill -TERM "$stressing"
  stress_wait
}
spoil "${server_uri[0]}" -i watch
kept_when_stopped "EXEC executes all commands but those that fail"
like "$out" 'other \(WRONGTYPE\): [1-3] of [2-4] commands failed inside EXEC, and the others took effect: WRONGTYPE ' \
  "the sentence says what failed inside EXEC"
like "$out" '^attempts .* \+ 0 unknown$' "no transaction of unknown outcome is left"
accounted "transactions that took effect in part are accounted for"
spoil "$uri" -i script
like "$out" 'other \(WRONGTYPE\): [1-3] writes of the script took effect before it failed: WRONGTYPE ' \
  "a script ends at the command that fails, which is said"
