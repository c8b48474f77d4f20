#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Takes the advice of isostress: steps and loads that show anomalies which a
# level allows show none of them once the advice about them is taken.  Lists the
# advice that is not tried here.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs postgresql mariadb redis
live_needs_driver postgresql libpq-dev
live_needs_driver mysql libmariadb-dev
live_needs_driver redis libhiredis-dev
unset MYSQL_PWD
export HOME=$work ISOSTRESS_FILES=$TOP_SRCDIR ISOSTRESS_SERVERS

declare -A target=([memory]=memory: [sqlite]=sqlite:$work/advice.db)
live_start postgresql deadlock_timeout=10ms
target[postgresql]=${server_uri[0]}
for kind in mariadb redis; do
  live_start "$kind"
  target[$kind]=${server_uri[0]}
done

# ---- Levels and settings

# Each shows an anomaly for certain, however slow the machine is.  Redis, whose
# transactions are sent as a whole, refuses them: there it takes a load.
by_steps() { # by_steps TARGET LEVEL
  local script
  for script in g1a g1b g1c p4 g-single g2-item; do
    isostress steps --blocked-after 200ms -i "$2" "$script" "$1" --output json
  done
}

under_load() { # under_load TARGET LEVEL SEED
  local load status
  for load in "mt -k 5" "general -k 10" "append -k 10 --max-length 200" "predicate -k 96"; do
    case $1:$load in redis*:predicate*) continue ;; esac
    # shellcheck disable=SC2086  # a load is several words
    isostress run -w $load "$1" -i "$2" --check ser -t 150 -c 6 --seed "$3" --op-delay 20us \
      --timeout 60s -o "$work/runs" --output json
    status=$?
    [ "$status" -le 2 ] || echo "run -w $load $1 -i $2: $status" >>"$work/failed"
  done
}

declare -A known # by target, level and seed
shows() { # shows TARGET LEVEL SEED: sets $found to the anomalies by steps and under all loads
  found=${known[$*]-}
  [ -z "$found" ] || return 0
  { by_steps "$1" "$2"; under_load "$@"; } >"$work/reports" 2>"$work/.err"
  found="none $(python3 -c '
import json, sys
text, decode, found = sys.stdin.read().strip(), json.JSONDecoder(), set()
while text:
    report, end = decode.raw_decode(text)
    text = text[end:].strip()
    found.add(report.get("broken_by") or "none")
    for verdict in (report.get("verdict"), report.get("beyond")):
        found |= set((verdict or {}).get("found", {}))
print(*sorted(found))' <"$work/reports")"
  known[$*]=$found
}

among() { # among NAMES NAMES: those of the first that the second has, too
  comm -12 <(tr ' ' '\n' <<<"$1" | sort) <(tr ' ' '\n' <<<"$2" | sort) | xargs
}

# The steps before the first way that shows an anomaly are those of others.
takes() { # takes KIND OPTIONS LEVEL WAY ANOMALIES
  local place=${target[$1]} level=$3 option=$2 word seed before=
  for seed in {1..10}; do
    shows "$place$option" "$level" "$seed"
    before=$(among "$found" "$5")
    [ -z "$before" ] || break
  done
  like "$before" '[A-Z]' "$1$2, $3: some of $5 are seen"
  level=$(sed -n 's/.*--isolation=\([a-z ]*[a-z]\).*/\1/p' <<<"$4")
  for word in $4; do case $word in \?*) option=$word ;; esac; done
  shows "$place$option" "${level:-$3}" "$seed"
  is "$(among "$found" "$5")" "" "$1$2, $3: with $4 none of $before is seen"
}

# ---- Remedies in the program

seen() { # seen SCRIPT TARGET LEVEL [OPTION...]: prints how often the anomaly was seen
  isostress steps "$1" "$2" -i "$3" --blocked-after 200ms --output json "${@:4}" 2>"$work/.err" |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["anomaly"]["seen"])' 2>&1 | tail -n 1
}

# A script has two alternatives: {without|with the remedy}.
scripts=$TOP_SRCDIR/tests/live/remedies
remedies() { # remedies KIND OPTIONS LEVEL WAY
  local place=${target[$1]}$2 script=$scripts/$4.in side
  for side in 1 2; do
    sed "s/{\([^|}]*\)|\([^}]*\)}/\\$side/g" "$script" >"$work/$4.$side.steps"
  done
  is "$(seen "$work/$4.1.steps" "$place" "$3")" 1 "$1$2, $3: without $4 it is seen"
  is "$(seen "$work/$4.2.steps" "$place" "$3")" 0 "$1$2, $3: with $4 it is not seen"
}

