#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress convert: histories in other formats and back; check on whole
# directories of them.
. "${TOP_SRCDIR:?}/tests/tap.sh"

cd "$work" || exit 1
tab=$'\t'
isostress run -c 3 -t 200 -k 10 --threads=1 --seed=1 -i ser --bug=LostUpdate memory: \
  >/dev/null 2>&1
mv results/runs/latest/history bad
isostress run -c 3 -t 200 -k 10 -w append --threads=1 --seed=2 -i ser memory: \
  >/dev/null 2>&1
mv results/runs/latest/history lists
suffixes="iso jsonl hist edn json bincode plume awdit cobra"

plan 86
mkdir all
for suffix in $suffixes; do
  isostress convert bad "all/bad.$suffix" 2>/dev/null
done
run isostress check -l ser all
is "$status" 1 "a directory of histories"
is "$out" "$(for suffix in $(xargs -n1 <<<"$suffixes" | sort); do
  echo "all/bad.$suffix${tab}ser${tab}violation${tab}LostUpdate"
done)" "has the same violation in every format"
is "$(find all -name '*.tmp-*')" "" "no temporary file is left behind"
mkdir more
for suffix in iso jsonl hist edn json; do
  isostress convert lists "more/$suffix.$suffix" 2>/dev/null
done
echo no history >more/notes
echo '# nor is this' >more/none.conf
run isostress check -l ser more
is "$status" 0 "lists in all formats that have them keep their level"
is "$(wc -l <<<"$out") $(grep -c pass <<<"$out")" "5 5" "a line for each"
is "$err" "isostress: more: 2 files left out: no history" "others are counted"
isostress run -t 10 -o stored memory: >/dev/null 2>&1
run isostress check stored/latest
is "$status$err" "0" "temporary files of a run beside its history are not counted"
run isostress convert stored/latest latest.jsonl
isostress convert stored/latest/history history.jsonl
is "$status$(cmp latest.jsonl history.jsonl 2>&1)" "0" \
  "the directory of a run is converted as its history is"
mkdir named
cp lists "named/one${tab}two"
cp lists $'named/on two\nlines'
cp lists 'named/back\slash'
run isostress check -l ser named
is "$out" "named/back\\\\slash${tab}ser${tab}pass${tab}
named/on two\\nlines${tab}ser${tab}pass${tab}
named/one\\ttwo${tab}ser${tab}pass${tab}" "whatever a file is called, it has one line"
mkdir linked
ln -s ../lists linked/one
ln -s nowhere linked/none
ln -s ../more linked/more
run isostress check -l ser linked
is "$status $out" "0 linked/one${tab}ser${tab}pass${tab}" "links to files are taken"
is "$err" "isostress: linked: 1 left out: pipes, sockets, devices or links to nothing" "others are counted"
mkfifo linked/pipe
ln -s /dev/null linked/null
run isostress check -l ser linked
is "$status $err" "0 isostress: linked: 3 left out: pipes, sockets, devices or links to nothing" \
  "files that are none are counted as left out"
