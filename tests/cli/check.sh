#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress check and stat: verdicts on files, one or many, good and bad.
. "${TOP_SRCDIR:?}/tests/tap.sh"

cd "$work" || exit 1
tab=$'\t'
isostress run -c 4 -t 2k -k 20 --distribution=uniform --threads=1 --seed=1 -i ser \
  --bug=WriteSkew memory: >/dev/null 2>&1
mv results/runs/latest/history skew
isostress run -c 3 -t 300 -k 10 --threads=1 --seed=1 -i si memory: >/dev/null 2>&1
mv results/runs/latest/history good
cat >blind.txt <<'END'
[x:=1]!
[x:=2]!
[x==1]!
END
echo 'no history at all' >foreign
: >empty

plan 114
echo '[x==7 x:=1] [x==1 y==8 y:=2] [z==9]' >middle.txt
run isostress check -l ser middle.txt
like "$out" 'nobody wrote were there .* check it with --init=first-read' "many values that nobody wrote were read first"
run isostress check -l ser --init=9 middle.txt
unlike "$out" 'first-read' "a few are not many"
run isostress check -l ser --init=first-read middle.txt
is "$status" 0 "--init=first-read takes values that nobody wrote for initial ones"
run isostress check good
is "$status" 0 "a good history"
like "$out" '^PASS: snapshot isolation was kept' "is checked at the level it was recorded at"
cat >aborted.txt <<'END'
[x:=1]!%si
[x:=2]!%ser
END
run isostress check aborted.txt
is "$status" 2 "a history of nothing but aborted transactions"
like "$out" '^UNDECIDED: whether serializability was kept' "is asked about the strongest of their levels"
like "$out" 'Why: no transaction committed, so that no anomaly could occur' "the verdict says that no anomaly could occur"
echo '[x==?]' >unwritten.txt
run isostress check -l ser --output=json unwritten.txt
is "$status" 2 "a history in which nothing was written"
is "$(python3 -c 'import json, sys; print(json.load(sys.stdin)["verdict"]["why"])' <<<"$out")" \
  "no transaction that committed wrote anything, so that no anomaly could occur" "has its sentence"
run isostress check -l auto --explain=unwritten unwritten.txt
is "$status" 2 "a history without writes is undecided at every level"
is "$(grep -c ' undecided  no transaction that committed wrote anything' <<<"$out")" 7 "the check of all levels says why each is undecided"
like "$(cat unwritten/report.html)" 'Why: no transaction that committed wrote anything' "the page says why the history is undecided"
printf '[x:=1]? [x:=2]!\n---\n[x==1]\n' >rescued.txt
run isostress check -l ser rescued.txt
is "$status" 0 "a write that was seen did commit"
printf '[x==1]\n' >air.txt
run isostress check -l ser air.txt
is "$status" 1 "what is broken without a write stays broken"
cat >chances.txt <<'END'
[x==? y==? x:=1]@1..9
---
[x==? x:=2]!@2..8 [x==1]@11..12
---
[x==? y==?]@3..7
END
run isostress check -l si --explain=chances chances.txt
is "$(sed -n '/How much/,$s/  */ /gp' <<<"$out")" " How much this history could have shown:
 anomaly chances seen (95 %), if it strikes in
 thin air read 5 reads too few to say
 future read 1 read too few to say
 not my last write 0 reads no chance
 not my own write 0 reads no chance
 aborted read 2 pairs too few to say
 intermediate read 0 pairs no chance
 non-repeatable reads 0 pairs no chance
 dirty write 0 pairs no chance
 circular reads 1 pair too few to say
 session guarantee violation 0 reads no chance
 non-monotonic read 0 pairs no chance
 fractured read 0 pairs no chance
 causality violation 0 triples no chance
 long fork 0 triples no chance
 lost update 1 pair too few to say" \
  "a pass says how much it could have shown"
like "$(cat chances/report.html)" '<th scope="row">lost update</th><td>both read and write one key</td><td class="n" data-l="chances">1 pair</td>' \
  "the page says how much a pass could have shown"
