#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The abort rates that are published in results/abort_rates: the installed sweeps
# on throw-away servers of PostgreSQL and MariaDB, one after the other, in about
# half an hour.  Of each its table, its CSV and pictures of what it is about are
# kept, under the names of job file and section.  Names as arguments: only those;
# `stable` takes three minutes.  Ten runs of a second tell more of a rate than
# three of three seconds: of three the interval is 4.3 standard errors to either
# side, of ten 2.3.  With `draw` before the names nothing runs: the pictures are
# drawn again from the CSV files in results/abort_rates.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
: "${ISOSTRESS_SERVERS:=${TMPDIR:-/tmp}/isostress-bench-servers-$(id -u)}"
. servers/servers.sh
work=$(mktemp -d "${TMPDIR:-/tmp}/isostress-bench.XXXXXX")
trap 'server_stop_started; rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
out=${OUT:-results/abort_rates}
figures=results/abort_rates
isostress=${TOP_BUILDDIR:-.}/isostress
export ISOSTRESS_FILES=$PWD TOP_SRCDIR=$PWD
mkdir -p "$out"
: "${TOP_BUILDDIR:=.}"
export TOP_BUILDDIR
drawing=
[ "${1-}" != draw ] || { drawing=yes && shift; }
wanted=" $* "
[ -x "$TOP_BUILDDIR/bench/panels" ] || { echo "first: make -C $TOP_BUILDDIR bench/panels" >&2 && exit 1; }

# Measures that have a picture, as bench/panels names them.
declare -A measures=([postgresql-abort-rates]=aborted [mysql-abort-rates]=aborted [end-to-end]="load check"
  [offered-rate]="throughput latency" [retries]=given-up [bugs-by-length]=found [levels]="aborted anomalies latency")

is_wanted() { # is_wanted NAME
  [[ $wanted == "  " || $wanted == *" $1 "* ]]
}

draw() { # draw NAME: pictures of each of its sections, from the CSV files
  local name=$1 csv section measure
  for csv in "$figures/$name"-*.csv; do
    section=$(basename "${csv#"$figures/$name"-}" .csv)
    for measure in ${measures[$name]-}; do
      "$TOP_BUILDDIR/bench/panels" "isostress sweep $name [$section]" "$csv" "$measure" >"$work/picture" &&
        cp "$work/picture" "$out/$name-$section-$measure.svg" || return 1
    done
  done
}

if [ "$drawing" ]; then
  status=0
  for name in "${!measures[@]}"; do
    ! is_wanted "$name" || draw "$name" || status=1
  done
  exit "$status"
fi

# sweep FILE WORD...: WORD... are the targets and options.  That a level is
# broken is a result, other failures are not.
sweep() {
  local name=${1%.ini} directory
  shift
  name=$(basename "$name")
  is_wanted "$name" || return 0
  echo "== $name, $(date +%H:%M:%S), load $(cut -d ' ' -f 1 /proc/loadavg)"
  "$isostress" sweep "${file:-$name}" "$@" -o "$work" >"$work/table" 2>"$work/err" ||
    [ $? = 1 ] || { tail -3 "$work/err"; return 1; }
  grep -v '^page ' "$work/table" | tee "$out/$name.txt"
  for directory in "$work/$name"-*/; do
    directory=${directory%/}
    cp "$directory/sweep.csv" "$out/${directory##*/}.csv"
    rm -rf "$directory/runs"
  done
  figures=$out draw "$name"
}

cat >"$work/stable.ini" <<'END'
; How sure ten seconds make an abort rate: ten runs of a second.
[stable]
workload = mt, general
isolation = read committed, repeatable read, serializable
clients = 8
keys = 1000
time = 1s
repetitions = 10
END

server_start postgresql autovacuum=off checkpoint_timeout=1h max_wal_size=4GB || exit 1
postgresql=${server_uri[0]}
sweep postgresql-abort-rates "$postgresql" -T 1s --repetitions=8
# General transactions wait for deadlocks to be found most of the time, which
# leaves few of them to be counted in a second; they are found sooner here.
stable() {
  local one status=0 targets=() servers=()
  for one in "postgresql autovacuum=off deadlock_timeout=10ms" mariadb; do
    # shellcheck disable=SC2086 # words
    server_start $one || return 1
    targets+=("${server_uri[0]}")
    servers+=("$server")
  done
  file=$work/stable.ini sweep stable "${targets[@]}" || status=1
  for one in "${servers[@]}"; do server_stop "$one"; done
  return "$status"
}
! is_wanted stable || stable
sweep end-to-end "$postgresql" --repetitions=3
sweep offered-rate "$postgresql" -T 4s --repetitions=3
sweep retries "$postgresql" -T 3s --repetitions=3
sweep bugs-by-length
if is_wanted pgbench; then
  echo "== pgbench"
  REPETITIONS=10 tests/live/pgbench.sh | tee "$out/pgbench.txt"
fi
server_start mariadb || exit 1
mariadb=${server_uri[0]}
sweep levels "$postgresql" "$mariadb" -T 4s --repetitions=3
sweep mysql-abort-rates "$mariadb" -T 1s --repetitions=6
