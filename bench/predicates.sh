#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Anomalies by conditions: which level lets each through, step by step and under
# random load, beside what is known.
#
#   bench/predicates.sh [SEEDS [KIND...]]     # random loads at most, of each line [3]
#
# Kinds are postgresql, mariadb and mysql, any of them with @VERSION, and sqlite;
# without a word, Debian's own and mysql@9.
#
# A line is as expected if the step script was seen just where it is known to
# be, and if the load breaks no level where it is not.  A load may miss what is
# rare.
: "${TOP_SRCDIR:=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}"
: "${TOP_BUILDDIR:=$TOP_SRCDIR/build}"
export ISOSTRESS_FILES=$TOP_SRCDIR
. "$TOP_SRCDIR/servers/servers.sh"
seeds=${1:-3}
kinds=("${@:2}")
[ ${#kinds[@]} != 0 ] || kinds=(postgresql mariadb sqlite mysql@9)
work=$(mktemp -d)
trap 'server_stop_started; rm -rf "$work"' EXIT
isostress() { "$TOP_BUILDDIR/isostress" "$@"; }

# Each anomaly with its script, the shapes of the load, the level that the load
# is checked at, and an option of it.
anomalies='A changed-by-update same:1,insert:1 ra
B delete-skips-row swap:1,refill:1 ra
D locking-read-differs locking:1,insert:1,delete:1 ra
F phantom-write-skew guard:1,delete:1 ser
G update-skew swap:1 ser
H update-skips-row swap:1,refill:1 ra
I fractured-update refill:1 ra
J unseen-key ignore:1 ra --reuse-keys=on'

# Each column with its name, the isolation level, and the anomalies that are
# known to be let through.
columns='PostgreSQL:read committed:ABFGHI
PostgreSQL:repeatable read:FG
PostgreSQL:serializable:
MariaDB:read committed:AFG
MariaDB:repeatable read:ADFJ
MariaDB with snapshot isolation:repeatable read:F
MariaDB:serializable:
MySQL:read committed:AFG
MySQL:repeatable read:ADFJ
MySQL:serializable:
SQLite:serializable:'

# Columns begin with the name of their database, and its server is started once.
name_of() { # name_of KIND
  case ${1%@*} in
    postgresql) echo PostgreSQL ;;
    mariadb) echo MariaDB ;;
    mysql) echo MySQL ;;
    sqlite) echo SQLite ;;
  esac
}
target_of() { # target_of NAME
  case $1 in
    PostgreSQL | MySQL) echo "${server_uri[0]}?index=btree" ;;
    MariaDB) echo "${server_uri[0]}?index=btree&innodb_snapshot_isolation=off" ;;
    MariaDB*) echo "${server_uri[0]}?index=btree&innodb_snapshot_isolation=on" ;;
    SQLite) echo "sqlite:$work/rows.db?index=btree&busy=5s" ;;
  esac
}

by_script() { # by_script SCRIPT TARGET LEVEL
  isostress steps "$1" "$2" -i "$3" --blocked-after 200ms 2>&1 | sed -n 's/^anomaly  *//p; s/^isostress: //p'
}

# The anomaly that a load showed, or how much it did not show it in.
by_load() { # by_load SHARES CHECK TARGET LEVEL [OPTION]
  local seed out committed=0
  for ((seed = 1; seed <= seeds; seed++)); do
    out=$(isostress run -v -w predicate "$3" -i "$4" --check "$2" --shares "$1" ${5:+"$5"} -k 96 -t 150 --max-tries 5 \
      --timeout 60s --max 1 --seed "$seed" -o "$work/runs" 2>&1)
    case $out in
      *VIOLATION:*)
        sed -n 's/^VIOLATION: .* was broken by \(.*\)\.$/\1/p' <<<"$out"
        return
        ;;
      *PASS:*) ((committed += $(sed -n 's/^  \([0-9]*\) committed, .*/\1/p' <<<"$out"))) ;;
    esac
  done
  echo "nothing in $committed"
}

printf '%-38s%-18s%-23s%-10s%-25s%-7s%-45s%s\n' database level script known "step by step" check "random load" result
for kind in "${kinds[@]}"; do
  [ "$kind" = sqlite ] || server_start "$kind" || exit
  version=
  [[ $kind != *@* ]] || version=" ${kind#*@}"
  while IFS=: read -r name level known; do
    target=$(target_of "$name")
    while read -r letter script shares check option; do
      expected=no
      case $known in *"$letter"*) expected=seen ;; esac
      stepwise=$(by_script "$script" "$target" "$level")
      load=$(by_load "$shares" "$check" "$target" "$level" "$option")
      result="as expected"
      case $stepwise in
        seen) [ "$expected" = seen ] || result=DIFFERS ;;
        '') result="NOT PERFORMED" ;;
        *) [ "$expected" = no ] || result=DIFFERS ;;
      esac
      # READ COMMITTED, and MariaDB and MySQL without snapshots of its own, break read atomic
      # by whatever reads twice.
      case "$name $level $expected $load" in
        *" read committed "* | "MariaDB repeatable read "* | "MySQL repeatable read "*) ;;
        *" no nothing in "*) ;;
        *" no "*) result=DIFFERS ;;
      esac
      printf '%-38s%-18s%-23s%-10s%-25s%-7s%-45s%s\n' "$name$version" "$level" "$script" "$expected" "$stepwise" "$check" "$load" "$result"
    done <<<"$anomalies"
  done < <(grep "^$(name_of "$kind")[ :]" <<<"$columns")
  [ "$kind" = sqlite ] || server_stop "$server"
done
