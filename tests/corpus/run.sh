#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Races that projects repaired in 2025 and 2026, in words of our own, on PostgreSQL at
# READ COMMITTED: before the repair each is found and named, after it nothing is.  Three
# of them; all twelve with ISOSTRESS_LONG, and their table for results/corpus.md in the
# file that CORPUS_TABLE names.
. "$(dirname "${BASH_SOURCE[0]}")/../live/live.sh"
live_needs postgresql
live_needs_driver postgresql libpq-dev
corpus=$TOP_SRCDIR/tests/corpus
races=(signoz linkid lobu) most=5 length=(-t 150)
if [ -n "${ISOSTRESS_LONG:-}" ]; then
  live_needs postgresql-standby
  races=() most=2 length=(-T 8)
  for race in "$corpus"/*/; do
    races+=("$(basename "$race")")
  done
fi
pgbouncer=$(type -P pgbouncer || echo /usr/sbin/pgbouncer)
plan $((2 * ${#races[@]}))

# ---- Where a race happens

start_servers() { # start_servers: sets $primary and $both
  if [ -n "${ISOSTRESS_LONG:-}" ]; then
    live_start postgresql-standby
  else
    live_start postgresql
  fi
  primary=${server_uri[0]} both=$(all_hosts "${server_uri[@]}")
}

# A pooler that gives each transaction another session of the server.  What it
# keeps from one race must not meet the next one, so each has its own.
pooler=
stop_pooler() {
  [ -z "$pooler" ] || kill "$(<"$work/pooler/pid")" 2>/dev/null
  [ -z "$pooler" ] || wait "$pooler"
  pooler=
}
trap 'stop_pooler; live_stop' EXIT
start_pooler() { # sets $pooled
  local port user
  user=$(postgresql_user)
  chmod 711 "$work"
  rm -rf "$work/pooler"
  mkdir "$work/pooler" && chmod 777 "$work/pooler"
  listens() { (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; }
  for port in $(shuf -i 10000-29999 -n 20); do
    ! listens || continue
    cat >"$work/pooler/ini" <<END
[databases]
isostress = host=127.0.0.1 port=$(line_of "$server/0/port") dbname=isostress user=isostress password=throwaway
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = $port
unix_socket_dir =
pidfile = $work/pooler/pid
auth_type = any
pool_mode = transaction
END
    as_user "$user" "$pgbouncer" "$work/pooler/ini" >"$work/pooler/log" 2>&1 &
    pooler=$!
    wait_for 10 listens && kill -0 "$pooler" 2>/dev/null && break
    pooler=
  done
  pooled=postgresql://isostress:throwaway@127.0.0.1:$port/isostress
}

# ---- Runs

# Scripts of a form: before.sql or after.sql, and those that both have.
scripts_of() { # scripts_of RACE FORM
  local script list=()
  for script in "$corpus/$1"/*.sql; do
    case ${script##*/} in
      schema.sql | schema-after.sql | invariant.sql) ;;
      before.sql | after.sql) [ "${script##*/}" != "$2.sql" ] || list+=("$script") ;;
      *) list+=("$script") ;;
    esac
  done
  (IFS=, && echo "${list[*]}")
}

# Tells what a run found: anomalies by places, refusals by their code, and the
# invariant.
findings() {
  local json
  json=$(tr -d '\n' <"$(ls -td "$work"/runs/*/ | head -1)report.json")
  {
    sed -n '/^  scripts  /,/^  [a-z]/{s/^  scripts *//;/^  [a-z]/d;s/^ *//p}' <<<"$out" | tr '\n' ' '
    grep -oE '"code": *"[0-9A-Z]{5}",[^}]*"count": *[0-9]+' <<<"$json" | sort -u |
      sed -E 's/"code": *"([^"]*)".*"count": *([0-9]+)/; \1 \2 times/' | tr -d '\n'
    tr -s ' \n' ' ' <<<"$out" | grep -oE ' was -?[0-9]+, not 0,' | head -1 | sed 's/^/; the invariant/;s/,$//'
  } | sed -E 's/^(; )+//;s/  +/ /g;s/,? none from [A-Z ]+ on//;s/ ;/;/g'
}

perform() { # perform RACE FORM: sets $status, $out and $found
  local target=$primary options=("${length[@]}" --twins 0.5) schema=$corpus/$1/schema.sql
  [ "$2" = before ] || [ ! -e "$corpus/$1/schema-after.sql" ] || schema=$corpus/$1/schema-after.sql
  case $1:$2 in
    trigger.dev:*) target=$both options=("${length[@]}" --endpoints replica-reads) ;;
    # Whole scripts: a session that ends within one keeps the lock.
    authentik:after) options=(-t 200) ;;
    authentik:* | posthog:*)
      start_pooler
      target="$pooled?lock_timeout=200ms" options=(-t 40)
      ;;
  esac
  run isostress run "$target" -w "$(scripts_of "$1" "$2")" --schema "$schema" -i "read committed" -c 4 -P 0 \
    --op-delay 1ms "${options[@]}" --invariant "$(<"$corpus/$1/invariant.sql")" --equals 0 -o "$work/runs"
  stop_pooler
  found=$(findings)
}

start_servers
for race in "${races[@]}"; do
  expected=$(<"$corpus/$race/found")
  for ((try = 1; try <= most; try++)); do
    perform "$race" before
    ! grep -qE "$expected" <<<"$found" || break
  done
  before=$found
  like "$before" "$expected" "$race: before the repair, the race is found"
  perform "$race" after
  is "$status:$(grep -oE "$expected|the invariant was|.* lost update|.* skew" <<<"$found")" "0:" "$race: after it, nothing is"
  [ -z "${CORPUS_TABLE:-}" ] ||
    printf '| %s | %s | %s | %s | %s |\n' "$(sed 's/: .*//' "$corpus/$race/about")" \
      "$(sed 's/^[^:]*: //' "$corpus/$race/about")" "$before" "$try" "${found:-nothing}" >>"$CORPUS_TABLE"
done
