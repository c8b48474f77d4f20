#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Who asks about every level is told of every anomaly, strong ones too, how often
# it occurred: as often as who asks about serializability, and lost updates as
# often as a program that is no checker counts them.
. "${TOP_SRCDIR:?}/tests/tap.sh"
cd "$work" || exit 1
plan 9

cat >found.py <<'END'
import json, subprocess, sys
def found(level):
    told = subprocess.run(["isostress", "check", "-l", level, "--output=json", sys.argv[1]],
                          stdout=subprocess.PIPE).stdout
    document = json.loads(told)
    return (document.get("beyond") or document["verdict"])["found"]
auto, ser = found("auto"), found("ser")
if sys.argv[2] == "missing":
    print([name for name in ser if name not in auto] or "nothing")
else:
    print(auto.get(sys.argv[2], 0))
END

counts_all() { # counts_all NAME OPTION...: three checks
  local name=$1
  shift
  isostress run -t 1000 -T 0 -c 6 -k 8 -P 0 --threads=1 --seed=1 -o runs "$@" >/dev/null 2>&1
  isostress convert --to=jsonl runs/latest/history history.jsonl >/dev/null 2>&1
  local lost
  lost=$(python3 "$TOP_SRCDIR/tests/lost_updates.py" history.jsonl)
  is "$([ "$lost" -gt 0 ] && echo some)" "some" "$name: updates were lost"
  is "$(python3 found.py runs/latest/history LostUpdate)" "$lost" "$name: all of them are counted"
  is "$(python3 found.py runs/latest/history missing)" "nothing" "$name: no anomaly is left out"
}
counts_all "read committed" -i "read committed" memory:
counts_all "snapshot isolation with lost updates" -i si "memory:?bug=LostUpdate:0.3"
counts_all "read committed with long keys" -i "read committed" -k 3 memory:
