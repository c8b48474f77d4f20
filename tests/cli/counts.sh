#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A violation is told with how often every anomaly occurred, strong ones too,
# whatever level was asked for: lost updates as often as a program that is no
# checker counts them.
. "${TOP_SRCDIR:?}/tests/tap.sh"
cd "$work" || exit 1
plan 23

cat >found.py <<'END'
import json, subprocess, sys
def found(level):
    told = subprocess.run(["isostress", "check", "-l", level, "--output=json", sys.argv[2]],
                          stdout=subprocess.PIPE).stdout
    document = json.loads(told)
    return (document.get("beyond") or document["verdict"]).get("found")
level, names = sys.argv[1], sys.argv[3:]
if names == ["missing"]:
    print([name for name in found("ser") if name not in found(level)] or "nothing")
else:
    print(*[found(level).get(name, 0) for name in names])
END

counts_all() { # counts_all NAME OPTION...: a check at each level
  local name=$1 lost level
  shift
  isostress run -t 1000 -T 0 -c 6 -k 8 -P 0 --threads=1 --seed=1 -o runs "$@" >/dev/null 2>&1
  isostress convert --to=jsonl runs/latest/history history.jsonl >/dev/null 2>&1
  lost=$(python3 "$TOP_SRCDIR/tests/lost_updates.py" history.jsonl)
  is "$([ "$lost" -gt 0 ] && echo some)" "some" "$name: updates were lost"
  for level in si ser auto; do
    is "$(python3 found.py "$level" runs/latest/history LostUpdate)" "$lost" "$name: all of them are counted at $level"
  done
  for level in si auto; do
    is "$(python3 found.py "$level" runs/latest/history missing)" "nothing" "$name: no anomaly is left out at $level"
  done
}
counts_all "read committed" -i "read committed" memory:
counts_all "snapshot isolation with lost updates" -i si "memory:?bug=LostUpdate:0.3"
counts_all "read committed with long keys" -i "read committed" -k 3 memory:

# A bug that breaks read committed itself.
isostress run -t 1000 -T 0 -c 6 -k 8 -P 0 --threads=1 --seed=1 -o runs -i rc "memory:?bug=AbortedRead:0.1" >/dev/null 2>&1
anomalies=(AbortedRead NonRepeatableReads LostUpdate WriteSkew G2-item)
wanted=$(python3 found.py ser runs/latest/history "${anomalies[@]}")
for level in rc si auto; do
  is "$(python3 found.py "$level" runs/latest/history "${anomalies[@]}")" "$wanted" \
    "aborted reads: equally many of each anomaly at $level"
done

# A stale read beside a weaker anomaly, and a lost update beside a search.
printf '[x==? x:=1]@10..20\n---\n[x==?]@30..40\n---\n[a:=1]!@1..2\n---\n[a==1]@3..4\n' >stale.txt
printf 'table t(b)\n[ins t/3{b=3}]\n---\n[sel t{b = 3}:, selu t{b = 3}: 3@w1]\n---\n[x==? x:=7]\n---\n[x==? x:=8]\n' >search.txt
is "$(for level in rc ser auto; do python3 found.py "$level" stale.txt AbortedRead StaleRead; done | uniq)" \
  "1 1" "a stale read is counted at every level"
is "$(for level in ra ser auto; do python3 found.py "$level" search.txt PhantomRead LostUpdate; done | uniq)" \
  "1 1" "a search's anomaly and what is counted besides, at every level"
