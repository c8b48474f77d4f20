#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Newer servers beside Debian 12's own: a scorecard and the recipes of each kind,
# the differences from the machine's own server of that kind, and the
# anomalies by conditions of bench/predicates.sh.  From the top of a checkout that
# was configured in build/,
#
#   TOP_BUILDDIR=build WRITE=yes bench/versions.sh DIRECTORY [KIND@VERSION...]
#
# writes results/versions.txt anew.  Kinds: those of the list below, unless said
# otherwise.  DIRECTORY keeps what was found out; what is there is not done again.
# Each load of a scorecard runs for two seconds.
. "$(dirname "${BASH_SOURCE[0]}")/throwaway.sh"
kept=$(mkdir -p "${1:?usage: versions.sh DIRECTORY [KIND@VERSION...]}" && realpath "$1")
shift
kinds=("$@")
[ $# != 0 ] || kinds=(mariadb@11.8 galera@11.8 postgresql@17 postgresql@18 postgresql-standby@18 mysql-group@9 valkey@9
  etcd@3.5 etcd-3@3.5)

# The machine's own kind that a newer one is held against; none for MySQL, which
# Debian 12 does not have.
own_kind() { # own_kind KIND@VERSION
  case ${1%@*} in
    valkey) echo redis ;;
    mysql*) ;;
    *) echo "${1%@*}" ;;
  esac
}

# Recipes that are tried on a kind beside those that say it.
more_recipes() { # more_recipes KIND@VERSION
  case $1 in
    mysql-group@*) echo galera-rr-lost-update galera-stale-read galera-serializable-write-skew ;;
  esac
}

scorecard() { # scorecard KIND
  [ ! -s "$kept/$1.scorecard.json" ] || return 0
  start "$1"
  "$isostress" scorecard "$uri" -T 2s --seed 7 -o "$work/runs" --output json >"$work/scorecard" 2>"$work/err" ||
    [ $? = 1 ] || {
    tail -n 3 "$work/err" >&2
    return 1
  }
  mv "$work/scorecard" "$kept/$1.scorecard.json"
  "$isostress" server stop "${servers[-1]}"
  unset 'servers[-1]'
}

recipes() { # recipes KIND
  local name
  [ ! -s "$kept/$1.recipes.json" ] || return 0
  if [ -n "$(more_recipes "$1")" ]; then
    for name in $(more_recipes "$1"); do
      "$isostress" repro "$name" --server="$1" --budget 60s -o "$work/runs" --output json
    done
  else
    "$isostress" repro --all --server="$1" --budget 60s -o "$work/runs" --output json
  fi 2>"$work/err" >"$work/recipes"
  mv "$work/recipes" "$kept/$1.recipes.json"
}

predicates() {
  local kind wanted=()
  [ ! -s "$kept/predicates.txt" ] || return 0
  for kind in "${kinds[@]}"; do
    case $kind in mariadb@* | postgresql@* | mysql@*) wanted+=("$kind") ;; esac
  done
  "$top/bench/predicates.sh" 1 "${wanted[@]}" >"$work/predicates" && mv "$work/predicates" "$kept/predicates.txt"
}

table() {
  for kind in "${kinds[@]}"; do echo "$kind" "$(own_kind "$kind")"; done |
    python3 -c '
import json, os, sys
kept = sys.argv[1]

def documents(path):
    """The JSON documents of a file, one after another; none if there is no file."""
    try:
        rest = open(path).read().strip()
    except OSError:
        return []
    found = []
    while rest:
        document, end = json.JSONDecoder().raw_decode(rest)
        found += document if isinstance(document, list) else [document]
        rest = rest[end:].strip()
    return found

def scorecard(kind):
    return (documents(os.path.join(kept, kind + ".scorecard.json")) or [None])[0]

def rows(card):
    return {(row["level"], row["endpoints"] or ""): row for row in card["levels"]}

def version(text):
    return text.split(",")[0].split(" from ")[0].split(" (")[0]

kinds = [line.split() for line in sys.stdin]
form = "%-22s %-17s %-14s %-7s %-6s %-6s %s"
print(form % ("kind", "level asked for", "endpoints", "claims", "keys", "rows", ""))
for kind, *own in kinds:
    card = scorecard(kind)
    if not card:
        print(kind, "  no scorecard")
        continue
    for (level, endpoints), row in rows(card).items():
        print((form % (kind, level, endpoints, row["claimed"], row["kept"], row.get("kept_rows") or "-",
                       "BROKEN" if row["violated"] else "")).rstrip())
print("\n# What differs, step by step: the outcome by the machine\x27s own server, and by the newer one.\n")
for kind, *own in kinds:
    old, new = own and scorecard(own[0]), scorecard(kind)
    if not old or not new:
        print("%-22s %s" % (kind, "nothing to compare with" if new else "no scorecard"))
        continue
    print("%-22s %s beside %s" % (kind, version(new["server"]), version(old["server"])))
    before, after, same = rows(old), rows(new), True
    for key in after:
        for what, was in before.get(key, {"anomalies": {}})["anomalies"].items():
            now = after[key]["anomalies"].get(what)
            if was and now and was.split()[0] != now.split()[0]:
                print("  %-17s %-14s %-15s %-16s %s" % (*key, what, was, now))
                same = False
        if key in before and before[key]["claimed"] != after[key]["claimed"]:
            print("  %-17s %-14s %-15s %-16s %s" % (*key, "claims", before[key]["claimed"], after[key]["claimed"]))
            same = False
    if same:
        print("  nothing")
print("\n# Recipes of the catalogue.\n")
form = "%-22s %-42s %-12s %-26s %-10s %s"
print(form % ("kind", "recipe", "expected", "found", "per 1000", "result"))
for kind, *own in kinds:
    for row in documents(os.path.join(kept, kind + ".recipes.json")):
        rate = "%.3g" % row["per_thousand"] if "per_thousand" in row else ""
        print(form % (kind, row["recipe"], row["expected"], row["found"] or "", rate,
                      row["trouble"] or ("as expected" if row["as_expected"] else "DIFFERS")))
' "$kept"
}

for kind in "${kinds[@]}"; do
  for one in $(own_kind "$kind") "$kind"; do
    scorecard "$one" || echo "$one has no scorecard" >&2
  done
  recipes "$kind"
done
predicates
{
  echo "\$ bench/versions.sh DIRECTORY"
  echo "# $(nproc) cores; load at the end $(cut -d ' ' -f 1 /proc/loadavg)"
  table
  echo
  echo "# Anomalies by conditions (bench/predicates.sh 1 KIND...)."
  echo
  cat "$kept/predicates.txt"
} >"$work/versions"
cat "$work/versions"
[ "${WRITE:-}" != yes ] || cp "$work/versions" "$top/results/versions.txt"
