#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress check --model: logs of Jepsen's tests held against their promises.
. "${TOP_SRCDIR:?}/tests/tap.sh"
cd "$work" || exit 1
plan 73

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
is "$status" 1 "bank: a read that lacks money breaks the model"
is "$out" "VIOLATION: the model bank was broken by WrongTotal.
  3 operations, 2 reads checked.
  A read saw 95 in all accounts; transfers keep their sum, and the first read saw 100.
    line 1: process 0, read {0 100, 1 0}; succeeded.
    line 3: process 1, read {0 95, 1 0}; succeeded." "bank: the violation is told with its reads"
tail -1 bank.edn >last.edn
verdict 0 'bank?total=95' last.edn "PASS: the model bank was kept" "bank: the total can be given"
run isostress check --model=bank --output=json bank.edn
is "$(sed -n 's/ *"broken_by": //p' <<<"$out")" '"WrongTotal",' "bank: JSON names the anomaly"
log negative.edn ok 0 read '{0 5, 1 -5}'
verdict 1 bank negative.edn "A read saw a balance of -5" "bank: a balance below zero breaks the model"
verdict 0 'bank?negative=1' negative.edn PASS "bank: a balance below zero can be allowed"
log other.edn ok 0 read '{0 5}' ok 0 read '{0 5, 2 0}'
verdict 1 bank other.edn UnknownAccount "bank: an account that was not there breaks the model"
log nil.edn ok 0 read '{0 5}' ok 0 read '{0 nil}'
verdict 1 bank nil.edn NoBalance "bank: an account without a balance breaks the model"
echo '[{"type":"ok","process":0,"f":"read","value":{"a":3,"b":4}},{"type":"ok","process":0,"f":"read","value":{"a":3,"b":5}}]' >bank.json
verdict 1 bank bank.json WrongTotal "bank: a log in JSON is read, too"

log order.edn ok 1 read '[12 [nil "12_1"]]' ok 1 read '["k" [nil nil]]'
verdict 0 sequential order.edn "2 reads checked" "sequential: a read sees the earlier write"
log order.edn ok 1 read '[12 ["12_2" nil]]'
verdict 1 sequential order.edn LaterWithoutEarlier "sequential: a read that sees only the later write breaks the model"

log dirty.edn invoke 0 write 7 fail 0 write 7 ok 1 read '[3 7 3]' ok 2 write 3
verdict 1 dirty-reads dirty.edn "DirtyRead" "dirty-reads: a read saw a write that failed"
log clean.edn invoke 0 write 7 info 0 write 7 ok 1 read '[3 7 3]' ok 2 write 3
verdict 0 dirty-reads clean.edn PASS "dirty-reads: a read may see a write whose outcome is unknown"
log strong.edn ok 0 write 1 ok 0 write 2 ok 1 strong-read '#{1}' ok 2 strong-read '#{1 2}'
verdict 1 dirty-reads strong.edn LostWrite "dirty-reads: a strong read lacks a write"
log strong.edn ok 0 write 1 ok 0 read 2 ok 1 strong-read '#{1}'
verdict 1 dirty-reads strong.edn DirtyRead "dirty-reads: a read saw an element that no strong read sees"

log set.edn ok 0 add '[0 1]' ok 0 add '"b"' ok 1 read '[[0 1] "b" "b"]'
verdict 1 set set.edn TwiceInSet "set: an element that is there twice breaks the model"
log set.edn ok 0 add 1 info 0 add 2 invoke 1 read nil ok 1 read '[1]' \
  invoke 1 read nil ok 1 read '[]' invoke 1 read nil ok 1 read '[1]'
verdict 0 set-full set.edn PASS "set-full: an element may be missing for a while"
verdict 1 'set-full?linearizable=1' set.edn StaleRead "set-full: an element that is missing for a while is a stale read"
log set.edn ok 0 add 1
verdict 2 set set.edn UNDECIDED "set: without a read the model is undecided"
log lock.edn ok 0 acquire nil info 1 release nil ok 2 acquire nil fail 3 acquire nil
verdict 0 mutex lock.edn "4 operations, 2 effects checked" "mutex: a release whose outcome is unknown may let go of the lock"
log lock.edn invoke 0 acquire nil ok 0 acquire nil invoke 1 acquire nil ok 1 acquire nil
run isostress check --model=mutex lock.edn
is "$out" "VIOLATION: the model mutex was broken by HeldTwice.
  2 operations, 2 effects checked.
  An acquire succeeded while the lock was held: no release is left that may have come before it.
    line 2: process 0, acquire nil; succeeded.
    line 4: process 1, acquire nil; succeeded." "mutex: two hold the lock"