run isostress check -l sser --output=json chances.txt
is "$(python3 -c 'import json, sys
man = " ".join(open(sys.argv[1]).read().split())
d = json.load(sys.stdin)["chances"]
rows = {r["anomaly"]: r for r in d["anomalies"]}
print(d["timed"], d["all"], d["sampled"], rows["LostUpdate"]["count"], rows["ThinAirRead"]["count"],
      rows["StaleRead"]["count"], rows["WriteSkew"]["seen_if_one_in"],
      [r["chance"] for r in d["anomalies"] if r["chance"] not in man])' "$TOP_SRCDIR/man/isostress-check.1" <<<"$out")" \
  "True True 4 1 5 1 None []" "JSON says how much a pass could have shown, in the words of the manual"
cat >rows.txt <<'END'
table t(b, v): 1{b=1,v=0} 2{b=1,v=0} 3{b=2,v=0}
[sel t{b = 1}: 1@? 2@?, sel t{v = 0}: 1@? 2@? 3@?, ins t/5{b=2,v=1}]@1..9
---
[sel t{b = 2}: 3@? 5@w1, ins t/4{b=1,v=0}, upd t{id = 3}: 3@?{b=1,v=0}]@2..8
---
[ins t/6{b=1,v=7}]@3..7
---
[ins t/7{b=2,v=9}]!@4..6
END
run isostress check -l ser --explain=rows rows.txt
is "$status" 0 "a history of rows that keeps serializability"
is "$(sed -n '/How much/,$s/  */ /gp' <<<"$out" | grep -v ' 0 ')" " How much this history could have shown:
 anomaly chances seen (95 %), if it strikes in
 thin air read 8 reads 1 in 2
 future read 1 read too few to say
 aborted read 1 pair too few to say
 circular reads 1 pair too few to say
 write skew 1 pair too few to say
 extra row 8 rows 1 in 2
 missing row 6 rows 1 in 2
 fractured statement 1 pair too few to say
 phantom read 1 pair too few to say
 phantom long fork 2 triples too few to say
 phantom write skew 1 pair too few to say" "a pass of rows says how much it could have shown"
like "$(cat rows/report.html)" '<th scope="row">phantom read</th><td>rows that one writes then satisfy' "so does its page"
run isostress check -l ser --reads=plain --output=json rows.txt
is "$(python3 -c 'import json, sys
man = " ".join(open(sys.argv[1]).read().split())
d = json.load(sys.stdin)["chances"]
rows = {r["anomaly"]: r for r in d["anomalies"]}
print(d["timed"], d["all"], rows["MissingRow"]["count"], rows["MissingRow"]["of"], rows["PhantomLongFork"]["of"],
      [r["chance"] for r in d["anomalies"] if r["chance"] not in man])' "$TOP_SRCDIR/man/isostress-check.1" <<<"$out")" \
  "True True 5 rows triples []" "JSON says how much plain SELECTs could have shown, in the words of the manual"
run isostress check -l si --items-only rows.txt
like "$out" 'extra row +8 rows' "by items alone, rows that came back may be wrong"
unlike "$out" 'phantom|missing row' "rows that did not come back say nothing then"
sed 's/@[0-9.]*//g' chances.txt >untimed.txt
run isostress check -l si untimed.txt
like "$out" 'The history has no times, so that nobody knows which transactions overlapped' "a history without times says that it has none"
unlike "$out" 'lost update' "a history without times counts no pairs"
run isostress check skew
unlike "$out" 'How much this history could have shown' "a violation has shown something"
printf '[x:=1] [x:=2]! [x:=3]! [x:=4]\n' >half.txt
run isostress check -l ser half.txt
unlike "$out" 'were aborted' "half of the attempts aborted"
printf '[x:=5]!\n' >>half.txt
run isostress check -l ser --explain=half half.txt
is "$status" 0 "above half"
like "$out" '^  WARNING: 60.0 % of the attempts \(3 of 5\) were aborted' "is warned of"
like "$(cat half/report.html)" 'Warning:</strong> 60.0 % of the attempts' "the page warns of aborts"
is "$(python3 -c 'import json, sys; print(["aborted" in w for w in json.load(open("half/report.json"))["warnings"]])')" \
  "[True]" "JSON warns of aborts"
