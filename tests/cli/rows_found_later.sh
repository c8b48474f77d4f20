#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Statements at RC that miss a row as another transaction changed it, and return
# a row that this transaction is yet to change, as READ UNCOMMITTED does: in more
# transactions than all orders of which could be tried.
. "${TOP_SRCDIR:?}/tests/tap.sh"
cd "$work" || exit 1
plan 21

# Each reader finds row 2i+1 before its change, and row 2i after it.  One of them
# may read on.
history_of() { # history_of BEGIN END [READS ON]
  python3 - "$@" <<'END'
import json, sys
begin, end, on = int(sys.argv[1]), int(sys.argv[2]), len(sys.argv) > 3
out = []
for i in range(1500):
    x, y, t = 2 * i, 2 * i + 1, 10 * i
    out.append({"session": 1, "begin": t, "end": t + 5,
                "ops": ["upd d{id = %d}: %d@?{v=1}" % (k, k) for k in (x, y)]})
    reads = ["sel d{id >= %d and id <= %d and v = 0}: %d@?" % (x, y, y)]
    if on and i == 700:
        reads.append("sel d{id = %d}: %d@?" % (y, y))
    out.append({"session": 2, "begin": t + begin, "end": t + end, "ops": reads})
rows = " ".join("%d{v=0}" % i for i in range(3000))
out[0] = {"tables": ["d(v): " + rows], **out[0]}
print("\n".join(map(json.dumps, out)))
END
}

for ends in '1 6' '1 2'; do
  read -r begin end <<<"$ends"
  history_of "$begin" "$end" >dirty.jsonl
  run isostress check -l rc --witness=dirty.witness dirty.jsonl
  is "$status" 0 "one statement may find a transaction half done, $ends"
  like "$(xargs <<<"$out")" 'PASS: read committed was kept.*a commit order' "an order shows it"
  run isostress verify dirty.jsonl dirty.witness
  is "$status" 0 "the proof is verified again"
  run isostress check -l ra dirty.jsonl
  is "$status" 1 "read atomic does not allow it"
  history_of "$begin" "$end" on >on.jsonl
  run isostress check -l rc on.jsonl
  is "$status" 1 "a second statement must find the rest"
  like "$out" 'a part of [23] transactions and 2 rows' "a small part shows it"
done

# Levels of their own.
history_of 1 6 | sed 's/}$/, "level": "rc"}/' >rc.jsonl
sed '$s/"level": "rc"/"level": "ra"/' rc.jsonl >mixed.jsonl
run isostress check -l recorded mixed.jsonl
is "$status" 1 "the last reader is to be at read atomic"
sed '1s/"level": "rc"/"level": "ra"/' rc.jsonl >mixed.jsonl
run isostress check -l recorded mixed.jsonl
is "$status" 0 "the first writer is at read atomic"
sed '1s/"level": "rc"/"level": "cc"/' rc.jsonl >causal.jsonl
run isostress check -l recorded --witness=causal.witness causal.jsonl
is "$status" 0 "the first writer is at causal consistency, and keeps more"
run isostress verify causal.jsonl causal.witness
is "$status" 0 "the proof is verified again"
sed '$s/"level": "rc"/"level": "cc"/' rc.jsonl >causal.jsonl
run isostress check -l recorded causal.jsonl
is "$status" 1 "the last reader is at causal consistency, and breaks less"
run isostress check -l recorded --real-time --witness=time.witness mixed.jsonl
is "$status" 0 "real time orders the commits of those at read committed"
run isostress verify mixed.jsonl time.witness
is "$status" 0 "the proof is verified again"
run isostress check -l recorded --real-time --rc=mixed mixed.jsonl
is "$status" 2 "those at read committed that must see what had ended are left open"
like "$(xargs <<<"$out")" 'must see what had ended before they began' "the verdict says so"
