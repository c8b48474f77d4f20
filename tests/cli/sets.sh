#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Sets that grow, in transactions: every format that has them, at every level, in
# words that a person understands.
. "${TOP_SRCDIR:?}/tests/tap.sh"
cd "$work" || exit 1
formats=$TOP_SRCDIR/tests/histories/formats

verdicts() { # verdicts FILE: the letter of the verdict of each level from RC to SER
  local level
  for level in rc ra cc pc si ser; do
    isostress check -l "$level" "$1" 2>/dev/null | head -c 1
  done
}

told() { # told HISTORY LEVEL: what is said of the history, as one line
  printf '%b\n' "$1" >told.hist
  isostress check -l "$2" told.hist 2>&1 | tr -s '\n ' ' '
}

plan 39
# As a test of causal consistency has it: nothing is wrong here.
cat >valid.edn <<'END'
{:process 0, :type :ok, :f :txn, :value [[:w :basket 5]]}
{:process 1, :type :ok, :f :txn, :value [[:r :basket #{5}]]}
{:process 1, :type :ok, :f :txn, :value [[:w :basket 6]]}
{:process 0, :type :ok, :f :txn, :value [[:r :basket #{5 6}]]}
END
is "$(verdicts valid.edn)" PPPPPP "a set that everybody saw grow keeps every level"
sed 's/#{5 6}/#{6}/' valid.edn >stale.edn
is "$(verdicts stale.edn)" PVVVVV "its own earlier add is missing: a session forgot it"
run isostress check -l cc stale.edn
like "$out" 'read :basket without 5' "it says which element is missing"

for sample in edn-sets.edn sets.jsonl sets.hist; do
  is "$(verdicts "$formats/$sample")" PPPPPP "$sample keeps every level"
  for to in jsonl text edn; do
    isostress convert --to=$to "$formats/$sample" "$sample.$to" 2>/dev/null
    is "$(verdicts "$sample.$to") $(isostress stat "$sample.$to" | grep -cE '^sets +[12],')" \
      "PPPPPP 1" "and as $to"
  done
done
run isostress convert --to=jsonl "$formats/sets.jsonl" -
is "$(grep -c '"set":' <<<"$out") $(grep -c '\["add","basket"' <<<"$out")" "2 3" \
  "an add and a read are written as one operation each"
run isostress convert "$formats/sets.hist" registers.json
like "$err" 'elle-json cannot represent sets: each element becomes a register of its own' \
  "elsewhere the elements become registers"
run isostress convert stale.edn stale.iso
is "$(verdicts stale.iso)" PVVVVV "which say the same"

like "$(told '[x|=5]!\n---\n[x=={5}]' rc)" 'found 5 in x, which T1 added, but T1 aborted' "AbortedRead"
like "$(told '[x|=5]\n---\n[x=={5,6}]' rc)" 'found 6 in x, which no transaction ever added' "ThinAirRead"
like "$(told '[x|=5 x=={}]' rc)" 'read x without 5, though it had added it itself before' "NotMyOwnWrite"
like "$(told '[x=={5} x|=5]' rc)" 'found 5 in x, which it added itself only later' "FutureRead"
like "$(told '[x|=5]\n---\n[x=={5} x=={}]' ser)" 'read x without 5, though it had found it before' \
  "an element that vanished"
like "$(told '[x|=5 x|=6]\n---\n[x=={6}]' rc)" 'VIOLATION.*read x without 5, which T1 added' \
  "half of one transaction"
like "$(told '[x|=5]\n---\n[x|=6]\n---\n[x=={5}]\n---\n[x=={6}]' pc)" 'VIOLATION.*LongFork' "a long fork"
like "$(told '[x=={} x|=5]\n---\n[x=={} x|=6]' si)" '^PASS' "adds do not conflict at SI"
like "$(told '[x=={} x|=5]\n---\n[x=={} x|=6]' ser)" 'WriteSkew.*read x without 6, which T2 added' \
  "but each missed the other"
like "$(told '[x|=5]\n---\n[x=={5,9}]\n---\n[x=={9}]' rc)" 'VIOLATION' "nobody added 9"
like "$(isostress check -l ser --init=first-read told.hist)" '^PASS' "which may have been there at first"
like "$(told '[x|=5]\n---\n[x=={5,9}]\n---\n[x=={}]' rc; isostress check -l ser --init=first-read told.hist)" \
  'read x without 9, though it was there at first' "but not if another read lacks it"

refused() { # refused HISTORY TEXT NAME
  printf '%b\n' "$1" >refused.hist
  run isostress check refused.hist
  is "$status $(grep -cF -- "$2" <<<"$err")" "255 1" "$3"
}
refused '[x|=5]\n---\n[x|=5]' 'element 5 is added to set x twice, in session 0, transaction 0 and in session 1' \
  "an element is added once"
like "$(isostress check -l ser --duplicate-values=allow refused.hist)" '^PASS' "or twice, if that is allowed"
refused '[y:=1]\n[x|=5]\n[y:=2 x==[5]]' 'key x is a set in line 2, and a list in session 0, transaction 2' \
  "a set is no list"
refused '[x:=5]\n\n[x=={5}]' 'key x is a set in line 3, and a register in session 0, transaction 0' \
  "a set is no register"
refused '[x|=5 x|=6]\n[x=={5 6}]' "refused.hist:2:8: expected ',' or '}' in the set" "a mistake has its place"
cat >both.edn <<'END'
{:process 0, :type :ok, :f :txn, :value [[:w :a 5]]}
{:process 0, :type :ok, :f :txn, :value [[:r :a #{5}] [:r :b 1]]}
{:process 1, :type :ok, :f :txn, :value [[:r :a 5] [:w :b 1]]}
END
run isostress check both.edn
is "$err" "isostress: both.edn: key :a is a set in line 2, and a register in session 1, transaction 0: it can only be one of them" \
  "one word for adding and for writing, but not for both kinds of reads"
sed 's/\[:r :a 5\] //' both.edn >mixed.edn
is "$(verdicts mixed.edn)" PPPPPP "a set and a register stand side by side"
{
  for i in $(seq 3000); do echo "[x|=$i]"; done
  echo ---
  for i in $(seq 3000); do echo '[x=={}]'; done
} >large.hist
run isostress check -l rc large.hist
like "$err" '3000 reads of sets say of 9000000 elements' "a small file cannot ask for much memory"
run isostress check -l ser --output=json valid.edn
like "$out" '"keys": 1$' "a set is one key, whatever it holds"
