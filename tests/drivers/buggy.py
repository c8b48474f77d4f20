#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# A driver by a pipe with one bug put in: buggy.py [BUG].  Its store is in memory,
# with snapshot isolation: a write of a key that another open transaction wrote, or
# that was committed since the snapshot, fails at once.
import json
import sys
import time

bug = sys.argv[1] if len(sys.argv) > 1 else ""
levels = [{"name": "snapshot", "claims": "si"}, {"name": "read committed", "claims": "rc"}]
store, versions, owner, clock, open_now, cache, count, held = {}, {}, {}, 0, {}, {}, 0, []
shared = None


class Transaction:
    def __init__(self, level="snapshot"):
        self.level, self.start, self.snapshot, self.writes, self.reads = level, clock, dict(store), {}, {}

    def get(self, key):
        value = self.writes.get(key, (self.snapshot if self.level == "snapshot" else store).get(key, 0))
        self.reads.setdefault(key, value)
        return value

    def put(self, key, value):
        if owner.get(key, self) is not self:
            raise Exception("conflict")
        if self.level == "snapshot" and versions.get(key, 0) > self.start:
            raise Exception("conflict")
        owner[key] = self
        self.writes[key] = value

    def commit(self):
        global clock
        clock += 1
        store.update(self.writes)
        versions.update(dict.fromkeys(self.writes, clock))
        self.rollback()

    def rollback(self):
        for key in [k for k, t in owner.items() if t is self]:
            del owner[key]


def every(n):
    global count
    count += 1
    return count % n == 0


def setup(m):
    global count, nkeys
    nkeys = m["keys"]
    if bug == "stale-setup" and every(1) and count > 1:
        return
    store.clear()
    versions.clear()
    cache.clear()


def begin(m):
    global shared
    if m["level"] not in [l["name"] for l in levels] and bug != "any-level":
        raise Exception("no level " + m["level"])
    t = Transaction(m["level"])
    if bug == "shared":
        shared = shared or t
        t = shared
    t.failed, t.buffer = False, []
    open_now[m["session"]] = t


def get(m):
    key, t = m["key"], open_now[m["session"]]
    if bug == "reads-outside":
        return {"value": store.get(key, 0)}
    if bug == "cache":
        value, at = cache.get(key, (0, 0))
        if time.monotonic() - at > 0.02:
            value = t.get(key)
            cache[key] = value, time.monotonic()
        return {"value": value}
    return {"value": t.get(key)}


def put(m):
    key, t = m["key"], open_now[m["session"]]
    value = (m["value"] & 0xffffffff) - (m["value"] & 0x80000000) * 2 if bug == "truncates" else m["value"]
    if bug == "buffers":
        t.buffer.append((key, value))
        return
    if bug == "autocommit" or (bug == "after-abort" and t.failed):
        outside = Transaction("read committed")
        outside.put(key, value)
        outside.commit()
        return
    try:
        t.put(key, value)
    except Exception:
        if bug == "swallows":
            return
        if bug == "retries-put" and owner.get(key, t) is t:
            again = Transaction()
            t.rollback()
            for k, v in list(t.writes.items()) + [(key, value)]:
                again.put(k, v)
            again.failed, again.buffer = False, []
            open_now[m["session"]] = again
            return
        t.failed = True
        raise


def commit(m):
    global shared
    t = open_now.pop(m["session"])
    if bug == "shared":
        if shared:
            shared.commit()
            shared = None
        return
    for key, value in t.buffer:
        t.put(key, value)
    for key, value in getattr(t, "late", []):
        t.put(key, (t.get(key) or []) + [value])
    if bug == "append-loses" and any(isinstance(v, list) for v in t.writes.values()) and every(30):
        t.rollback()
        return
    if bug == "commit-lies" and every(20):
        t.rollback()
        return
    if bug == "retries-commit" and t.failed:
        again = Transaction("read committed")
        for k, v in t.writes.items():
            again.put(k, v)
        t = again
    t.commit()
    if bug == "abort-lies" and every(20):
        raise Exception("conflict, they say")


def rollback(m):
    t = open_now.pop(m["session"], None)
    if t and bug == "rollback-commits":
        t.commit()
    elif t and bug != "shared":
        t.rollback()


def appended(values, value):
    if bug == "append-overwrites":
        return [value]
    if bug == "append-prepends":
        return [value] + values
    if bug == "append-sorts":
        return sorted(values + [value])
    if bug == "append-twice" and every(50):
        return values + [value, value]
    if bug == "append-short":
        return (values + [value])[:256]
    return values + [value]


def append(m):
    key, t = m["key"], open_now[m["session"]]
    if bug == "append-updates" and key >= nkeys:
        return
    if bug in ("append-outside", "append-buffers"):
        if bug == "append-buffers":
            t.late = getattr(t, "late", []) + [(key, m["value"])]
            return
        store[key] = (store.get(key, 0) or []) + [m["value"]]
        return
    t.put(key, appended(t.get(key) or [], m["value"]))


def list_(m):
    key, t = m["key"], open_now[m["session"]]
    return {"values": (store.get(key, 0) if bug == "list-outside" else t.get(key)) or []}


def cas(m):
    key, t = m["key"], open_now[m["session"]]
    found, expected, value = t.get(key), m["expected"], m["value"]
    if bug == "cas-absent-none" and expected == 0:
        return {"found": found}
    if bug == "cas-outside" and found == expected:
        store[key] = value
    elif bug == "cas-always" or (found == expected and bug != "cas-never"):
        t.put(key, value)
    return {"found": expected if bug == "cas-expected" else t.get(key) if bug == "cas-new" else found}


# First committer wins: the conflict is found by commit, which tries again.
if bug == "retries-commit":
    def lazy_put(self, key, value):
        self.writes[key] = value
        self.failed = versions.get(key, 0) > self.start
    Transaction.put = lazy_put

verbs = {"hello": lambda m: {"isostress": 1, "name": "buggy", "version": "a store with the bug " + bug, "many": True,
                             "levels": levels, "does": ["append", "cas"], "causes": {"conflict": "write conflict"}},
         "open": lambda m: None, "close": rollback, "setup": setup, "begin": begin, "get": get, "put": put,
         "append": append, "list": list_, "cas": cas, "commit": commit, "rollback": rollback}


def answer(m, reply):
    print(json.dumps({"id": m["id"], **reply}), flush=True)


for line in sys.stdin:
    m = json.loads(line)
    if bug == "banner" and m["do"] == "hello":
        print("the driver starts", flush=True)
    try:
        reply = verbs[m["do"]](m) or {}
    except Exception as e:
        reply = {"fail": str(e)}
    if bug == "swaps" and m["do"] == "get" and len(open_now) > 2:
        if held:  # the answers of two readers change places
            other, its = held.pop()
            answer(other, reply)
            answer(m, its)
            continue
        if every(50):
            held.append((m, reply))
            continue
    answer(m, reply)
