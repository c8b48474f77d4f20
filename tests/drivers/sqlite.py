#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# SQLite by a pipe, through Python's sqlite3: sqlite.py [RETURNING [LEVEL]], where
# RETURNING is yes or no.
import json
import sqlite3
import sys

returning = sys.argv[1] if len(sys.argv) > 1 else "yes"
claims = sys.argv[2] if len(sys.argv) > 2 else "ser"
db = None


def hello(m):
    return {"isostress": 1, "name": "sqlite3", "version": "SQLite " + sqlite3.sqlite_version + " by Python",
            "levels": [{"name": "serializable", "claims": claims}],
            "sql": {"parameters": "?", "integer": "INTEGER", "returning": returning, "ignore": ["OR IGNORE ", ""]},
            "causes": {"database is locked": "lock timeout"}}


def open_(m):
    global db
    db = sqlite3.connect(m["place"], timeout=60, isolation_level=None)
    db.execute("PRAGMA journal_mode = wal")
    db.execute("PRAGMA synchronous = off")


def close(m):
    if db:
        db.close()


def begin(m):
    db.execute("BEGIN")


def sql(m):
    cursor = db.execute(m["sql"], m.get("params", ()))
    return {"rows": cursor.fetchall(), "count": max(cursor.rowcount, 0)}


def commit(m):
    try:
        db.execute("COMMIT")
    except sqlite3.OperationalError as e:
        if not db.in_transaction:
            raise
        db.execute("ROLLBACK")  # nothing was committed
        return {"fail": str(e), "outcome": "aborted"}


def rollback(m):
    if db.in_transaction:
        db.execute("ROLLBACK")


verbs = {"hello": hello, "open": open_, "close": close, "begin": begin, "sql": sql, "commit": commit,
         "rollback": rollback}

for line in sys.stdin:
    m = json.loads(line)
    try:
        reply = verbs[m["do"]](m) or {}
    except sqlite3.IntegrityError:  # the statement alone had no effect
        reply = {"refused": True}
    except Exception as e:
        reply = {"fail": str(e) or repr(e)}
    print(json.dumps({"id": m["id"], **reply}), flush=True)
