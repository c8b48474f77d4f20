# SPDX-License-Identifier: GPL-3.0-or-later
# A store that does nothing but keep values, by a pipe: what Python takes (bench/pipe.sh).
import json
import sys

store = {}
HELLO = {"isostress": 1, "name": "null", "version": "keeps values, in Python", "many": True,
         "levels": [{"name": "none", "claims": "none"}]}
verbs = {"hello": lambda m: dict(HELLO), "get": lambda m: {"value": store.get(m["key"], 0)},
         "put": lambda m: store.__setitem__(m["key"], m["value"]) or {}}

for line in sys.stdin:
    m = json.loads(line)
    answer = verbs.get(m["do"], lambda m: {})(m)
    answer["id"] = m["id"]
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
