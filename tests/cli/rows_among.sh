#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Statements with a list of numbers, as own SQL notes those that return many
# rows: some return all rows that they name, some only those with v = 1, of which
# one number stands twice.
. "${TOP_SRCDIR:?}/tests/tap.sh"
cd "$work" || exit 1
plan 12

history_of() { # history_of [WRONG]: one statement does not return row 6, which always has v = 1
  python3 - "$@" <<'END'
import json, sys
wrong, out, last = len(sys.argv) > 1, [], {}
for i in range(400):
    x, t = i % 5, 10 * i
    upd = "upd d{id = %d}: %d@%s{v=%d}" % (x, x, last.get(x, "?"), i % 2)
    out.append({"session": 1, "begin": t, "end": t + 6, "ops": [upd]})
    sees = dict(last) if i % 3 else {**last, x: "w%d" % (i + 1)}
    last[x] = "w%d" % (i + 1)
    ones = [y for y in (2, 4) if y in sees and int(sees[y][1:]) % 2 == 0]
    ones += [] if wrong and i == 200 else [6]
    sees[6] = "?"
    out.append({"session": 2, "begin": t + 4, "end": t + 8, "ops": [
        "sel d{id IN (2, 2, 4, 6) and v = 1}: " + " ".join("%d@%s" % (y, sees[y]) for y in ones),
        "sel d{id IN (0, 3)}: " + " ".join("%d@%s" % (y, sees.get(y, "?")) for y in (0, 3))]})
rows = " ".join("%d{v=%d}" % (i, i > 5) for i in range(7))
out[0] = {"tables": ["d(v): " + rows], **out[0]}
print("\n".join(map(json.dumps, out)))
END
}

history_of >kept.jsonl
history_of wrong >wrong.jsonl
for level in rc ra cc pc si ser; do
  run isostress check -l "$level" kept.jsonl
  is "$status" 0 "$level is kept"
  run isostress check -l "$level" wrong.jsonl
  is "$status" 1 "$level is broken by a row that did not come back"
done