mkdir sessions
cp all/bad.cobra/*.log sessions
ln -s nowhere sessions/T9.log
run isostress check -l ser sessions
is "$status $err" "255 isostress: sessions/T9.log: No such file or directory" "no session is left out"
run isostress check -l ser more all
is "$status" 1 "several directories: the worst counts"

run isostress convert bad bad.plume
is "$status" 0 "what cannot be said does not hinder"
like "$err" 'bad.plume: plume cannot represent times: left out \(600 transactions\)' "a format without times says how many are left out"
is "$out" "" "losses are told on stderr, not on stdout"
run isostress convert --strict bad strict.plume
is "$status" 255 "--strict"
like "$err" 'was not written: --strict' "says why"
is "$(ls strict.plume* 2>/dev/null)" "" "--strict writes nothing"
run isostress convert --strict bad bad.jsonl
is "$status:$err" "0:" "--strict where nothing is lost"
isostress convert bad.jsonl again.jsonl
is "$(cmp bad.jsonl again.jsonl)" "" "a history that is converted there and back is the same"
formats=$TOP_SRCDIR/tests/histories/formats
isostress convert "$formats/edn-collections.edn" any.edn
isostress convert any.edn again.edn
is "$(cmp any.edn again.edn)$(sed 's/.*:value //' any.edn | tail -1)" \
  '[[:r [:account 1] {:balance 10 :of "a"}] [:r #{:a :b} [[1 2]]]]}' \
  "keys that are collections, too"
isostress convert "$formats/elle-collections.json" any.edn
isostress convert any.edn again.edn
is "$(cmp any.edn again.edn)$(sed 's/.*:value //' any.edn | tail -1)" \
  '[[:r ["account" 1] {"balance" 10 "of" "a"}] [:r {"a" [] "b" nil} [[1 2]]]]}' \
  "collections of JSON are written as EDN has them"
printf '%s\n' '{"ops":[["w",1,1]],"outcome":"aborted"}' \
  '{"session":1,"ops":[["r",1,null],["w",2,3]]}' >idle.jsonl
isostress convert idle.jsonl idle.cobra 2>/dev/null
run isostress check -l ser idle.cobra
is "$status $(head -n 1 <<<"$out")" "0 PASS: serializability was kept." \
  "cobra: the file of a session that did nothing is empty"
printf '%s\n' '{"session":0,"ops":[["w",0,1717986918],["w",1,2882400171]]}' \
  '{"session":1,"ops":[["r",0,1717986918],["r",1,2882400171],["r",2,null]]}' >ids.jsonl
isostress convert ids.jsonl ids.cobra
isostress convert ids.cobra ids-again.jsonl
is "$(cat ids-again.jsonl)" "$(cat ids.jsonl)" "cobra: numbers that it has a meaning for are ids, too"
# A write skew with what one of unknown outcome read.
printf '%s\n' '{"ops":[["w","y",1],["r","x",null]]}' \
  '{"session":1,"ops":[["r","y",null],["cas","x",null,3]],"outcome":"unknown"}' \
  '{"session":2,"ops":[["r","x",3]]}' >unknown.jsonl
for suffix in bincode plume awdit cobra; do
  run isostress convert unknown.jsonl "unknown.$suffix"
  is "$(grep -c 'did not commit' <<<"$err")" 0 "$suffix: the reads of what committed are not lost"
  run isostress check -l ser "unknown.$suffix"
  like "$out" 'broken by WriteSkew' "$suffix: they count"
done
# The session's next transaction had begun and ended before an unknown outcome took effect.
printf '%s\n' '[x:=1]?@1..2 [x==?]@3..4' --- '[x==1]@5..6' >later.hist
for suffix in iso jsonl edn json knossos porcupine; do
  isostress convert later.hist "later.$suffix" 2>/dev/null
  run isostress check -l sser "later.$suffix"
  is "$status" 0 "$suffix: what is unknown may take effect later"
done
run isostress convert later.hist later.awdit
like "$err" "committed where their writes were read, before the next transaction of their session" \
  "$suffix: the loss of times is told"
# One that never came back began after what it wrote was read.
printf '{:type :%s :process %d :f :%s :value %s}\n' invoke 0 read nil ok 0 read 1 \
  invoke 1 write 1 >early.edn
for suffix in hist jsonl; do
  isostress convert early.edn "early.$suffix"
  run isostress check -l sser "early.$suffix"
  like "$out" 'broken by StaleRead' "$suffix: when what is still open began is not lost"
done
printf '%s\n' '{"ops":[["w","x",1]],"begin":5}' \
  '{"session":1,"ops":[["r","x",null]],"begin":9,"end":12}' >endless.jsonl
run isostress check -l sser endless.jsonl
is "$status" 0 "what is not known to have ended may take effect later"
isostress convert endless.jsonl endless.edn
run isostress check -l sser endless.edn
is "$status" 0 "events without an end may take effect later, too"
mkdir viper
for value in 1 2; do
  printf '{:type :ok :value [[:w 1 %d]]}\n{:type :ok :value [[:r 1 nil]]}\n' "$value" \
    >"viper/J$value.log"
done
run isostress convert --to=jsonl viper -
is "$(cut -d , -f 1 <<<"$out" | xargs)" "{session:0 {session:0 {session:1 {session:1" \
  "each file of a directory is a session where processes are not named"
ranges=$TOP_SRCDIR/tests/histories/formats/viper-range
run isostress check -l si "$ranges"
is "$status" 0 "two ranges that miss each other's row keep SI"
run isostress check -l ser "$ranges"
like "$out" "broken by WriteSkew" "and are a write skew at SER"
mkdir apart
printf '{:process 0 :type :%s :value [[:w 1 1]]}\n' invoke ok >apart/J0.log
printf '{:process 1 :type :%s :value %s}\n' invoke '[]' ok '[]' invoke '[]' ok '[[:r 1 nil]]' >apart/J1.log
run isostress check -l ser apart
is "$status" 0 "files of a directory:"
run isostress check -l sser apart
is "$status" 2 "events without times leave their order open"
sed -i 's/}/ :time 1}/' apart/J0.log
sed -i 's/}/ :time 2}/' apart/J1.log
run isostress check -l sser apart
like "$out" "broken by StaleRead" "events with times have their order"
run isostress convert --to=jsonl bad -
is "$out" "$(cat bad.jsonl)" "convert writes to stdout"
run isostress convert bad bad.unknown
is "$status" 254 "no format for the name"
run isostress convert --to=porcupine bad x
like "$status $(tail -n 1 <<<"$err")" "255 .*a single register, and there are" "several keys are no register"
[ ! -e x ]
is $? 0 "no file is written of what the format cannot represent"
mkfifo pipe
cat pipe >piped &
isostress convert bad --to=jsonl pipe
wait $!
[ -p pipe ] && cmp -s piped bad.jsonl
is $? 0 "into a pipe, which remains one"
run isostress convert bad --to=cobra pipe
is "$status $(tail -n 1 <<<"$err")" "255 isostress: pipe: cannot be written: is not a directory" \
  "a directory is none"
: >behind && ln -s behind link
isostress convert bad --to=jsonl link
[ -L link ] && cmp -s behind bad.jsonl
is $? 0 "convert writes to the target of a symbolic link"
run isostress convert bad
is "$status" 254 "nowhere to write"
run isostress convert bad absent/x.edn
like "$status $(tail -n 1 <<<"$err")" "^255 isostress: absent/x.edn: .*No such file" "a directory that is not there"
for suffix in edn iso cobra; do
  run isostress convert bad "absent/x.$suffix"
  like "$err" "isostress: absent/x.$suffix: cannot be (written|created): No such file" \
    "$suffix: the file that was asked for is named"
done
run isostress check --init=later bad
is "$status" 254 "no such kind of initial value"

printf 'w(0,0,0,0)\nr(0,0,1,1)\n' >plume.txt
run isostress check -l ser --init=implicit plume.txt
is "$status $(wc -l <<<"$err")" "255 1" "a written 0 is no initial value"
printf 'w(0,0,0,0)\nw(0,1,1,1)\nr(0,0,1,2)\n' >stale.plume
isostress convert stale.plume stale.edn
is "$(isostress check -l cc stale.plume stale.edn | cut -f 3 | xargs)" "violation violation" \
  "what a first transaction wrote is stale once somebody wrote"
printf 'r(0,0,1,1)\nr(0,1,1,1)\nw(0,1,0,0)\n' >polysi.txt
run isostress check -l rc --init=explicit polysi.txt
like "$out" 'ThinAirRead' "nobody wrote 0"
run isostress check -l ser "$TOP_SRCDIR/tests/histories/formats"
is "$status $(grep -c 'violation' <<<"$out")" "1 17" "the samples of all formats"

printf '[x:=1 y==?]\n[x==1]\n---\n[y:=2]!\n' >dbcop.hist
run isostress convert --to=dbcop-json dbcop.hist -
is "$out" '{"data":[[{"events":[{"Write":{"variable":0,"version":1}},{"Read":{"variable":1,"version":null}}],"committed":true},
 {"events":[{"Read":{"variable":0,"version":1}}],"committed":true}],
[{"events":[{"Write":{"variable":1,"version":2}}],"committed":false}]],
"params":{"id":0,"n_node":2,"n_variable":2,"n_transaction":2,"n_event":2},
"info":"","start":"1970-01-01T00:00:00Z","end":"1970-01-01T00:00:00Z"}' \
  "dbcop is given what its command line wants"
isostress convert dbcop.hist dbcop.bincode
is "$(tail -c +57 dbcop.bincode | head -c 20)$(tail -c +85 dbcop.bincode | head -c 20)" \
  1970-01-01T00:00:00Z1970-01-01T00:00:00Z "times are written as dbcop's own program writes them"

printf 'w(5000000000000000000,7,0,0)\nr(5000000000000000000,7,0,1)\n' >keys.plume
printf 'w(1,5000000000000000000,0,0)\nr(1,5000000000000000000,0,1)\n' >values.plume
for format in isostress bincode plume awdit cobra dbcop-json edn; do
  for what in keys values; do
    isostress convert --to=$format $what.plume "$format-$what" 2>&1
    run isostress convert --strict --to=$format $what.plume "strict-$format-$what"
    echo "$status"
  done
done | sed 's/.* cannot represent//' | sort | uniq -c | sed 's/^ *//' >told
is "$(<told)" "5  numbers from 2^62 on: become others (2 operations)
6  numbers of keys from 2^62 on: all keys get others (1 keys)
3 0
11 255" "large numbers that become others are told"