log lock.edn ok 0 release nil fail 1 acquire nil
verdict 1 mutex lock.edn NotHeld "mutex: a lock is released that nobody held"
log lock.edn fail 0 release nil
verdict 2 mutex lock.edn UNDECIDED "mutex: without an effect the model is undecided"
log lock.edn ok 0 acquire nil ok 0 read nil
run isostress check --model=mutex lock.edn
is "$status:$err" "255:isostress: lock.edn: line 2: expected the function acquire or release, which the model mutex knows, not read" "mutex: another function is refused"
log set.edn invoke 1 read nil ok 0 add 1 ok 1 read '[]'
verdict 0 set set.edn PASS "set: an addition after the last read began may be missing"
printf '%s\n' '{:type :invoke, :f :add, :value 1}' '{:type :ok, :f :add, :value 1}' \
  '{:type :invoke, :f :read, :value nil}' '{:type :info, :process :nemesis, :f :start, :value {[1] #{2}}}' \
  '{:type :ok, :f :read, :value 2}' >nobody.edn
verdict 1 counter nobody.edn "between 1 and 1" "counter: events without a process and of the nemesis are read"

run isostress check --model=bank bank.edn negative.edn bank.json
is "$out" "$(printf '%s\tbank\tviolation\t%s\n' bank.edn WrongTotal negative.edn NegativeBalance bank.json WrongTotal)" \
  "several logs: one line each"
log bad.edn ok 0 read '[1 2]'
run isostress check --model=bank bad.edn
is "$status:$err" "255:isostress: bad.edn: line 1: expected a map of accounts and balances, such as {0 10}" "a log of another test is refused in one sentence"
echo '{:type :ok, :f :read' >torn.edn
run isostress check --model=counter torn.edn
is "$status:${err%%:2:*}" "255:isostress: torn.edn" "a log that was cut off is trouble"
run isostress check --model=bnk bank.edn
is "$status" 254 "an unknown model is wrong usage"
like "$err" 'did you mean bank' "an unknown model: the nearest name is told"
run isostress check --model='bank?sum=3' bank.edn
is "$status:$err" '254:isostress: --model: the model bank has no option "sum=3"' "an unknown option of a model is refused"
run isostress check --model=bank -l ser bank.edn
is "$status" 254 "a model with a level is wrong usage"

# Functions that a model does not know had an effect that it does not know, too.
for model in $(isostress list models | sed -n 's/^\([a-z][a-z-]*\) .*/\1/p'); do
  log strange.edn ok 0 compact 1
  run isostress check --model="$model" strange.edn
  like "$status:$err" "^255:isostress: strange.edn: line 1: expected the function .*, which the model $model knows, not compact$" \
    "$model: another function is refused by its name and line"
done
log removed.edn invoke 0 add 41 ok 0 add 41 invoke 0 remove 41 ok 0 remove 41 invoke 1 read nil ok 1 read '#{}'
for model in set set-full; do
  run isostress check --model=$model removed.edn
  is "$status:$err" "255:isostress: removed.edn: line 4: expected the function read or add, which the model $model knows, not remove" \
    "$model: a removal is no loss"
done
log removed2.edn ok 0 add 41 ok 1 read '#{}'
log up.edn invoke 0 increment 6 ok 0 increment 6 invoke 0 decrement 2 ok 0 decrement 2 \
  invoke 0 inc nil ok 0 inc nil invoke 1 read nil ok 1 read 5
verdict 0 counter up.edn "1 reads checked" "counter: increments and decrements are additions"
sed 's/read, :value 5/read, :value 3/' up.edn >down.edn
verdict 1 counter down.edn "the counter was between 5 and 5" "counter: one of them was lost"
log amount.edn invoke 0 increment nil ok 0 increment 7 invoke 1 read nil ok 1 read 7
run isostress check --model=counter amount.edn
is "$status:$err" "255:isostress: amount.edn: line 2: expected an amount that is a whole number" \
  "counter: what an increment returned is not taken for its amount"
log lower.edn ok 0 add -3 ok 0 read 1
run isostress check --model=monotonic lower.edn
is "$status:$err" "255:isostress: lower.edn: line 1: expected an amount that is not below zero" \
  "monotonic: a number that is lowered does not only grow"
log deleted.edn ok 0 txn '[[:d 0 1]]' ok 0 txn '[[:r 0 1]]'
run isostress check --model=long-fork deleted.edn
is "$status:$err" "255:isostress: deleted.edn: line 1: expected a vector of reads and writes, such as [[:r 0 nil]]" \
  "long-fork: a deletion is refused"

# A read that returned nothing promises nothing.
log nothing.edn invoke 0 add 1 ok 0 add 1 invoke 1 read nil ok 1 read 1 invoke 1 read nil ok 1 read nil \
  invoke 2 read nil info 2 read nil invoke 3 read nil fail 3 read nil
verdict 0 counter nothing.edn "1 reads checked" "counter: a read of nil is held against nothing"
sed 's/read, :value 1}/read, :value #{1}}/' nothing.edn >nothing_set.edn
verdict 0 set nothing_set.edn "1 reads checked" "set: a read of nil is no empty set"
log nothing.edn ok 0 read nil
verdict 2 bank nothing.edn UNDECIDED "bank: without a balance there is nothing to check"

