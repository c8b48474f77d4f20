#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Proofs that are kept in files and checked again.
. "${TOP_SRCDIR:?}/tests/tap.sh"

cd "$work" || exit 1
isostress run -c 4 -t 2k -k 20 --distribution=uniform --threads=1 --seed=1 -i ser \
  --bug=WriteSkew --witness=skew.proof memory: >/dev/null 2>&1
mv results/runs/latest/history skew
isostress run -c 3 -t 300 -k 10 --threads=1 --seed=1 -i si memory: >/dev/null 2>&1
mv results/runs/latest/history good
cat >middle.txt <<'END'
[x==7 x:=8]
[x==8]
END

plan 30
run isostress verify skew skew.proof
is "$status" 1 "a violation that a run proved"
like "$out" '^VIOLATION proved: serializability was broken\.$' "is proved again"
like "$out" '^  Proof: a cycle of 2 transactions' "the proof says what it rests on"
run isostress check --witness=good.proof good
is "$status" 0 "a check that writes a witness"
like "$out" '^PASS: snapshot isolation' "reports as ever"
is "$(echo good.proof*)" good.proof "no temporary file is left beside the proof"
run isostress verify good good.proof
is "$status" 0 "a level that was kept"
like "$out" '^PASS proved: snapshot isolation was kept\.$' "is proved again"
run isostress verify skew good.proof
is "$status" 255 "another history"
like "$err" 'good.proof does not prove anything about skew: the witness is about another history' "is named"
is "$out" "" "a proof of another history proves nothing"

head -c 1000 good.proof >cut.proof
run isostress verify good cut.proof
is "$status" 255 "the witness was cut off"
like "$err" 'cut.proof: the witness was cut off or changed' "is refused"
run isostress verify good skew
is "$status" 255 "what is no witness"
like "$err" 'skew: this is no witness: write one with' "is refused"
run isostress verify good
is "$status" 254 "a witness is needed"
mkdir holds && cp good holds/
isostress check -l si --witness=held.proof good >/dev/null
run isostress verify holds held.proof
is "$status" 0 "a directory that holds one history"
cp skew holds/
run isostress verify holds held.proof
is "$status:$err" "254:isostress: holds holds 2 histories: name one of them, such as holds/good" "a directory of several histories is refused"
run isostress verify good /dev/zero
is "$status:$err" "255:isostress: /dev/zero: is a device, not a file with a witness" "a device is no witness"
run isostress verify good missing.proof
is "$status:$err" "255:isostress: missing.proof: No such file or directory" "a witness has to exist"

run isostress check --init=first-read -l ser --witness=middle.proof middle.txt
is "$status" 0 "a history that was read in a way of its own"
run isostress verify middle.txt middle.proof
is "$status" 0 "is read in that way again"
run isostress verify --init=implicit middle.txt middle.proof
is "$status" 255 "unless told otherwise"
run isostress check --init=7 -l ser --witness=seven.proof middle.txt
is "$status" 0 "a history whose keys held a value"
run isostress verify --init=7 middle.txt seven.proof
is "$status" 0 "is read with this value again"
run isostress verify middle.txt seven.proof
is "$status:$err" "254:isostress: seven.proof: its history was read with --init=VALUE: give the same --init to verify" \
  "verify asks for the value of --init"

run isostress check --witness=x -l si,ser good
is "$status:$err" "254:isostress: --witness takes one history and one level" "--witness takes one level"
run isostress check --witness=x -l auto good
is "$status:$err" "254:isostress: --witness takes one history and one level" "--witness does not take all levels"
run isostress check --witness=missing/x good
is "$status" 255 "a place that is not there"
is "$out$err" "isostress: cannot write missing/x: No such file or directory" "is refused before anything is checked"