mixed=$TOP_SRCDIR/tests/histories/sser/y-list-beside-register.txt
run isostress check -l sser --witness=mixed.proof "$mixed"
is "$status" 0 "a register and a list of one key"
run isostress verify "$mixed" mixed.proof
is "$status" 0 "are two keys for a proof, too"
run isostress check skew
is "$status" 1 "a bad history"
like "$out" '^VIOLATION: serializability was broken by WriteSkew' "is explained"
run isostress check -l si skew
is "$status" 0 "another level"
run isostress check --level='Snapshot Isolation' skew
is "$status" 0 "a level is asked for by its title"
run isostress check --level=si,ser skew -l sser
is "$status" 1 "several levels"
is "$out" "skew${tab}si${tab}pass${tab}
skew${tab}ser${tab}violation${tab}WriteSkew
skew${tab}sser${tab}violation${tab}WriteSkew" "give a line each"
run isostress check good skew foreign
is "$status" 255 "the worst status of several files counts"
is "$out" "good${tab}si${tab}pass${tab}
skew${tab}ser${tab}violation${tab}WriteSkew" "the others are checked all the same"
like "$err" '^isostress: foreign is no history' "the file that cannot be read is named"

run isostress check --jobs=1 skew good foreign skew good
one_by_one="$status $out"
run isostress check -j 3 skew good foreign skew good
is "$status $out" "$one_by_one" "the same where some are checked at once"
like "$err" 'foreign is no history' "a file that cannot be read is named with several jobs, too"
run isostress check --jobs=1 -l ra,cc,si,ser skew
one_by_one="$status $out"
run isostress check -j 4 -l ra,cc,si,ser skew
is "$status $out" "$one_by_one" "the same where levels are decided at once"
run isostress check -j 2 -l si,ser --timeout=1ns good
like "$status" '^[02]$' "a time limit holds for each"

isostress run -c 70 -t 20 -k 200 --threads=1 --seed=2 -w general -i si \
  --max-tries=3 -o crowd memory: >/dev/null 2>&1
isostress convert crowd/latest/history crowd.bincode 2>/dev/null
run isostress check -l cc crowd.bincode
is "$status" 0 "more sessions than clocks are kept of at once, without times"
run isostress check --output=json skew
is "$status" 1 "JSON"
is "$(python3 -c 'import json, sys; print(json.load(sys.stdin)["command"])' <<<"$out")" check \
  "is one document"

cat >mixed.txt <<'END'
[x==? y==? x:=1]%ser@1..2
---
[x==? y==? y:=2]%rc@1..2
END
run isostress check mixed.txt
is "$status" 0 "a level for each transaction"
like "$out" '^PASS: the level of each transaction was kept' "each transaction is held to its own level"
sed 's/rc/ser/; s/y==? x/y==? z==? x/' mixed.txt | sed '$a---\n[z==?]%rc@1..2' >broken.txt
run isostress check broken.txt
is "$status" 1 "what two of three promise is broken"
like "$out" 'T1 began in session 0 at level ser' "each transaction of the story has its level"
run isostress check --level=auto mixed.txt
is "$status" 0 "the exit status is about what was claimed"
like "$out" 'strongest level kept is snapshot isolation' "the check of all levels says what is kept"
like "$out" 'sser .*broken +WriteSkew \(breaks ser\)$' "the check of all levels says why no stronger level is kept"
is "$(grep -oE '^[A-Z ]+: .*(kept|[Rr]ecorded|isolation|Skew)' <<<"$out")" "PASS: read committed was kept
ALL LEVELS: the strongest level kept is snapshot isolation
A STRONGER LEVEL: serializability was broken by WriteSkew" \
  "the claimed level, the strongest level kept, and what breaks the next one"
like "$out" 'no order of the two keeps serializability' "the counterexample in full"
run isostress check --level=auto --output=json mixed.txt
is "$(python3 -c 'import json, sys; d = json.load(sys.stdin)["all_levels"]; \
  print(d["strongest"], [x["verdict"] for x in d["levels"]].count("pass"))' <<<"$out")" \
  "si 5" "JSON has the strongest level and the number of levels kept"
is "$(python3 -c 'import json, sys; d = json.load(sys.stdin); \
  print(d["verdict"]["verdict"], d["verdict"]["level"], d["beyond"]["level"], \
        d["beyond"]["counterexample"]["anomaly"])' <<<"$out")" \
  "pass rc ser WriteSkew" "JSON has the verdict on the claim and the one on a stronger level"
