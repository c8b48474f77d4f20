#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress check --method: second opinions on histories with SQL statements.
. "${TOP_SRCDIR:?}/tests/tap.sh"
cd "$work" || exit 1
plan 32

skew=$TOP_SRCDIR/tests/histories/rows/si-f-both-find-nothing-and-insert.txt
for method in sobound naive; do
  run isostress check -l ser --method=$method "$skew"
  is "$status" 1 "$method: a phantom write skew breaks serializability"
  like "$out" '^VIOLATION: serializability was broken, says ' "$method: says so"
  like "$out" 'There is no proof. *Transactions: 2; extensions of the history looked at: [1-9]' "$method: says that there is no proof"
  run isostress check -l si --method=$method --output=json "$skew"
  is "$status" 0 "$method: and keeps snapshot isolation"
  like "$out" "\"method\": \"$method\"" "$method: JSON says the method"
  like "$out" '"extensions": [1-9]' "$method: JSON says what was looked at"
done
run isostress check -l rc,ra,pc,si,ser --method=sobound "$skew"
is "$(cut -f 2- <<<"$out")" "$(isostress check -l rc,ra,pc,si,ser --method=engine "$skew" | cut -f 2- | sed 's/PhantomWriteSkew//')" \
  "lines say what the engine says, without names of anomalies"
run isostress check -l ser --items-only --method=naive "$skew"
is "$status" 0 "what came back keeps PL-2.99"

printf 'table t(b)\n[ins t/1{b=1}]%%ser\n---\n[sel t{b = 1}:]%%rc\n[sel t{b = 1}: 1@w1]%%rc\n' >mixed.hist
run isostress check -l recorded --method=sobound mixed.hist
is "$status" 0 "levels of their own are kept"
like "$out" 'the level of each transaction was kept' "and named"
for own in "$TOP_SRCDIR"/tests/histories/rows/*.txt; do
  isostress check -l ser "$own" >told 2>&1
  engine=$?
  [ $engine = 2 ] && continue # a history in which no anomaly could occur
  for method in sobound naive; do
    isostress check -l ser --method=$method "$own" >told 2>&1
    [ $? = $engine ] || echo "$own $method"
  done
done >differences
is "$(<differences)" "" "the methods agree on the histories of the tests"

printf '[x:=1]\n---\n[x==1]\n' >plain.hist
run isostress check -l ser --method=sobound plain.hist
is "$status" 2 "a history without statements is undecided"
like "$out" 'Why: --method=sobound decides histories with SQL statements, and this one has none' "a history without statements is told"
run isostress check -l cc --method=sobound "$skew"
is "$status" 2 "a level of which the paper says nothing is undecided"
like "$out" 'has no theorem for cc: it covers rc, ra, pc, si and ser' "such a level is named"
awk 'BEGIN { print "table t(b)"; print ""; for (i = 1; i <= 129; i++) printf "[ins t/%d{b=1}]\n", i }' >large.hist
run isostress check -l ser --method=naive large.hist
is "$status" 2 "a large history is undecided"
like "$out" 'at most 128 transactions that were not aborted, and the history has 129' "the size is told"
awk 'BEGIN { print "table t(b)"; print ""; for (i = 1; i <= 11; i++) printf "[ins t/%d{b=1}]?\n", i }' >doubt.hist
run isostress check -l ser --method=sobound doubt.hist
is "$status" 2 "a history with many unknown outcomes is undecided"
like "$out" 'at most 10 transactions of unknown outcome, and the history has 11' "the unknown outcomes are told"
run isostress check -l ser --real-time --method=sobound "$skew"
is "$status" 2 "real time without times is undecided"
awk 'BEGIN { print "table t(b)"; for (i = 1; i <= 24; i++) printf "---\n[ins t/%d{b=1}]\n---\n[sel t{b = 1}: %d@w%d]\n", i, i, i }' >slow.hist
run isostress check -l ser --method=naive --timeout=0.3 slow.hist
is "$status" 2 "a time limit leaves it undecided"
like "$out" 'Why: time limit: stopped before it was decided' "the time limit is told"
run isostress check -l ser --method=sobound --witness=proof "$skew"
is "$status" 254 "there is no proof to write"
like "$err" 'method=sobound answers without a proof' "and the sentence says so"
printf '{"id": "a", "history": "table t(b)\\n\\n[ins t/1{b=1}]"}\n' >some.jsonl
run isostress check -l ser,cc --method=sobound --output=json some.jsonl
is "$status" 2 "a collection is asked, too"
is "$out" '{"id": "a", "verdicts": {"cc": "undecided", "ser": "pass"}, "anomalies": {}}' "each history of a collection has its answers"
