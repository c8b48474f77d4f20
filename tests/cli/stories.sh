#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The memory driver shows each of the 14 anomalies of the mini-transactions
# paper (figure 5); each is called by its name and told word for word as in
# tests/stories/.  After a deliberate change of the words, write them again with
# STORIES=write and read the difference.
. "${TOP_SRCDIR:?}/tests/tap.sh"

stories=$TOP_SRCDIR/tests/stories
cd "$work" || exit 1

# tell BUG: the counterexample that the report of its run tells, without times
# taken by the checker.
tell() {
  isostress run --threads=1 --seed=1 -t 2k -c 4 -k 20 --distribution=uniform \
    --bug="$1" memory: 2>/dev/null |
    sed -n '/^VIOLATION/,/^results:/{/^results:/d;s/ ([0-9.]* s)\.$//;p}'
}

# What the pictures of the newest run lack of the transactions and operations of
# its counterexample; an SVG that is not well-formed is an error.
lacking() {
  python3 - results/runs/latest <<'END'
import json, sys, xml.etree.ElementTree as tree
directory = sys.argv[1]
example = json.load(open(directory + "/report.json"))["verdict"]["counterexample"]
for picture in "counterexample-1.svg", "counterexample-1-timeline.svg":
    text = " ".join(tree.parse(directory + "/" + picture).getroot().itertext())
    for txn in example["transactions"]:
        for wanted in [txn["name"]] + [o["label"] for o in txn["operations"]]:
            if wanted not in text:
                print(picture, "lacks", wanted)
END
}

names=$(isostress list bugs | sed -n 's/^\([A-Z][A-Za-z]*\).*/\1/p')
# shellcheck disable=SC2086  # a list of names
set -- $names
plan $((3 * $# + 1))
is "$#" 14 "there are 14 bugs"
for name; do
  got=$(tell "$name")
  [ "${STORIES:-}" != write ] || printf '%s\n' "$got" >"$stories/$name.txt"
  is "$got" "$(cat "$stories/$name.txt")" "the story of $name"
  like "$got" "^VIOLATION: serializability was broken by $name( |\.)" "is called by its name"
  if command -v dot >/dev/null; then
    is "$(lacking 2>&1)" "" "and both pictures show it"
  else
    skip "and both pictures show it" "no Graphviz"
  fi
done