# ---- Several servers

# Kind, settings, level, script, way, then how it is taken: a change of the script, a level or
# options of the target.
replicas='
postgresql-standby|synchronous_commit=local synchronous_standby_names=2(*)|repeatable read|postgresql-standby-stale-read|primary|/^T/s/at 1/at 0/
postgresql-standby|synchronous_commit=local synchronous_standby_names=2(*)|repeatable read|postgresql-standby-long-fork|primary|s/at 1/at 0/;/awaits/d
redis-replica||watch|redis-replica-stale-read|primary|/^T/s/at 1/at 0/
redis||watch|redis-restart-lost-write|appendonly|appendonly=yes
galera||repeatable read|galera-stale-read|sync-wait|/^T.: at 1/{p;s/at 1/admin "SET SESSION wsrep_sync_wait = 1"/};s/^\(T.: read x .*\)/\1 \| blocks/
galera||repeatable read|galera-stale-read|one-node|/^T/s/at 1/at 0/
galera||serializable|galera-write-skew|one-node|s/T2: at 1/T2: at 0/;/node 2/d;s/=> \(blocks\|ok\)$/=> ok \| blocks \| aborts/;s/resumes.*=>/resumes =>/
etcd-3||stale|etcd-stale-read|linearizable|-i strict'

replica() { # replica KIND SETTINGS LEVEL SCRIPT WAY CHANGE
  local script=$TOP_SRCDIR/configs/steps/$4.steps changed=$work/$4-$5.steps level=$3 options=''
  local -a settings
  read -ra settings <<<"$2"
  live_start "$1" "${settings[@]}"
  is "$(seen "$script" "$(all_hosts "${server_uri[@]}")" "$3" --server "${server##*/}")" 1 \
    "$1, $3: $4 is seen"
  server_stop "$server"
  cp "$script" "$changed"
  case $6 in
    -i\ *) level=${6#-i } options='?timeout=1s' ;;
    *=yes) settings+=("$6") ;;
    *) sed -i "$6" "$changed" ;;
  esac
  live_start "$1" "${settings[@]}"
  is "$(seen "$changed" "$(all_hosts "${server_uri[@]}")$options" "$level" --server "${server##*/}")" 0 \
    "$1, $3: with $5 it is not seen"
  server_stop "$server"
}

# ---- All of them, or one of each sort

advice=$("$TOP_BUILDDIR/tests/live/advice_rows")
levels=$(grep -E '^(memory|postgresql|mariadb|sqlite|redis)\|.*\|--' <<<"$advice" | grep -v '=sser|')
remedied=$(grep -E '^(postgresql|mariadb)\|' <<<"$advice" | grep -v '|serializable|' |
  while IFS='|' read -r -a fields; do
    [ ! -f "$scripts/${fields[3]}.in" ] || (IFS='|' && echo "${fields[*]}")
  done)
servers=$(grep . <<<"$replicas")
tried=$levels$'\n'$remedied
if [ -z "${ISOSTRESS_LONG-}" ]; then # make check-long takes all
  levels=$(for row in 'postgresql|.*LostUpdate' 'mariadb|.*=off|repeatable read|.*LostUpdate' \
    'sqlite|' 'redis|'; do grep -m 1 "^$row" <<<"$levels"; done)
  remedied=$(grep -E '^(postgresql\|\|read committed|mariadb\|.*=off\|repeatable read)\|' <<<"$remedied")
  servers=
fi
plan $((($(grep -c . <<<"$levels") + $(grep -c . <<<"$remedied") + $(grep -c . <<<"$servers")) * 2 + 2))
while IFS='|' read -r kind options level way anomalies; do
  [ -z "$kind" ] || takes "$kind" "$options" "$level" "$way" "$anomalies" </dev/null
done <<<"$levels"
is "$(cat "$work/failed" 2>/dev/null)" "" "no load was refused"
while IFS='|' read -r kind options level way anomalies; do
  [ -z "$kind" ] || remedies "$kind" "$options" "$level" "$way" </dev/null
done <<<"$remedied"
while IFS='|' read -r kind settings level script way change; do
  [ -z "$kind" ] || replica "$kind" "$settings" "$level" "$script" "$way" "$change" </dev/null
done <<<"$servers"

rest=$(grep -vxFf <(echo "$tried") <<<"$advice")
while IFS='|' read -r kind settings level script way change; do
  [ -z "$kind" ] || rest=$(grep -vF "$kind||$level|$way|" <<<"$rest")
done <<<"$replicas"
like "$rest" '^mysql\|' "what was not tried is listed"
sed 's/^/# not tried: /' <<<"$rest"
