# A driver of isostress for SQLite through Python's sqlite3: the control, beside the driver that isostress has.
#   isostress scorecard --driver="python3 examples/drivers/sqlite.py" sqlite3:/tmp/x.db
import json
import sqlite3
import sys

db = None


def hello(m):
    return {"isostress": 1, "name": "sqlite3",
            "version": "SQLite " + sqlite3.sqlite_version + " by Python",
            "levels": [{"name": "serializable", "claims": "ser"}],
            "sql": {"parameters": "?", "integer": "INTEGER",
                    "returning": "yes", "ignore": ["OR IGNORE ", ""]},
            "causes": {"database is locked": "lock timeout"}}


def open_(m):
    global db
    db = sqlite3.connect(m["place"], timeout=5, isolation_level=None)
    db.execute("PRAGMA journal_mode = wal")
    db.execute("PRAGMA synchronous = normal")
    return {}


def close(m):
    if db:
        db.close()
    return {}


def begin(m):
    if m["level"] != "serializable":
        raise ValueError("no such level: " + m["level"])
    db.execute("BEGIN")
    return {}


def sql(m):
    cursor = db.execute(m["sql"], m.get("params", ()))
    return {"rows": cursor.fetchall(), "count": cursor.rowcount}


def commit(m):
    try:
        db.execute("COMMIT")
    except sqlite3.OperationalError as e:
        if not db.in_transaction:
            raise
        db.execute("ROLLBACK")  # still open: nothing was committed
        return {"fail": str(e), "outcome": "aborted"}
    return {}


def rollback(m):
    if db.in_transaction:
        db.execute("ROLLBACK")
    return {}


verbs = {"hello": hello, "open": open_, "close": close, "begin": begin,
         "sql": sql, "commit": commit, "rollback": rollback}

for line in sys.stdin:
    m = json.loads(line)
    try:
        reply = verbs[m["do"]](m)
    except sqlite3.IntegrityError as e:  # the statement alone had no effect
        reply = {"refused": True}
    except Exception as e:
        reply = {"fail": str(e), "code": getattr(e, "sqlite_errorname", "")}
    reply["id"] = m["id"]
    print(json.dumps(reply), flush=True)
