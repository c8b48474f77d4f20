#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random small scripts, performed on a live database in random orders: what the
clients are told must be an outcome that explore lists at the level.

usage: explore_random.py SECONDS SEED ADMIN-COMMAND LEVEL "DATABASE'S LEVEL"
where ADMIN-COMMAND begins a client, psql or mariadb.  Prints each difference,
and a last line: how many performances were compared, and how many differ.  A
performance that the database ends by a deadlock or a conflict is none."""
import os
import random
import re
import select
import shlex
import subprocess
import sys
import time

ROWS = 3
SCHEMA = ("CREATE TABLE t (id int PRIMARY KEY, a int, b int);\n"
          "INSERT INTO t VALUES (1, 0, 1), (2, 1, 0);\n")
PLAIN = "select"
STATEMENTS = {
    "SELECT a FROM t WHERE id = %d \\gset": "variable",
    "SELECT id FROM t WHERE id = %d;": PLAIN,
    "SELECT b FROM t WHERE id = %d FOR UPDATE;": PLAIN,
    "SELECT COUNT(*) FROM t WHERE a > 0;": "number",
    "SELECT SUM(b) FROM t;": "number",
    "SELECT b FROM t WHERE a = 1;": PLAIN,
    "UPDATE t SET a = a + 1 WHERE id = %d;": "change",
    "UPDATE t SET a = :a + 1 WHERE id = %d;": "change",
    "UPDATE t SET b = 2 WHERE id = %d AND a > 0;": "change",
    "INSERT INTO t VALUES (%d, 1, 1);": "insert",
    "INSERT INTO t VALUES (%d, 1, 1) ON CONFLICT DO NOTHING;": "change",
    "DELETE FROM t WHERE id = %d AND b < 2;": "change",
}
ENDED = re.compile("deadlock|could not serialize|Record has changed|try restarting", re.I)


class Client:
    """A session of psql or mariadb, whose answers are read up to a mark."""

    def __init__(self, command):
        self.is_mysql = "psql" not in command[0]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, bufsize=0)
        self.text, self.marks = "", 0

    def send(self, sql):
        self.marks += 1
        if self.is_mysql:
            sql = sql.replace("INSERT INTO", "INSERT IGNORE INTO") if "CONFLICT" in sql else sql
            sql = sql.replace(" ON CONFLICT DO NOTHING", "")
            count = "" if sql.startswith("SELECT") else "SELECT ROW_COUNT();\n"
            sql += f"\n{count}SELECT '@{self.marks}@';\n"
        else:
            sql += f"\n\\echo @{self.marks}@\n"
        self.process.stdin.write(sql.encode())

    def answer(self, seconds):
        """The lines up to the mark; None if it did not come."""
        mark, end = f"@{self.marks}@\n", time.monotonic() + seconds
        while mark not in self.text:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))
            more = os.read(self.process.stdout.fileno(), 65536) if ready else b""
            if not more:
                return None
            self.text += more.decode()
        lines, self.text = self.text.split(mark, 1)
        return [line for line in lines.split("\n") if line]

    def ask(self, sql):
        self.send(sql)
        return self.answer(60)


class Transaction:
    def __init__(self, client, script, level):
        self.client, self.script, self.at = client, script, 0
        self.told, self.variable, self.state = [], None, "open"
        if client.is_mysql:
            client.ask("SET innodb_snapshot_isolation = OFF;")
            client.ask(f"SET SESSION TRANSACTION ISOLATION LEVEL {level};")
            client.ask("BEGIN;")
        else:
            client.ask(f"BEGIN ISOLATION LEVEL {level};")

    def send(self):
        if self.at == len(self.script):
            self.client.send("COMMIT;")
        else:
            self.client.send(self.script[self.at][0].replace(" \\gset", ";").replace(":a", str(self.variable)))

    def take(self, lines):
        """What the client makes of the answer."""
        text = "\n".join(lines)
        if ENDED.search(text):
            self.state = "refused"
        elif self.at == len(self.script):
            self.state = "committed"
        elif re.search("ERROR", text):
            self.state = "rollback" if re.search("duplicate", text, re.I) else "refused"
        else:
            self.tell(lines, self.script[self.at][1])
            self.at += 1
        if self.state in ("rollback", "refused"):
            self.client.ask("ROLLBACK;")

    def tell(self, lines, kind):
        if kind in (PLAIN, "variable"):
            rows = sorted(int(line) for line in lines)
            self.told.append("[" + " ".join(f"[{n}]" for n in rows) + "]")
            if kind == "variable" and rows:
                self.variable = rows[0]
            elif kind == "variable":
                self.state = "rollback"
        elif kind == "number":
            self.told.append(lines[0] if lines and lines[0] != "NULL" else "none")
        elif kind == "change":
            n = int(lines[-1].split()[-1])
            self.told.append("?" if self.client.is_mysql and n < 1 else str(n))


def script(draw):
    lines, has_variable = [], False
    for _ in range(draw.randint(1, 4)):
        text = draw.choice(list(STATEMENTS))
        kind = STATEMENTS[text]
        if ":a" in text and not has_variable:
            text = text.replace(":a", "0")
        has_variable |= kind == "variable"
        lines.append((text.replace("%d", str(draw.randint(1, ROWS))), kind))
    return lines


def keys(lines, *words):
    """The ids of the statements that begin with one of the words."""
    return {re.search(r"(?:id = |VALUES \()(\d)", text)[1] for text, _ in lines if text.startswith(words)}


def is_known(scripts, level):
    """Where PostgreSQL differs from the levels by design (explore/PROGRAMS.md):
    a statement that waited for a row that was deleted and inserted again finds
    neither; and with a snapshot an INSERT sees what is newest all the same."""
    if level == "rc-statement":
        return any(keys(lines, "DELETE") & keys(lines, "INSERT") for lines in scripts)
    return any(keys(one, "INSERT") & keys(other, "INSERT", "DELETE")
               for one in scripts for other in scripts if one is not other)


def outcomes(level, scripts):
    """The outcomes that explore lists, as [told of each session]."""
    names = []
    for i, lines in enumerate(scripts):
        names.append(f"s{i}.pgbench")
        with open(names[-1], "w") as file:
            file.write("\n".join(["BEGIN;"] + [text for text, _ in lines] + ["COMMIT;"]) + "\n")
    said = subprocess.run(["isostress", "explore", "-i", level, "--outcomes", "--schema", "schema.sql"] + names,
                          capture_output=True, text=True).stdout
    found = []
    for line in said[said.index("outcomes at"):].split("\n")[1:]:
        parts = re.sub(r"^ *[0-9]+ +", "", line).split("; ")
        if not line.startswith("  ") or ":" not in line:
            break
        found.append([part.split(":", 1)[1].split("  ")[0].strip() for part in parts])
    return found


def perform(draw, clients, scripts, level):
    """What each session was told; None: the database ended one of them."""
    clients[-1].ask("DELETE FROM t;")
    clients[-1].ask("INSERT INTO t VALUES (1, 0, 1), (2, 1, 0);")
    all_of_them = [Transaction(c, s, level) for c, s in zip(clients, scripts)]
    sent, since = set(), time.monotonic()
    while any(t.state == "open" for t in all_of_them):
        t = draw.choice([t for t in all_of_them if t.state == "open"])
        if t not in sent:
            t.send()
            sent.add(t)
        for u in list(sent):
            lines = u.client.answer(0.03 if u is t else 0)
            if lines is not None:
                sent.discard(u)
                u.take(lines)
                since = time.monotonic()
        if time.monotonic() - since > 90:
            sys.exit("the database does not answer")
    if any(t.state == "refused" for t in all_of_them):
        return None
    return [" ".join(t.told + ["rollback"] * (t.state == "rollback")) for t in all_of_them]


def agrees(told, outcome):
    return all(re.fullmatch(re.escape(a).replace("\\?", "[01]"), b) for a, b in zip(told, outcome))


def main():
    seconds, seed, command, level, theirs = sys.argv[1:]
    draw, end = random.Random(int(seed)), time.monotonic() + float(seconds)
    with open("schema.sql", "w") as file:
        file.write(SCHEMA)
    clients = [Client(shlex.split(command)) for _ in range(4)]
    clients[-1].ask("DROP TABLE IF EXISTS t;")
    clients[-1].ask("CREATE TABLE t (id int PRIMARY KEY, a int, b int);")
    compared = differ = ended = 0
    while time.monotonic() < end:
        scripts = [script(draw) for _ in range(draw.choice((2, 2, 3)))]
        if not clients[0].is_mysql and is_known(scripts, level):
            continue
        found = outcomes(level, scripts)
        for _ in range(8):
            told = perform(draw, clients, scripts, theirs)
            ended += told is None
            if told is None:
                continue
            compared += 1
            if not any(agrees(told, outcome) for outcome in found):
                differ += 1
                print("DIFFERENT", told, "is none of", found, [[text for text, _ in s] for s in scripts], flush=True)
    clients[-1].ask("DROP TABLE t;")
    print(f"{compared} compared, {differ} differ, {ended} ended by the database")


main()
