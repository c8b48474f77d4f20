#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress check --model: logs of Jepsen's tests held against their promises.
. "${TOP_SRCDIR:?}/tests/tap.sh"
cd "$work" || exit 1
plan 27

# log FILE TYPE PROCESS F VALUE...: events of a log, four words each.
log() {
  local file=$1
  shift
  for ((; $#; )); do
    printf '{:type :%s, :process %s, :f :%s, :value %s}\n' "$1" "$2" "$3" "$4"
    shift 4
  done >"$file"
}
# verdict STATUS MODEL FILE WORDS TEXT: the exit status, and that the answer has the words.
verdict() {
  run isostress check --model="$2" "$3"
  is "$status:$([[ $out == *"$4"* ]] && echo yes || echo "$out$err")" "$1:yes" "$5"
}

log bank.edn ok 0 read '{0 100, 1 0}' ok 0 transfer '{:from 0 :to 1 :amount 5}' ok 1 read '{0 95, 1 0}'
run isostress check --model=bank bank.edn
is "$status" 1 "money that vanished"
is "$out" "VIOLATION: the model bank was broken by WrongTotal.
  3 operations, 2 reads checked.
  A read saw 95 in all accounts; transfers keep their sum, and the first read saw 100.
    line 1: process 0, read {0 100, 1 0}; succeeded.
    line 3: process 1, read {0 95, 1 0}; succeeded." "is told with the two reads"
tail -1 bank.edn >last.edn
verdict 0 'bank?total=95' last.edn "PASS: the model bank was kept" "a total that is given"
run isostress check --model=bank --output=json bank.edn
is "$(sed -n 's/ *"broken_by": //p' <<<"$out")" '"WrongTotal",' "as JSON"
log negative.edn ok 0 read '{0 5, 1 -5}'
verdict 1 bank negative.edn "A read saw a balance of -5" "a balance below zero"
verdict 0 'bank?negative=1' negative.edn PASS "which may be allowed"
log other.edn ok 0 read '{0 5}' ok 0 read '{0 5, 2 0}'
verdict 1 bank other.edn UnknownAccount "an account that was not there"
log nil.edn ok 0 read '{0 5}' ok 0 read '{0 nil}'
verdict 1 bank nil.edn NoBalance "an account without a balance"
echo '[{"type":"ok","process":0,"f":"read","value":{"a":3,"b":4}},{"type":"ok","process":0,"f":"read","value":{"a":3,"b":5}}]' >bank.json
verdict 1 bank bank.json WrongTotal "a log in JSON"

log order.edn ok 1 read '[12 [nil "12_1"]]' ok 1 read '["k" [nil nil]]'
verdict 0 sequential order.edn "2 reads checked" "what was written first is seen"
log order.edn ok 1 read '[12 ["12_2" nil]]'
verdict 1 sequential order.edn LaterWithoutEarlier "or is not"

log dirty.edn invoke 0 write 7 fail 0 write 7 ok 1 read '[3 7 3]' ok 2 write 3
verdict 1 dirty-reads dirty.edn "DirtyRead" "a row of a write that failed"
log clean.edn invoke 0 write 7 info 0 write 7 ok 1 read '[3 7 3]' ok 2 write 3
verdict 0 dirty-reads clean.edn PASS "nobody knows whether it failed"
log strong.edn ok 0 write 1 ok 0 write 2 ok 1 strong-read '#{1}' ok 2 strong-read '#{1 2}'
verdict 1 dirty-reads strong.edn LostWrite "a strong read lacks a write"
log strong.edn ok 0 write 1 ok 0 read 2 ok 1 strong-read '#{1}'
verdict 1 dirty-reads strong.edn DirtyRead "a read saw what no strong read sees"

log set.edn ok 0 add '[0 1]' ok 0 add '"b"' ok 1 read '[[0 1] "b" "b"]'
verdict 1 set set.edn TwiceInSet "an element that is there twice"
log set.edn ok 0 add 1 info 0 add 2 invoke 1 read nil ok 1 read '[1]' \
  invoke 1 read nil ok 1 read '[]' invoke 1 read nil ok 1 read '[1]'
verdict 0 set-full set.edn PASS "an element that comes back"
verdict 1 'set-full?linearizable=1' set.edn StaleRead "was missing meanwhile"
log set.edn ok 0 add 1
verdict 2 set set.edn UNDECIDED "nobody looked"
printf '%s\n' '{:type :invoke, :f :add, :value 1}' '{:type :ok, :f :add, :value 1}' \
  '{:type :invoke, :f :read, :value nil}' '{:type :info, :process :nemesis, :f :start, :value {[1] #{2}}}' \
  '{:type :ok, :f :read, :value 2}' >nobody.edn
verdict 1 counter nobody.edn "between 1 and 1" "events without a process, and of the nemesis"

run isostress check --model=bank bank.edn negative.edn bank.json
is "$out" "$(printf '%s\tbank\tviolation\t%s\n' bank.edn WrongTotal negative.edn NegativeBalance bank.json WrongTotal)" \
  "a line for each of several logs"
log bad.edn ok 0 read '[1 2]'
run isostress check --model=bank bad.edn
is "$status:$err" "255:isostress: bad.edn: line 1: expected a map of accounts and balances, such as {0 10}" "a value of another test"
echo '{:type :ok, :f :read' >torn.edn
run isostress check --model=counter torn.edn
is "$status:${err%%:2:*}" "255:isostress: torn.edn" "a log that was cut off"
run isostress check --model=bnk bank.edn
is "$status" 254 "a model that is not there"
like "$err" 'did you mean bank' "and the one that is near"
run isostress check --model='bank?sum=3' bank.edn
is "$status:$err" '254:isostress: --model: the model bank has no option "sum=3"' "an option that is not there"
run isostress check --model=bank -l ser bank.edn
is "$status" 254 "a model has no level"
