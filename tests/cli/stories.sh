#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The memory driver shows each of the 14 anomalies of the mini-transactions
# paper (figure 5); each is called by its name and told word for word as in
# tests/stories/.  After a deliberate change of the words, write them again with
# STORIES=write and read the difference.
. "${TOP_SRCDIR:?}/tests/tap.sh"

stories=$TOP_SRCDIR/tests/stories
cd "$work" || exit 1

# Each run shows its anomaly once, so that nobody has to choose: bug and
# probability, seed, transactions per session.
cases='
ThinAirRead:0.001 4 200
AbortedRead:0.001 3 200
FutureRead:0.001 4 200
NotMyLastWrite:0.005 8 200
NotMyOwnWrite:0.005 15 200
IntermediateRead:0.005 3 200
NonRepeatableReads:0.02 46 200
SessionGuaranteeViolation:0.002 33 100
NonMonotonicRead:0.002 56 200
FracturedRead:0.005 7 200
CausalityViolation:0.002 14 200
LongFork:0.002 48 200
LostUpdate:0.002 7 200
WriteSkew:0.5 2 200'

# tell BUG SEED TRANSACTIONS: the first counterexample that the report of its run
# tells, without times taken by the checker.
tell() {
  isostress run -v --threads=1 --bug="$1" --seed="$2" -t "$3" -c 4 -k 20 \
    --distribution=uniform memory: 2>/dev/null |
    sed -n '/^VIOLATION/,/^results:/p' | sed 's/ ([0-9.]* s)\.$//' |
    awk '/^$/ && ++empty == 2 || /^results:/ { exit } { print }'
}

plan $((3 * 14 + 1))
is "$(isostress list bugs | sed -n '/of tables of rows/!s/^\([A-Z][A-Za-z]*\).*/\1/p')" \
  "$(sed -n 's/:.*//p' <<<"$cases")" "every bug has a story"
while IFS=' ' read -r bug seed transactions; do
  [ -n "$bug" ] || continue
  name=${bug%:*}
  got=$(tell "$bug" "$seed" "$transactions")
  [ "${STORIES:-}" != write ] || printf '%s\n' "$got" >"$stories/$name.txt"
  is "$got" "$(cat "$stories/$name.txt")" "the story of $name"
  like "$got" "^VIOLATION: serializability was broken by $name( |\.)" "is called by its name"
  is "$(python3 "$TOP_SRCDIR/tests/lacking.py" results/runs/latest 2>&1)" "" "the picture shows the story"
done <<<"$cases"
