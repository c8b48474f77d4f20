#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# A driver by a pipe over a store in memory with snapshot isolation, whose answers
# go wrong on demand:
#   toy.py [FAULT[:N]] [WORD...]   from the N-th request on (300)
# Words: each (one process a session, which share nothing), survives.
import json
import os
import sys
import time

words = sys.argv[1:]
fault, _, number = (words[0] if words else "").partition(":")
number = int(number or 300)
store, versions, clock, sessions, requests = {}, {}, 0, {}, 0


class Transaction:
    def __init__(self):
        self.start, self.snapshot, self.writes = clock, dict(store), {}


def hello(m):
    return {"isostress": 1, "name": "toy", "version": "toy 1.0", "many": "each" not in words,
            "survives": "survives" in words, "does": ["append", "cas", "resolve", "waits"],
            "levels": [{"name": "snapshot", "claims": "si"}, {"name": "none at all", "claims": "none"}],
            "causes": {"conflict": "write conflict"}}


def setup(m):
    store.clear()
    versions.clear()


def open_(m):
    if m["place"] == "refused":
        raise Exception("no such place")
    sessions[m["session"]] = None


def close(m):
    sessions.pop(m["session"], None)


def begin(m):
    if m["level"] not in ("snapshot", "none at all"):
        raise Exception("no such level")
    sessions[m["session"]] = Transaction()


def get(m):
    t = sessions[m["session"]]
    return {"value": t.writes.get(m["key"], t.snapshot.get(m["key"], 0))}


def list_(m):
    return {"values": get(m)["value"] or []}


def put(m):
    sessions[m["session"]].writes[m["key"]] = m["value"]


def append(m):
    sessions[m["session"]].writes[m["key"]] = list_(m)["values"] + [m["value"]]


def cas(m):
    found = get(m)["value"]
    if found == m["expected"]:
        put(m)
    return {"found": found}


def commit(m):
    global clock
    t, sessions[m["session"]] = sessions[m["session"]], None
    if fault == "unknown-code" and clock % number == 7:
        clock += 1
        raise Exception("the line went dead")
    if any(versions.get(k, 0) > t.start for k in t.writes):
        raise Exception("conflict")
    clock += 1
    if fault == "loses" and clock % number == 0:
        return
    store.update(t.writes)
    versions.update(dict.fromkeys(t.writes, clock))


def rollback(m):
    sessions[m["session"]] = None


def resolve(m):
    return {"outcome": "unknown"}


def waits(m):
    return {"waits": False}


verbs = {"hello": hello, "setup": setup, "open": open_, "close": close, "begin": begin, "get": get, "list": list_,
         "put": put, "append": append, "cas": cas, "commit": commit, "rollback": rollback, "resolve": resolve,
         "waits": waits}


def misbehave(m):
    if fault == "dies":
        print("out of luck", file=sys.stderr, flush=True)
        os._exit(3)
    if fault == "hangs":
        time.sleep(1000)
    if fault == "banner":
        print("hello world", flush=True)
    if fault == "wrong-id":
        m["id"] += 1000000
    if fault == "no-id":
        print('{"value":5}', flush=True)
    if fault == "long":
        print("x" * 50000000, flush=True)
    if fault == "no-number" and m["do"] == "get":
        print(json.dumps({"id": m["id"], "value": "twelve"}), flush=True)
        m["id"] = None


if fault == "chatter":
    print("toy driver starts\n" + "y" * 200000 + "\nthe last line", file=sys.stderr, flush=True)
for line in sys.stdin:
    m = json.loads(line)
    requests += 1
    if requests >= number:
        misbehave(m)
    try:
        reply = verbs[m["do"]](m) or {}
    except KeyError as e:
        reply = {"fail": "no such verb or session: " + str(e)}
    except Exception as e:
        reply = {"fail": str(e)}
    if m["id"]:
        print(json.dumps({"id": m["id"], **reply}), flush=True)
if fault == "ignores-end":
    time.sleep(1000)