isostress check --level=auto --explain=beyond mixed.txt >/dev/null 2>&1
like "$(cat beyond/report.html)" '<h1 class="pass">PASS: read committed was kept' "the page has the claim's headline"
like "$(cat beyond/report.html)" 'Beyond that, serializability was broken by WriteSkew' "the page has the counterexample of the stronger level"
run isostress check --level=auto skew
like "$(head -n 1 <<<"$out")" '^VIOLATION: serializability was broken by WriteSkew' "a claimed level that is broken comes first"
unlike "$out" 'A STRONGER LEVEL' "no stronger level is told if the claimed one is broken"
run isostress check --level=auto mixed.txt skew
is "$(wc -l <<<"$out")" 14 "several files have a line for each level"
cat >stale.txt <<'END'
[x:=1]@1..2
---
[x==?]@3..4
END
run isostress check --level=si stale.txt
is "$status" 0 "a stale read keeps snapshot isolation"
run isostress check --level=si --real-time stale.txt
is "$status" 1 "a stale read breaks snapshot isolation in real time"
like "$out" 'snapshot isolation in real time was broken by StaleRead' "the headline says \"in real time\""
run isostress check --level=rc --real-time stale.txt
like "$out" 'read committed in real time \(which permits stale reads\) was kept' "read committed cannot see it, and says so"
run isostress check --level=ra --real-time stale.txt
like "$out" 'read atomic in real time was broken by StaleRead' "read atomic sees it"
cat >session.txt <<'END'
[x==1] [x:=1]
END
run isostress check --level=rc session.txt
is "$status" 1 "a session counts"
run isostress check --level=ser --no-session-order session.txt
is "$status" 0 "unless it is told not to"

run isostress check foreign
is "$status $(wc -l <<<"$err")" "255 1" "a foreign file: one sentence"
run isostress check empty
is "$status $(wc -l <<<"$err")" "255 1" "an empty file: one sentence"
run isostress check absent
is "$status" 255 "a file that is not there"
like "$err" '^isostress: .*absent.*No such file' "is named"
mkdir nothing
run isostress check nothing
is "$status $(wc -l <<<"$err")" "255 1" "a directory: one sentence"
run isostress check --format=isostress blind.txt
is "$status" 255 "another format than said"
run isostress check --format=zzzz good
is "$status $(wc -l <<<"$err")" "254 1" "an unknown format: one sentence"

size=$(stat -c %s good)
head -c $((size * 2 / 3)) good >short
run isostress check short
like "$status" '^(0|2)$' "a truncated history is checked as far as it goes"
like "$out$err" 'lost' "the report says what was lost"
for at in 3 $((size / 3)) $((size / 2)) $((size - 5)); do
  cp good corrupt
  printf '\xa5\x5a\xa5' | dd of=corrupt bs=1 seek=$at conv=notrunc 2>/dev/null
  run isostress check corrupt
  like "$status" '^(0|2|255)$' "corrupt at byte $at: no crash, no violation"
done

isostress run -c 1 -T 0 -o early memory: --op-delay=1h >/dev/null 2>&1 &
until [ -s early/latest/history ]; do sleep 0.02; done
kill -KILL $!
wait $! 2>/dev/null
run isostress check early/latest/history
is "$status $(tail -n 1 <<<"$err")" \
  "2 isostress: early/latest/history: was not closed, its end is missing; no transaction is usable: there is nothing to check" \
  "a history without a transaction"

