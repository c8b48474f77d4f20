# SPDX-License-Identifier: GPL-3.0-or-later
# Counts the lost updates of a history of registers in JSON lines without a
# checker: of the committed transactions that read one version of a key and wrote
# over it, all but the first.
import collections, json, sys

over = collections.Counter()
for line in open(sys.argv[1]):
    txn = json.loads(line)
    if txn.get("outcome", "ok") != "ok" or "ops" not in txn:
        continue
    seen, written = {}, set()
    for kind, key, value in txn["ops"]:
        if kind == "r" and key not in written:
            seen[key] = value
        elif kind == "w":
            if key in seen and key not in written:
                over[key, seen[key]] += 1
            written.add(key)
print(sum(n - 1 for n in over.values()))