# A history split into a file for each session, and these put together again one
# after the other, is the same history; so it is with the sessions' lines in
# turn.
isostress run -c 4 -t 300 -k 20 --threads=1 --seed=1 -i si --bug=LostUpdate \
  --check=none -o split memory: >/dev/null 2>&1
isostress convert split/latest/history whole.jsonl
for session in 3 1 0 2; do
  grep "^{\"session\":$session," whole.jsonl >"session-$session.jsonl"
  cat "session-$session.jsonl" >>joined.jsonl
done
paste -d '\n' session-2.jsonl session-0.jsonl session-3.jsonl session-1.jsonl >in-turn.jsonl
is "$(wc -l <joined.jsonl) $(wc -l <in-turn.jsonl)" "1200 1200" "no line is lost"
for level in rc ra cc pc si ser sser; do
  isostress check -l "$level" whole.jsonl joined.jsonl in-turn.jsonl
done | cut -f 2- | sort | uniq -c | awk '{print $1, $2, $3}' >verdicts
is "$(xargs <verdicts)" \
  "3 cc pass 3 pc pass 3 ra pass 3 rc pass 3 ser violation 3 si violation 3 sser violation" \
  "however it is split, the verdicts are the same"

# Outcomes that are not known before the end of the history.
printf '[x:=1]? [x:=2]? [x:=3]?\n---\n[x==2 y:=1]? [y==1]\n' >unknown.hist
run isostress convert unknown.hist unknown.awdit
is "$(<unknown.awdit)" "$(printf 'w 0 2\n===\nr 0 2\nw 1 1\n---\nr 1 1')" \
  "unknown outcomes that others saw have committed, with what they read"
