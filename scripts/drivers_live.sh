#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Fetches the engines of examples/drivers (npm ci; Debian's H2, HSQLDB and Firebird are expected), and
# prints what driver-test and scorecard of the isostress of PATH say of each.
# What their drivers find at once is printed last: ten seeds each.  With PAGES,
# a directory, the page of each scorecard is put there as NAME.html, and that
# of a violation as NAME-found.html.
#   PAGES=DIRECTORY drivers_live.sh [NAME...]
set -eu
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
pages=${PAGES:-}
[ -z "$pages" ] || pages=$(mkdir -p "$pages" && realpath "$pages")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$source"/examples/drivers/* "$work"
cd "$work"
npm ci --no-audit --no-fund >&2

# NAME | COMMAND | TARGET
engines() {
  cat <<'END'
duckdb|node duckdb.mjs|duckdb:
grafeo|node grafeo.cjs|grafeo:
surrealdb-memory|node surrealdb.mjs|surrealdb:mem://
surrealdb-rocksdb|node surrealdb.mjs|surrealdb:rocksdb://WORK/rocksdb
surrealdb-surrealkv|node surrealdb.mjs|surrealdb:surrealkv://WORK/surrealkv
turso|node turso.mjs|turso:WORK/turso.db
pglite|node pglite.mjs|pglite:
h2|java -cp /usr/share/java/h2.jar Jdbc.java h2|h2:jdbc:h2:mem:t;DB_CLOSE_DELAY=-1
hsqldb|java -cp /usr/share/java/hsqldb.jar Jdbc.java hsqldb|hsqldb:jdbc:hsqldb:mem:t;hsqldb.tx=mvcc
firebird|perl firebird.pl|firebird:WORK/firebird.fdb
sqlite|python3 sqlite.py|sqlite3:WORK/sqlite.db
END
}

# NAME | COMMAND | TARGET | OPTIONS: what is found within seconds.
finds() {
  cat <<'END'
duckdb|node duckdb.mjs|duckdb:|-w predicate --shares=delete:1,point:1,swap:1,move:1 -k 24 -c 4 -T 20s
grafeo|node grafeo.cjs|grafeo:|-i serializable -T 20s
surrealdb-surrealkv|node surrealdb.mjs|surrealdb:surrealkv://WORK/find|-T 60s
END
}

wanted() { # wanted NAME NAMES...: is it one of them, or are there none?
  local name=$1
  shift
  [ $# = 0 ] || [[ " $* " = *" $name "* ]]
}

# A page that stands alone, without the directory of its run.
keep_page() { # keep_page FILE NAME
  [ -z "$pages" ] || [ ! -s "$1" ] ||
    sed "s|<a href=\"../index.html\">All results</a>||; s|$work|DIRECTORY|g" "$1" >"$pages/$2.html"
}

load() { cut -d ' ' -f 1 /proc/loadavg; }

cat <<END
What driver-test and scorecard say of the engines of examples/drivers.

Command:  make drivers-live
Machine:  $(nproc) cores, $(awk '/^MemTotal/ { printf "%.0f", $2 / 1048576 }' /proc/meminfo) GiB, node $(node --version), a load of $(load) before it began
DIRECTORY stands for a temporary one.  A busy machine has fewer transactions a second,
and sees less often what needs a race.

END

while IFS='|' read -r name command target <&3; do
  wanted "$name" "$@" || continue
  target=${target/WORK/$work}
  printf '== %s: %s\n\n' "$name" "$command"
  # An engine takes long to start beside other work.
  timeout 300 isostress driver-test --driver-timeout=120s --driver="$command" "$target" >"$work/said" 2>"$work/trouble" || true
  grep '^LOOK\|^FAIL' "$work/said" || true
  tail -n 1 "$work/said" | grep . || tail -n 1 "$work/trouble"
  echo
  timeout 900 isostress scorecard --driver-timeout=120s --driver="$command" "$target" -o "$work/results" \
    >"$work/said" 2>"$work/trouble" || true
  grep -v '^page ' "$work/said" | sed "s|$work|DIRECTORY|"
  [ -s "$work/said" ] || tail -n 1 "$work/trouble"
  keep_page "$(sed -n 's/^page  *//p' "$work/said")" "$name"
  echo
done 3< <(engines)

while IFS='|' read -r name command target options <&3; do
  wanted "$name" "$@" || continue
  printf '== %s: isostress run --stop-on-violation %s, seeds 1 to 10\n\n' "$name" "$options"
  for seed in 1 2 3 4 5 6 7 8 9 10; do
    rm -rf "$work/find"
    begin=$(date +%s%N)
    # shellcheck disable=SC2086
    timeout 200 isostress run --stop-on-violation --seed "$seed" --driver="$command" "${target/WORK/$work}" \
      $options -o "$work/results" >"$work/said" 2>&1 || true
    verdict=$(grep -E -m 1 '^(PASS|VIOLATION|UNDECIDED)' "$work/said") || verdict="no verdict"
    printf '%2d  %5.1f s  %s\n' "$seed" "$(($(date +%s%N) - begin))e-9" "$verdict"
    case $verdict in VIOLATION*) keep_page "$work/results/latest/report.html" "$name-found" ;; esac
  done
  echo
done 3< <(finds)
echo "The load at the end: $(load)"