# Keys of jepsen.independent are judged one by one, by every model.
log keys.edn invoke 0 add '[7 1]' ok 0 add '[7 1]' invoke 1 read '[7 nil]' ok 1 read '[7 #{1}]' \
  invoke 1 read '[8 nil]' ok 1 read '[8 #{}]'
verdict 0 set keys.edn "2 reads checked" "set: an element of a key is not missing in another one"
sed 's/\[7 #{1}\]/[7 #{2}]/' keys.edn >wrong.edn
verdict 1 set wrong.edn "Key 7: A read saw 2, which nobody tried to add." "set: the key is told"
is "$(isostress check --model=set --output=json wrong.edn | grep -o '"key": "7"')" '"key": "7"' "set: JSON has the key"
log keys.edn invoke 0 acquire '[a nil]' ok 0 acquire '[a nil]' invoke 1 acquire '[b nil]' ok 1 acquire '[b nil]'
verdict 0 mutex keys.edn "2 effects checked" "mutex: two locks are held at once"
log keys.edn invoke 0 acquire '[a nil]' ok 0 acquire '[a nil]' invoke 1 acquire '[a nil]' ok 1 acquire '[a 3]'
verdict 1 mutex keys.edn "Key a: An acquire succeeded while the lock was held" "mutex: one of them twice"
log keys.edn invoke 0 write '["k" 1]' ok 0 write '["k" 1]' invoke 0 write '["k" 2]' ok 0 write '["k" 2]' \
  invoke 1 read '["k" nil]' ok 1 read '["k" #{2}]'
verdict 1 comments keys.edn LaterWithoutEarlier "comments: a later write without the earlier one of its key"
log keys.edn invoke 0 add '[1 5]' ok 0 add '[1 5]' invoke 1 read '[2 nil]' ok 1 read '[2 0]' invoke 1 read '[1 nil]' ok 1 read '[1 5]' \
  invoke 1 read '[1 nil]' ok 1 read '[1 5]'
verdict 0 counter keys.edn "3 reads checked" "counter: each key counts for itself"
verdict 0 monotonic keys.edn PASS "monotonic: each key grows by itself"
log keys.edn ok 0 read '[1 {0 5, 1 5}]' ok 0 read '[2 {0 1, 1 1}]' ok 0 read '[1 {0 4, 1 6}]'
verdict 0 bank keys.edn "3 reads checked" "bank: each key has a total of its own"
log keys.edn ok 0 read '[1 [[:r 0 1] [:r 1 nil]]]' ok 0 read '[2 [[:r 0 nil] [:r 1 1]]]' ok 0 read '[1 [[:r 0 1] [:r 1 1]]]'
verdict 0 long-fork keys.edn "3 reads checked" "long-fork: keys do not disagree with each other" 
log keys.edn ok 0 add '[7 1]' ok 0 add 2 ok 1 read '[7 #{1}]'
run isostress check --model=set keys.edn
is "$status:$err" "255:isostress: keys.edn: line 2: expected [KEY VALUE], as line 3 has it: keys of jepsen.independent are in all operations or in none" \
  "set: a key that is missing is refused"

log again.edn invoke 0 add 1 info 0 add 1 invoke 1 add 1 fail 1 add 1 invoke 2 read nil ok 2 read '[1]'
verdict 0 set again.edn PASS "set: an addition that failed does not undo one whose outcome is unknown"
log again.edn invoke 0 write 1 ok 0 write 1 invoke 1 strong-read nil ok 1 strong-read '[1]' invoke 0 write 2 ok 0 write 2
verdict 0 dirty-reads again.edn PASS "dirty-reads: a strong read need not see what was written later"
log again.edn invoke 0 write 1 invoke 1 write 2 ok 1 write 2 ok 0 write 1 invoke 0 write 1 ok 0 write 1 invoke 2 read nil ok 2 read '[1]'
verdict 0 comments again.edn PASS "comments: a write that was tried again may have been seen before"

# Whoever names no model is told which one the log may be of, and follows.
suggested() { # suggested FILE MODELS NAME
  run isostress check -l ser "$1"
  is "$status:$err" "255:isostress: $1: this is no history of transactions, but may be a log of a test of Jepsen: check it with $2" "$3"
}
suggested bank.edn --model=bank "a bank's log names its model"
suggested removed2.edn "--model=set or --model=set-full" "a set's log names its models"
log lock.edn ok 0 acquire nil
suggested lock.edn --model=mutex "a lock's log names its model"
run isostress check --model=bank bank.edn
is "$status" 1 "the suggestion can be followed"
log register.edn ok 0 write 1 ok 0 read '#{1}'
run isostress check -l ser register.edn
unlike "$err" 'test of Jepsen' "a register's log is no log of a model"
run isostress check --model=bank --explain=page bank.edn
is "$status:$err" "254:isostress: --model=bank asks for no level, and has no page and no proof: leave out --level, --explain and --witness; --output=json tells the operations that break the promise" \
  "a model has no page, and says what has the answer"
