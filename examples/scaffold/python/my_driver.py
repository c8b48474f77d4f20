# A driver for isostress, made by `isostress scaffold python`.  It runs as it is, on
# a toy store; replace what is marked.  PIPE.md of isostress is the whole protocol.
#   isostress driver-test --driver='python3 my_driver.py'
#   isostress scorecard --driver='python3 my_driver.py'
import json
import sys

store, versions, clock = {}, {}, 0  # REPLACE: the toy store, snapshot isolation in memory
sessions = {}


class Transaction:  # REPLACE
    def __init__(self):
        self.start, self.snapshot, self.writes = clock, dict(store), {}


def hello(m):
    return {"isostress": 1, "name": "mystore", "version": "toy 1.0",
            # False: one process for each session; so it must be where a call of the client waits.
            "many": True,
            # The promise of the manual: none, rc, ra, cc, pc, si, ser or sser.
            "levels": [{"name": "snapshot", "claims": "si"}],
            # Codes, or words of messages, after which a commit certainly had no effect.
            "causes": {"conflict": "write conflict"}}


def setup(m):  # afterwards the keys 0 to m["keys"] - 1 hold 0
    store.clear()
    versions.clear()


def open_(m):  # a connection of its own for m["session"], to m["place"]
    sessions[m["session"]] = None


def close(m):
    sessions.pop(m["session"], None)


def begin(m):  # at m["level"], which is the name of one of hello's
    sessions[m["session"]] = Transaction()


def get(m):  # from the database, through the open transaction
    t = sessions[m["session"]]
    return {"value": t.writes.get(m["key"], t.snapshot.get(m["key"], 0))}


def put(m):
    sessions[m["session"]].writes[m["key"]] = m["value"]


def commit(m):  # never again by itself: isostress tries again
    global clock
    t, sessions[m["session"]] = sessions[m["session"]], None
    if any(versions.get(k, 0) > t.start for k in t.writes):
        raise Exception("conflict")  # what fails is an exception, nothing else
    clock += 1
    store.update(t.writes)
    versions.update(dict.fromkeys(t.writes, clock))


def rollback(m):  # also after a failure, and where nothing is open
    sessions[m["session"]] = None


verbs = {"hello": hello, "setup": setup, "open": open_, "close": close, "begin": begin,
         "get": get, "put": put, "commit": commit, "rollback": rollback}

for line in sys.stdin:  # one answer for each line; nothing else goes to stdout
    m = json.loads(line)
    try:
        reply = verbs[m["do"]](m) or {}
    except Exception as e:
        reply = {"fail": str(e) or repr(e), "code": str(getattr(e, "code", type(e).__name__))}
    print(json.dumps({"id": m["id"], **reply}), flush=True)
