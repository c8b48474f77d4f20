#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The documents of isostress explore have the members that report/SCHEMA.md
# describes, and no others.
. "${TOP_SRCDIR:?}/tests/tap.sh"
export ISOSTRESS_FILES=$TOP_SRCDIR
cd "$work" || exit 1
cp "$TOP_SRCDIR"/configs/programs/*.sql "$TOP_SRCDIR"/configs/programs/*.pgbench .
plan 10

said=
# document ARGUMENT...: explores, and adds the members to those said so far.
document() {
  run isostress explore --output json "$@"
  said+=" $(python3 -c 'import json, sys
def members(v):
  for x in v if isinstance(v, list) else v.values() if isinstance(v, dict) else []:
    yield from members(x)
  if isinstance(v, dict): yield from v
text, at, d = sys.stdin.read(), 0, json.JSONDecoder()
while at < len(text.rstrip()):
  v, at = d.raw_decode(text, at)
  at += 1
  assert v["schema"] == "isostress-explore/1"
  print(*members(v))' <<<"$out")" || said+=" not-json"
}
document -i rc-statement,si --repair --allocate stock memory: --seed 1
is "$status" 1 "a program that fails"
document --schema stock.sql take.pgbench@2 -i rc-statement --repair
is "$status" 1 "a script that fails"
document -i rc-statement --assert-only courseware-2
document --estimate -i si --seed 1 oncall
is "$status" 0 "an estimate"
run isostress explore --output json --schema course.sql enrol.pgbench@2 -i rc-statement,si --repair
is "$(python3 -c 'import json, sys
d = json.load(sys.stdin)
print([(s["level"], s["transactions"], len(s["repairs"]) > 0) for s in d["stories"]], d["stories"][0]["story"] == d["smallest"]["story"])' <<<"$out")" \
  "[('rc-statement', 2, True), ('si', 2, True)] True" "the story of every level is there"
words=$(tr ' ' '\n' <<<"$said" | grep . | sort -u)
described=$(sed '1,/^# explore$/d' "$TOP_SRCDIR/report/SCHEMA.md" | grep -oE '`[a-z_]+`' | tr -d '`' | sort -u)
is "$(comm -23 <(echo "$words") <(echo "$described"))" "" "each member is described"
rows=$(sed '1,/^# explore$/d' "$TOP_SRCDIR/report/SCHEMA.md" | sed -nE 's/^\| (`[a-z_`, ]*`) \| (string|number|boolean|array|object).*/\1/p' |
  tr -d '`,' | tr ' ' '\n' | sort -u)
is "$(comm -13 <(echo "$words") <(echo "$rows"))" "" "each described member is written"
is "$(wc -l <<<"$rows" | awk '{print ($1 > 20)}')" 1 "the test finds members"

run isostress explore -i rc-statement --output json --allocate oncall
is "$(python3 -c 'import json, sys
a = json.load(sys.stdin)["allocation"]
print(a["found"], a["complete"], a["transactions"])' <<<"$out")" \
  "True True [{'transaction': 'leave', 'level': 'ser'}]" "levels that are enough"
run isostress explore -i cc --output json --part 1/2 stock
is "$(python3 -c 'import json, sys; print(json.load(sys.stdin)["levels"][0]["complete"])' <<<"$out")" False \
  "what is not whole says so"
run isostress explore --outcomes --output json stock
like "$status $err" '^254 isostress: --outcomes: outcomes are listed as text only; leave --output=json out$' "no outcomes in JSON"