run isostress check blind.txt
is "$status" 254 "a history that does not say its level"
like "$err" 'name the level to check with --level' "the sentence says to name a level"
run isostress check -l ser blind.txt
like "$status" '^[02]$' "blind writes"
run isostress check -l ser good --timeout=1ns
like "$status" '^[02]$' "a time limit"
run isostress stat good
is "$status" 0 "stat"
like "$out" '900' "counts transactions"
mkdir pair && cp good skew pair/
run isostress stat pair
is "$status $(grep ':$' <<<"$out" | xargs)" "0 pair/good: pair/skew:" "stat describes each history of a directory"
run isostress stat foreign
is "$status $(wc -l <<<"$err")" "255 1" "stat of a foreign file: one sentence"
# Neither clocks nor places of so many sessions tell anything.
awk 'BEGIN { for (t = 1; t <= 20000; t++) {
  printf "{\"session\":%d,\"ops\":[", t
  for (i = 0; i < 4; i++) {
    key = (t * 7919 + i * 104729 + t * t % 977) % 500
    if ((t + i) % 2) printf "%s[\"w\",%d,%d]", i ? "," : "", key, value[key] = ++n
    else printf "%s[\"r\",%d,%s]", i ? "," : "", key, key in value ? value[key] : "null"
  }
  print "]}"
} }' >crowd.jsonl
run isostress check -l ra,cc,si,ser crowd.jsonl
is "$(cut -f 2,3 <<<"$out" | xargs)" "ra pass cc pass si pass ser pass" "very many sessions without times"

own=$TOP_SRCDIR/tests/histories/rows/rc-own-session.txt
run isostress check -l rc "$own"
is "$status" 0 "read committed by dbcop's reading"
run isostress check -l rc --rc=mixed "$own"
is "$status" 1 "read committed by the paper's reading"
like "$out" 'read committed where reads see their session' "the verdict says how it reads"
run isostress check -l rc --rc=mixed good
is "$status" 0 "what keeps read atomic keeps both readings"
like "$out" 'PASS: read committed where reads see their session was kept' "and the verdict says how it reads"
printf '[x:=1]\n[y==0 x==2]\n---\n[x:=2 y:=3]\n' >between.hist
run isostress check -l rc --rc=mixed between.hist
is "$status" 2 "between dbcop's reading and read atomic nothing is decided without statements"
like "$out" 'Why: .*between the two --rc=mixed is decided only with SQL' "the sentence says why"
run isostress check -l rc --rc=mixed --no-session-order between.hist
is "$status" 0 "without an order of sessions there is one reading"
printf '[x:=1]%%rc\n[x==1]%%ra\n' >beside.hist
run isostress check -l recorded --rc=mixed beside.hist
like "$status $out" '^  Why: .*--level=ra tells' "read committed beside read atomic is left to another question"
printf '[x:=1 y:=1]\n---\n[x:=2]\n---\n[x==1 y==1 x==2 x==1]\n' >reads.hist
run isostress check -l rc --rc=mixed reads.hist
is "$status" 1 "what dbcop's reading breaks is broken"
run isostress check -l rc --rc=mix "$own"
like "$status $err" '^254 .*did you mean mixed' "no such reading"

# A value that nobody wrote and keys seem to have held at first: it is told, and
# the command that takes it for the initial one can be followed.
cat >zero.edn <<'END2'
{:process 0, :type :invoke, :f :read, :value nil}
{:process 0, :type :ok, :f :read, :value 0}
{:process 1, :type :invoke, :f :write, :value 3}
{:process 1, :type :ok, :f :write, :value 3}
{:process 0, :type :invoke, :f :read, :value nil}
{:process 0, :type :ok, :f :read, :value 3}
END2
cat >text.edn <<'END2'
{:process 0, :type :invoke, :f :read, :value ["a" nil]}
{:process 0, :type :ok, :f :read, :value ["a" "in it"]}
{:process 1, :type :invoke, :f :write, :value ["b" "in it"]}
{:process 1, :type :ok, :f :write, :value ["b" "in it"]}
END2
for file in zero.edn text.edn; do
  run isostress check -l sser "$file"
  like "$out" 'If keys held .* before the history began, check it with --init=' "$file: what it may have begun with is told"
  hint=$(sed -n 's/.*check it with \(--init=.*\)\.$/\1/p' <<<"$out")
  eval "run isostress check -l sser $hint $file"
  is "$status" 0 "$file: $hint can be followed"
done
run isostress check -l sser zero.edn
like "$out" 'T1 read key 0 = 0, which no transaction ever wrote to it' "a value that nobody wrote is told, not its name"
printf '[x:=1]\n---\n[x==1] [x==9]\n' >late.txt
run isostress check -l sser late.txt
unlike "$out" '--init=' "a value that was not there at first is no initial one"
printf '[x==8 y==9]\n---\n[x:=1]\n' >two.txt
run isostress check -l sser two.txt
unlike "$out" '--init=[89]' "two values are no initial one"
