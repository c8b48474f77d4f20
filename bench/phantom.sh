#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# How long does a violation by conditions take in a history whose other transactions
# all change one row?  A statement that did not return a row closes a cycle of three
# transactions, between N updates of the row (60000) and N more.  From the top of a
# checkout that was configured in build/,
#
#   TOP_BUILDDIR=build WRITE=yes bench/phantom.sh [N]
#
# prints the verdict and the time at the levels of the transactions and at SER, and writes
# results/phantom.txt anew.
. "$(dirname "${BASH_SOURCE[0]}")/throwaway.sh"
n=${1:-60000}

python3 - "$n" >"$work/phantom.jsonl" <<'X'
import json
import sys

n, written, time = int(sys.argv[1]), 0, 0


def txn(session, level, *ops):
    global time
    time += 10
    return {"session": session, "ops": list(ops), "begin": time, "end": time + 5, "level": level}


def update(table, saw, value):
    global written
    written += 1
    return "upd %s{id = 0}: 0@%s{v=%d}" % (table, saw, value), "w%d" % written


out, last = [], "?"
for i in range(n):
    one, last = update("w", last, i)
    out.append(txn(0, "rc", one))
one, _ = update("c", "?", 1)
out += [txn(1, "rc", one), txn(1, "ser", "sel w{id = 0}: 0@" + last)]
one, last = update("w", last, -1)
out.append(txn(2, "ser", "sel c{v = 1}:", one))
for i in range(n):
    one, last = update("w", last, -2 - i)
    out.append(txn(2, "rc", one))
out[0] = {"tables": ["w(v): 0{v=0}", "c(v): 0{v=0}"], **out[0]}
print("\n".join(map(json.dumps, out)))
X
sed 's/"level": "rc"/"level": "ser"/' "$work/phantom.jsonl" >"$work/ser.jsonl"

measure() { # measure LEVEL FILE
  command time -o "$work/took" -f '%U s user, %S s system, %e s wall, %M KB' \
    "$isostress" check -j 1 -l "$1" "$work/$2" 2>/dev/null | grep -E '^(PASS|VIOLATION|UNDECIDED)|Proof:'
  sed '/exited with/d; s/^/  /' "$work/took"
}

{
  echo "\$ bench/phantom.sh $n"
  echo "# $(nproc) cores of $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)${SHARED:+, $SHARED};" \
    "load before $(cut -d ' ' -f 1 /proc/loadavg)"
  measure recorded phantom.jsonl
  measure ser ser.jsonl
} > >(tee "$work/result")
wait $! # for tee
[ "${WRITE:-}" != yes ] || cp "$work/result" "$top/results/phantom.txt"