printf 'w(1,2,0,0)\nw(1,3,1,1)\nr(1,3,0,0)\nr(2,0,0,2)\n' >mixed.plume
isostress convert mixed.plume mixed.hist
is "$(<mixed.hist)" "$(printf '[1:=2 1==3]\n[2==?]\n---\n[1:=3]')" "operations of a transaction may stand apart"
printf '[x:=1] [x:=1]\n' >twice.hist
run isostress convert twice.hist twice.jsonl
is "$status $err" "255 isostress: twice.hist: value 1 is written to key x twice, in session 0, transaction 0 and in \
session 0, transaction 1: values must be unique per key (or --duplicate-values=allow)" "a value is written to a key once"
isostress convert --duplicate-values=allow twice.hist twice.jsonl
is "$(grep -c '"w","x",1' twice.jsonl)" 2 "unless that is allowed"
printf '[x:=1 y:1->2] [x:7->3]\n' >expected.hist
isostress convert expected.hist expected.jsonl
like "$(<expected.jsonl)" '\["cas","x",7,3\]' "what was expected and nobody wrote is kept"
isostress convert expected.hist expected.iso
isostress convert --to=jsonl expected.iso - | isostress convert --format=jsonl --to=jsonl - again.jsonl
is "$(grep -c '"cas"' again.jsonl)" 2 "an expected value that nobody wrote survives our own format"
printf '{"isInitial":true,"value":[["w",1,5],["w",2,6]]}\n{"value":[["r",1,5]]}\n' >first.json
for format in viper-json timekiller; do
  run isostress convert --to="$format" later.hist "later.$format"
  is "$status $(tail -n 1 <<<"$err")" "254 isostress: histories can be read in format $format, but not written" "$format: is not written"
done
run isostress convert --format=viper-json first.json first.jsonl
like "$err" 'jsonl cannot represent initial values of keys: becomes nothing \(2 keys\)' "initial values of keys are lost"
printf '{:process :nemesis, :type :info, :f :cut, :key "x", :value "y"}\n' >keys.edn
run isostress convert --format=edn keys.edn keys.jsonl
is "$status $err $(<keys.jsonl)" "0  " "a key may have no operation"
isostress run -c 5 -t 3k -k 100 -w general --threads=1 --seed=1 -i si --check=none -o torn memory: >/dev/null 2>&1
head -c 60000 torn/latest/history >torn.iso
head -c 100 torn/latest/history >stump.iso
run isostress convert stump.iso stump.awdit
is "$status:$(tail -n 1 <<<"$err"):$([ -e stump.awdit ]; echo $?)" "255:isostress: stump.awdit was not written: no transaction is left of stump.iso:1" \
  "a history of which nothing is left is not converted"
run isostress convert torn.iso torn.awdit
like "$err" 'awdit cannot represent transactions that depend on lost writes: left out \([1-9][0-9]* transactions\)' \
  "transactions that depend on lost writes are left out"
is "$(isostress check -l si torn.awdit 2>/dev/null | head -n 1)" \
  "$(isostress check -l si torn.iso 2>/dev/null | head -n 1)" "convert leaves out the transactions that check leaves out"
