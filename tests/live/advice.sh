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
export HOME=$work

declare -A target=([sqlite]=sqlite:$work/advice.db)
for kind in postgresql mariadb redis; do
  live_start "$kind"
  target[$kind]=${server_uri[0]}
done

# Each shows an anomaly for certain, however slow the machine is.  Redis, whose
# transactions are sent as a whole, refuses them: there it takes a load.
by_steps() { # by_steps TARGET LEVEL
  local script
  for script in g1a g1b g1c p4 g-single g2-item; do
    isostress steps --blocked-after 200ms -i "$2" "$script" "$1" --output json
  done
}

under_load() { # under_load TARGET LEVEL SEED
  local load
  for load in "mt -k 5" "general -k 10" "append -k 10" "predicate -k 96"; do
    # shellcheck disable=SC2086  # a load is several words
    isostress run -w $load "$1" -i "$2" --check ser -t 150 -c 6 --seed "$3" --op-delay 20us \
      --max-length 200 --timeout 60s -o "$work/runs" --output json
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

takes() { # takes KIND OPTIONS LEVEL ATTEMPT ANOMALIES
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

advice=$("$TOP_BUILDDIR/tests/live/advice_rows")
tried=$(grep -E '^(postgresql|mariadb|sqlite|redis)\|' <<<"$advice" | grep -v '|-|')
rows=$tried
if [ -z "${ISOSTRESS_LONG-}" ]; then # one of each database; make check-long takes all
  rows=$(for row in 'postgresql|.*LostUpdate' 'mariadb|.*=off|repeatable read|.*LostUpdate' \
    'sqlite|' 'redis|'; do grep -m 1 "^$row" <<<"$tried"; done)
fi
plan $(($(wc -l <<<"$rows") * 2 + 1))
while IFS='|' read -r kind options level attempt anomalies; do
  takes "$kind" "$options" "$level" "$attempt" "$anomalies" </dev/null
done <<<"$rows"

rest=$(grep -vxFf <(echo "$tried") <<<"$advice")
like "$rest" '^mysql\|' "what was not tried is listed"
sed 's/^/# not tried: /' <<<"$rest"
