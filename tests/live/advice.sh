#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Takes the advice of isostress: a load that shows anomalies which a level
# allows shows none of them once the advice about them is taken.  Lists the
# advice that no load here has tried.
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

declare -A known # of the loads that were run
shows() { # shows TARGET LEVEL SEED: sets $found to the anomalies under all loads
  local load
  found=${known[$*]-}
  [ -z "$found" ] || return 0
  for load in "mt -k 5" "general -k 10" "append -k 10" "predicate -k 96"; do
    # shellcheck disable=SC2086  # a load is several words
    isostress run -w $load "$1" -i "$2" --check ser -t 150 -c 6 --seed "$3" --op-delay 20us \
      --max-length 200 --timeout 60s -o "$work/runs" --output json 2>"$work/.err"
  done >"$work/reports"
  found="none $(python3 -c '
import json, sys
text, decode, found = sys.stdin.read().strip(), json.JSONDecoder(), set()
while text:
    report, end = decode.raw_decode(text)
    text = text[end:].strip()
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
  like "$before" '[A-Z]' "$1$2, $3: the load shows some of $5"
  level=$(sed -n 's/.*--isolation=\([a-z ]*[a-z]\).*/\1/p' <<<"$4")
  for word in $4; do case $word in \?*) option=$word ;; esac; done
  shows "$place$option" "${level:-$3}" "$seed"
  is "$(among "$found" "$5")" "" "$1$2, $3: with $4 it shows none of $before"
}

advice=$("$TOP_BUILDDIR/tests/live/advice_rows")
tried=$(grep -E '^(postgresql|mariadb|sqlite|redis)\|' <<<"$advice" | grep -v '|-|')
plan $(($(wc -l <<<"$tried") * 2 + 1))
while IFS='|' read -r kind options level attempt anomalies; do
  takes "$kind" "$options" "$level" "$attempt" "$anomalies" </dev/null
done <<<"$tried"

rest=$(grep -vxFf <(echo "$tried") <<<"$advice")
like "$rest" '^mysql\|' "what was not tried is listed"
sed 's/^/# not tried: /' <<<"$rest"
