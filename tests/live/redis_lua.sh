#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress run on a real Redis by scripts in Lua.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs redis
live_needs_driver redis libhiredis-dev
plan 14

live_start redis appendonly=yes appendfsync=no
uri=${server_uri[0]/redis:/redis+lua:}

keeps "$uri" script "scripts keep SSER (mt)" -t 2600
keeps "$uri" script "scripts keep SSER (append)" -w append -t 2600
keeps "$uri" script "scripts keep SSER (general)" -w general -k 5000 -t 2600
keeps "$uri" sser "compare-and-set is linearizable (cas)" -w cas -t 2600
survives_crash "$server/0" "$uri" script sser --resolve-unknown
