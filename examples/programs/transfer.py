#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Transactions of a program: moves money between accounts, and tries again what
the database refused.  It asks isostress for each statement by a line of JSON, and
reads the answer as one (README.md)."""
import json
import os
import random
import sys


class Refused(Exception):
    """The database ended the transaction; `code` is its own."""

    def __init__(self, answer):
        super().__init__(answer["message"])
        self.code = answer["error"]


def ask(**request):
    """Sends a request and returns its answer; ends with the run."""
    print(json.dumps(request), flush=True)
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    answer = json.loads(line)
    if "error" in answer:
        raise Refused(answer)
    return answer


def transfer(source, target, amount):
    """The balance is computed here, from one that may be old."""
    ask(begin="transfer")
    rows = ask(sql=f"SELECT balance FROM account WHERE id = {source}")["rows"]
    balance = int(rows[0][0])
    if balance < amount:
        ask(rollback=1)
        return
    ask(sql=f"UPDATE account SET balance = {balance - amount} WHERE id = {source}")
    ask(sql=f"UPDATE account SET balance = balance + {amount} WHERE id = {target}")
    ask(commit=1)


random.seed(f"{os.environ['ISOSTRESS_SEED']} {os.environ['ISOSTRESS_SESSION']}")
while True:
    source, target = random.sample(range(1, 5), 2)
    amount = random.randint(1, 20)
    for _ in range(5):
        try:
            transfer(source, target, amount)
            break
        except Refused as refused:
            if refused.code not in ("40001", "40P01"):
                raise
