#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The outcomes that isostress counts are those that the server counts: on a quiet
# server, exactly.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs postgresql mariadb
plan 6

outcomes() { # committed and aborted of the run before, closing reads included
  python3 -c 'import json, sys
run = json.load(open(sys.argv[1] + "/report.json"))["run"]
print(run["committed"], run["aborted"])' "$work/runs/latest"
}
load() { # load TARGET LEVEL
  run isostress run -v "$1" -i "$2" -t 500 -k 20 -c 8 --check none --seed 1 -o "$work/runs"
}

# Its workers make transactions as well.
live_start postgresql autovacuum=off
admin=${server_admin[0]}
counted() { # since the statistics were reset, without the sessions' own
  "$(postgresql_program psql)" -qAtX "${admin/isostress?/postgres?}" -F ' ' -c "SELECT
    xact_commit, xact_rollback FROM pg_stat_database WHERE datname = 'isostress'"
}
added() { # added BEFORE: since then
  awk -v before="$1" '{ split(before, b, " "); print $1 - b[1], $2 - b[2] }' <<<"$(counted)"
}
# A backend reports its last transactions when it ends, which may take a while:
# until there is none, and nothing more comes for two seconds.
nobody_is_there() {
  [ "$("$(postgresql_program psql)" -qAtX "${admin/isostress?/postgres?}" -c "SELECT
    count(*) FROM pg_stat_activity WHERE datname = 'isostress'")" = 0 ]
}
settled() { # settled BEFORE: prints what was added, once it stands still
  local now=0 then=1 same=0 tries=300
  [ -z "$admin" ] || wait_for 60 nobody_is_there
  while [ "$same" -lt 10 ] && ((tries-- > 0)); do
    then=$now
    sleep 0.2
    now=$(added "$1")
    if [ "$now" = "$then" ]; then same=$((same + 1)); else same=0; fi
  done
  echo "$now"
}
# Setting up, describing the server, connecting and asking for the level in effect
# are transactions as well: the commits and rollbacks that a run of one transaction
# in each of eight sessions adds besides its own.
overhead() { # overhead TARGET LEVEL
  local before
  before=$(counted)
  run isostress run -v "$1" -i "$2" -t 1 -k 20 -c 8 --check none --seed 1 -o "$work/runs"
  settled "$before" | awk -v own="$(outcomes)" '{ split(own, o, " "); print $1 - o[1], $2 - o[2] }'
}
same_as_counted() { # same_as_counted TARGET LEVEL NAME
  local extra before got
  extra=$(overhead "$1" "$2")
  before=$(counted)
  load "$1" "$2"
  is "$status" 0 "$3: the run"
  got=$(settled "$before")
  is "$(awk -v extra="$extra" '{ split(extra, e, " "); print $1 - e[1], $2 - e[2] }' <<<"$got")" "$(outcomes)" \
    "$3: the server has counted the same"
}
same_as_counted "${server_uri[0]}" "repeatable read" "PostgreSQL, repeatable read"
same_as_counted "${server_uri[0]}" serializable "PostgreSQL, serializable"

live_start mariadb
node=$server/0 admin=
counted() { # COMMITs and ROLLBACKs that were executed
  mariadb_sql "$node" "SHOW GLOBAL STATUS WHERE Variable_name IN ('Com_commit', 'Com_rollback')" |
    awk '{ n[$1] = $2 } END { print n["Com_commit"], n["Com_rollback"] }'
}
same_as_counted "${server_uri[0]}" serializable "MariaDB, serializable"
