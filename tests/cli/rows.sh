#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Histories with SQL statements and rows.
. "${TOP_SRCDIR:?}/tests/tap.sh"
cd "$work" || exit 1
plan 140

cat >rows.hist <<'END'
table t(b, v): 7{b=2,v=2}
[ins t/1{b=1,v=5}]
---
[sel t{b = 1 & v > 2}: 1@w1, upd t{b = 1}: 1@w1{b=1,v=6}]
END
run isostress stat rows.hist
is "$status" 0 "statements are counted"
like "$out" 'statements  *3: 1 sel, 1 ins, 1 upd' "statements are counted by their sort"
run isostress convert rows.hist rows.jsonl
is "$status" 0 "JSON lines say them"
run isostress convert rows.jsonl - --to=text
is "$out" "$(sed 's/&/AND/' rows.hist)" "text has statements"
run isostress convert rows.hist rows.iso
is "$status" 0 "our own format takes statements"
is "$err" "" "our own format loses nothing"
run isostress convert rows.iso - --to=text
is "$out" "$(sed 's/&/AND/' rows.hist)" "our own format reads back as it was"
run isostress convert rows.hist rows.edn
is "$status" 254 "other formats refuse statements"
like "$err" 'rows.edn: format edn cannot represent SQL statements and rows: write text, jsonl or isostress' "other formats say so"
is "$(ls rows.edn* 2>/dev/null)" "" "a refused conversion leaves no file"
for name in "$TOP_SRCDIR"/tests/histories/rows/*.txt; do
  isostress convert "$name" a.iso 2>errors || {
    grep -qE 'cannot represent (registers|a row that came back)' errors || cat errors
    continue
  }
  isostress convert "$name" - --to=text >a.txt 2>/dev/null
  isostress convert a.iso - --to=text 2>/dev/null | diff a.txt -
done >differences
is "$(<differences)" "" "all histories with rows come back from our own format"
run isostress run -w predicate memory: -t 40 -k 24 --threads 1 --seed 3 --reuse-keys=on
recorded=$work/results/runs/latest/history
isostress convert "$recorded" recorded.jsonl 2>/dev/null
isostress convert recorded.jsonl again.iso
is "$(isostress stat again.iso)" "$(isostress stat "$recorded")" "a recording comes back from JSON lines as it was"
printf 'table t(b)\n[ins t]! [ins t, sel t{TRUE}:]\n' >failed.hist
run isostress convert failed.hist - --to=text
is "$(sed 's/\]! \[/]!\n[/' failed.hist)" "$out" "an INSERT that failed has a table and no row"
# Rows that came back name an anomaly where they alone break the level.
named=
for row in none-aborted-insert-seen:rc:AbortedRead none-key-twice:rc:ExtraRow \
  si-guard-of-two-doctors:ser:WriteSkew si-g-skew-of-two-updates:ser:PhantomWriteSkew \
  ser-row-found-too-late:sser:StaleRead; do
  IFS=: read -r name level anomaly <<<"$row"
  isostress check -l "$level" --output=json "$TOP_SRCDIR/tests/histories/rows/$name.txt" |
    grep -q "\"anomaly\": *\"$anomaly\"" || named="$named $row"
done
is "$named" "" "rows that came back name an anomaly of registers, missed ones a phantom"
printf '%s\n' 'table t(b): 1{b=0}' '[sel t{b = 0}: 1@?, upd t{id = 1}: 1@?{b=1}]%ser' --- \
  '[sel t{b = 0}: 1@?, upd t{id = 1}: 1@?{b=2}]%ser' --- '[sel t{b = 7}:]%rc' >levels.hist
run isostress check -l recorded levels.hist
like "$out" '^VIOLATION: the level of each transaction was broken by LostUpdate' "also where levels are mixed"
# Missed rows between transactions of several levels, by what they are.
named=
while IFS=: read -r anomaly txns; do
  printf 'table t(b, v): 1{b=0,v=0} 2{b=0,v=0}\n%b\n---\n[sel t{b = 7}:]%%rc\n' "$txns" >levels.hist
  isostress check -l recorded levels.hist | grep -q "^VIOLATION: .* was broken by $anomaly\b" || named="$named $anomaly"
done <<'END'
PhantomWriteSkew:[sel t{b = 5}:, ins t/8{b=5,v=0}]%ser\n---\n[sel t{b = 5}:, ins t/9{b=5,v=0}]%ser
PhantomLongFork:[ins t/8{b=5,v=0}]%rc\n---\n[ins t/9{b=5,v=0}]%rc\n---\n[sel t{b = 5}: 8@w1]%si\n---\n[sel t{b = 5}: 9@w2]%si
FracturedStatement:[ins t/8{b=5,v=0} t/9{b=5,v=0}]%rc\n---\n[sel t{b = 5}: 8@w1]%ra
PhantomRead:[ins t/8{b=5,v=0} t/9{b=6,v=0}]%rc\n---\n[sel t{b = 6}:, sel t{b = 5}: 8@w1]%ra
MissingRow:[sel t{b = 0}: 1@?]%si
END
is "$named" "" "missed rows name their anomaly where levels are mixed"

# A cycle of three transactions at two levels, among the 1,200 versions of a row:
# hot SEES FILE has what the last of the three saw of another row.
hot() {
  awk -v sees="$1" 'BEGIN { print "table w(v): 0{v=0}\ntable c(v): 0{v=0}"
    for (i = 1; i <= 600; i++)
      printf "[upd w{id = 0}: 0@%s{v=%d}]%%rc\n", (i > 1 ? "w" i - 1 : "?"), i
    print "---\n[upd c{id = 0}: 0@?{v=1}]%rc\n[sel w{id = 0}: 0@w600]%ser\n---"
    print "[" sees ", upd w{id = 0}: 0@w600{v=-1}]%ser"
    for (i = 602; i <= 1200; i++)
      printf "[upd w{id = 0}: 0@w%d{v=%d}]%%rc\n", i, -i }' >"$2"
}
hot 'sel c{id = 0}: 0@?' items.hist
run isostress check -l recorded items.hist
is "$status" 1 "rows that came back break two levels in a long history"
like "$out" 'Proof: an argument of 5 steps about 4 transactions, each step checked' "their argument is one of any history"
isostress check -l recorded --witness=items.proof items.hist >/dev/null
run isostress verify items.hist items.proof
is "$status" 1 "the argument is verified from a file"
hot 'sel c{v = 1}:' phantom.hist
run isostress check -l recorded phantom.hist
like "$out" '^VIOLATION: .* broken by PhantomWriteSkew' "a row that did not come back breaks two levels"
like "$out" 'Proof: an argument of [0-9]* steps about a part of 4 transactions and 2 rows,' "the part leaves out the versions that it does not need"
isostress check -l recorded --witness=phantom.proof phantom.hist >/dev/null
run isostress verify phantom.hist phantom.proof
is "$status" 1 "the part is verified from a file"
sed 's/%rc/%ser/' phantom.hist >ser.hist
run isostress check -l ser ser.hist
like "$out" 'Proof: an argument of [0-9]* steps about a part of 4 transactions and 2 rows,' "a phantom over a hot row breaks serializability"
printf '[x:=1]\n' | cat rows.hist - >mixed.hist
run isostress convert mixed.hist mixed.iso
is "$status" 254 "registers beside rows are refused"
like "$err" 'mixed.iso: format isostress cannot represent registers or lists beside rows: write text or jsonl' "registers beside rows are named"
printf 'table t(b)\n\n[sel t{b = 1}: 3@w1]\n' >nobody.hist
run isostress check nobody.hist -l ser
is "$status" 255 "a row that nobody wrote is trouble"
like "$err" '^isostress: nobody.hist:3: nobody wrote row t/3@w1' "a row that nobody wrote is told with the file and the line"

bad() { # bad STATEMENT SENTENCE NAME
  printf 'table t(b)\n\n[%s]\n' "$1" >bad.hist
  run isostress check bad.hist -l ser
  is "$status $err" "255 isostress: $2" "$3"
}
bad 'sel t{b == 1}:' 'bad.hist:3:8: character 4 of "b == 1": expected an integer of 64 bits' \
  "a condition that cannot be parsed is told with its place"
bad 'sel t{c = 1}:' 'bad.hist:3:8: character 1 of "c = 1": there is no column "c"' \
  "a column that is not there is told with its place"
bad 'sel u{b = 1}:' \
  'bad.hist:3:6: there is no table of that name before this: say its columns first, as in `table t(b, v)`' \
  "a table that is not there is told with its place"

cp "$TOP_SRCDIR/tests/histories/rows/si-f-both-find-nothing-and-insert.txt" skew.hist
run isostress check skew.hist -l ser
is "$status" 1 "a phantom write skew breaks serializability"
like "$out" 'T1 SELECT \* FROM t WHERE b = 1 returned nothing' "the write skew is told as SQL"
run isostress check skew.hist -l si
is "$status" 0 "snapshot isolation is kept"
run isostress check "$TOP_SRCDIR/tests/histories/rows/ser-serial.txt" -l rc,ser --output=json
is "$status" 0 "several levels, as JSON"

# Sixty transactions in one session each count the rows of a bucket and add one.
awk 'BEGIN { print "table t(b)"; for (i = 1; i <= 60; i++) {
  printf "[sel t{b = %d}:", i % 3
  for (k = i - 3; k > 0; k -= 3) printf " %d@w%d", k, k
  printf ", ins t/%d{b=%d}]\n", i, i % 3 } }' >counted.hist
for level in ser pc rc; do
  run isostress check counted.hist -l "$level"
  is "$status" 0 "a longer history keeps $level"
done
like "$out" 'Proof: a commit order with snapshots of 60 transactions, each read' "the order of a longer history that keeps $level is executed"

# Two that miss each other, among sixty others, and one that sees half of another.
{
  cat counted.hist
  printf '%s\n' --- '[sel t{b = 7}:, ins t/901{b=7}]' --- '[sel t{b = 7}:, ins t/902{b=7}]'
} >skews.hist
run isostress check skews.hist -l ser
is "$status" 1 "a phantom write skew is found among others"
like "$out" 'Proof: an argument of [0-9]* steps about a part of 2 transactions and 2 rows, each step checked by separate code' "the smallest part is the proof"
like "$out" 'T2 in session 2 .*inserted row t/902 with b = 7' "the part is told with the sessions of the whole history"
sed 's/b = 7}/v < 9 \& b = 7}/g; s/^table t(b)/table t(b, v)/; s/\({b=[0-9]*\)}/\1,v=5}/g' skews.hist >longer.hist
run isostress check longer.hist -l ser
like "$out" 'T1 SELECT \* FROM t WHERE b = 7 returned nothing' "comparisons that make no difference are left out"
{
  cat counted.hist
  printf '%s\n' --- '[ins t/900{b=8}]' --- '[sel t{b > 6}: 900@w61, ins t/901{b=7}]' --- '[sel t{b > 6}: 900@w61, ins t/902{b=7}]'
} >more_rows.hist
run isostress check more_rows.hist -l ser
like "$out" 'SELECT \* FROM t WHERE b > 6 returned 1 other row$' "rows that the part leaves out are counted"
run isostress check skews.hist -l auto
like "$out" 'ser  serializability         broken     PhantomWriteSkew$' "the table of levels names the phantom"
{
  cat counted.hist
  printf '%s\n' --- '[ins t/901{b=7} t/902{b=7}]' --- '[sel t{b = 7}: 901@w61]'
} >fractured.hist
run isostress check fractured.hist -l ra
is "$status" 1 "a statement that returns half of what one transaction inserted"
like "$out" 'It breaks read atomic, which was checked, and no weaker level' "a statement that returns half of a transaction breaks read atomic"

# Proofs in files, of every kind.
{
  cat counted.hist
  printf '%s\n' --- '[ins t/901{b=7}]' --- '[upd t{id = 901}: 901@w61{b=8}]' --- '[upd t{id = 901}: 901@w61{b=9}]'
} >lost.hist
isostress run -w predicate -i rc --mix=rc:.4,si:.3,ser:.3 -c 4 -t 50 --threads=1 --seed=1 --check=none memory: >/dev/null 2>&1
isostress convert results/runs/latest/history mixed.hist 2>/dev/null
while read -r file level wanted told; do
  run isostress check "$file" -l "$level" --witness=proof
  is "$status" "$wanted" "$file at $level, with its proof in a file"
  run isostress verify "$file" proof
  is "$status" "$wanted" "the proof of $file at $level is verified from the file"
  like "$out" "Proof: $told" "it is a proof of the kind: $told"
done <<'END'
skews.hist ser 1 an argument of 3 steps about a part of 2 transactions and 2 rows
skews.hist si 0 a commit order with snapshots of 62
fractured.hist rc 0 a commit order of 62
fractured.hist ra 1 an argument of 3 steps about a part of 2
lost.hist si 1 a cycle of 2
mixed.hist recorded 0 a commit order
rows.hist ser 0 a commit order of 2
END
run isostress verify skews.hist proof
is "$status" 255 "the proof of other statements is refused"
like "$err" 'the witness is about another history' "and the sentence says so"
run isostress replay skews.hist memory: -l ser -i si --repeat 2
is "$status" 1 "statements are replayed"
like "$out" '^PhantomWriteSkew came back in 2 of 2 performances' "the replay tells how often the violation came back"

# Without the end of the file, somebody may have deleted what a SELECT missed.
isostress convert skew.hist skew.iso
head -c -1 skew.iso >lost.iso
run isostress check lost.iso -l ser
is "$status" 2 "a history whose end is lost breaks nothing by rows that were not returned"
like "$out" 'a part of the history is lost, and with it perhaps the statements that changed or deleted what others did not return' \
  "the check says that a part is lost"

run isostress check fractured.hist -l rc
is "$status" 0 "a fractured statement keeps read committed"
like "$out" 'Proof: a commit order of 62 transactions, each read' "read committed is proved by an order"
{
  cat fractured.hist
  printf '%s\n' --- '[sel t{id = 901}: 901@w61, sel t{id = 902}:]'
} >seen.hist
run isostress check seen.hist -l rc
is "$status" 1 "a later statement misses a write of a transaction that was read: status 1"
like "$out" 'It breaks read committed, which was checked' "a later statement that misses such a write breaks read committed"

# Levels of their own, and outcomes that only what is missing tells.
{
  sed 's/]$/]%ser/' counted.hist
  printf '%s\n' --- '[sel t{b = 7}:, ins t/901{b=7}]%ser' --- '[sel t{b = 7}:, ins t/902{b=7}]%rc'
} >mixed.hist
run isostress check mixed.hist -l recorded
is "$status" 0 "of two transactions that miss each other one may, at its level"
like "$out" 'Proof: a commit order with snapshots of 62 transactions' "an order with snapshots proves that one may"
sed 's/%rc/%ser/; 2s/%ser/%si/' mixed.hist >both.hist
run isostress check both.hist -l recorded
is "$status" 1 "two serializable transactions that miss each other are a violation"
like "$out" 'about a part of 2 transactions and 2 rows' "a part of two transactions proves the violation"
{
  cat counted.hist
  printf '%s\n' --- '[del t{id = 3}: 3@w3]?' --- '[sel t{id = 5}: 5@w5, sel t{id = 3}:]'
} >deleted.hist
run isostress check deleted.hist -l ser
is "$status" 0 "a missing row shows that its delete in doubt took place"
like "$out" 'Proof: a commit order of 62 transactions' "the order contains the delete in doubt"
printf '%s\n' --- '[sel t{id = 4}:]' >>deleted.hist
run isostress check deleted.hist -l cc
is "$status" 0 "a statement may miss another row at causal consistency"
printf '%s\n' '[sel t{id = 6}: 6@w6, sel t{id = 4}:]' >>deleted.hist
run isostress check deleted.hist -l cc
is "$status" 1 "a statement that saw a later row must not miss the earlier one"

# A part may have the second one of two equal SELECTs.
cat >looks.hist <<'END'
table t(b, v): 0{b=0,v=0} 1{b=1,v=0}
[ins t/3{b=0,v=1}, upd t{v < 1}: 0@?{b=1,v=2} 1@?{b=0,v=0}]
[sel t{TRUE}: 0@w2 1@w2 3@w1, sel t{TRUE}: 0@w2 1@? 3@w1, ups t/2{b=0,v=1}]
END
run isostress check looks.hist -l cc
is "$status" 1 "equal statements of a part are told apart by what they saw"

skew=$TOP_SRCDIR/tests/histories/rows/si-f-both-find-nothing-and-insert.txt
run isostress check -l ser "$skew"
is "$status" 1 "a phantom write skew breaks serializability"
run isostress check -l ser --items-only "$skew"
is "$status" 0 "what came back keeps PL-2.99"
like "$out" 'serializability by returned rows alone' "the verdict says what counted"
cat >update.txt <<'END'
table t(b)
[ins t/1{b=1}]
---
[sel t{b = 1}: 1@w1, upd t{b = 1}: 1@w1{b=2}]
---
[sel t{b = 1}: 1@w1, upd t{b = 1}: 1@w1{b=3}]
END
run isostress check -l ser --items-only update.txt
is "$status" 1 "a lost update is no phantom"
like "$out" 'LostUpdate' "and has its name"

cat >reading.txt <<'END'
table t(b)
[ins t/1{b=1}]
---
[sel t{b = 1}:, upd t{b = 1}: 1@w1{b=1}, sel t{b = 1}: 1@w2]
END
run isostress check -l pc reading.txt
is "$status" 1 "a row that an UPDATE changes and SELECT missed breaks prefix consistency"
run isostress check -l pc --reads=plain reading.txt
is "$status" 0 "plain SELECTs alone keep it"
like "$out" 'by plain SELECTs alone was kept' "the verdict says which statements were reads"
cat >torn.txt <<'END'
table t(b)
[ins t/1{b=1}, ins t/2{b=1}]
---
[sel t{b = 1}: 1@w1]
END
run isostress check -l pc --reads=plain torn.txt --output=json
is "$status" 1 "half a transaction in a plain SELECT breaks it"
like "$out" '"reads": "plain"' "JSON says which statements were reads"
# more WRITE: more transactions than can be tried, from this write of the file on.
more() {
  for n in {0..13}; do
    printf -- '---\n[ins t/%d{b=2}]\n---\n[sel t{b = 2 AND id = %d}: %d@w%d]\n' $((n + 9)) $((n + 9)) $((n + 9)) $((n + $1))
  done
}
{ cat reading.txt; more 3; } >large.txt
run isostress check -l pc --reads=plain large.txt
is "$status" 0 "plain SELECTs of many transactions keep it"
run isostress check -l pc large.txt
is "$status" 1 "and all statements do not"
{ cat torn.txt; more 3; } >torn_large.txt
run isostress check -l pc --reads=plain torn_large.txt
is "$status" 1 "half of a transaction among many breaks it"
like "$out" 'a part of 2 transactions' "and is shown alone"
# Updates of one row, the last one first, and no times: what each of them found
# tells their order.
chain() {
  for n in {2..16}; do
    echo "[upd t{id = 1}: 1@w$n{b=$n}]"
    echo ---
  done
  printf '[upd t{id = 1}: 1@?{b=99}]\n---\n[sel t{id = 1}: 1@w5]\n'
}
{ echo 'table t(b): 1{b=0}' && chain; } >chain.txt
run isostress check -l pc --reads=plain chain.txt
is "$status" 0 "statements that find the latest rows tell the order of their writers"
{ echo 'table t(b): 1{b=0}' && chain && printf -- '---\n[sel t{id = 1}: 1@w9, sel t{id = 1}: 1@w8]\n'; } >twice.txt
run isostress check -l pc --reads=plain twice.txt
is "$status" 1 "a SELECT that finds another row than the one before breaks it"
like "$out" 'NonRepeatableReads' "and has its name"
{ echo 'table t(b): 1{b=0}' && chain && printf -- '---\n[sel t{id = 1}: 1@w8]\n[sel t{id = 1}: 1@w9]\n'; } >back.txt
run isostress check -l pc --reads=plain back.txt
is "$status" 1 "a session that sees the rows go back breaks it"
like "$out" 'by plain SELECTs alone was broken' "and the verdict says how it reads"
run isostress check -l pc --reads=plain --witness=back.proof back.txt
run isostress verify back.txt back.proof
is "$status" 1 "its proof is read from a file"
like "$out" '^VIOLATION proved: prefix consistency by plain SELECTs alone was broken' "and verified"
{ echo 'table t(b): 1{b=0}' && chain && printf -- '---\n[sel t{id = 1}: 1@?, upd t{id = 1}: 1@w1{b=100}]\n'; } >lost.txt
run isostress check -l si --reads=plain lost.txt
is "$status" 1 "who read before others wrote, and writes, loses their update"
like "$out" 'LostUpdate' "which has its name"
run isostress check -l pc --reads=plain --method=sobound torn.txt
is "$status" 2 "the paper has no such reading"

# Nine transactions, each of which misses what the next one inserts: too many to
# try all orders.  An argument refutes them, which separate code checks.
ring() {
  printf 'table t(b):%s\n' "$(printf ' %s{b=0}' 1 2 3 4 5 6 7 8 9)"
  for i in 1 2 3 4 5 6 7 8 9; do
    [ "$i" = 1 ] || echo ---
    echo "[sel t{b = $i}:, ins t/$((i % 9 + 21)){b=$((i % 9 + 1))}]$1"
  done
}
ring "" >ring.hist
{ ring %ser; printf -- '---\n[sel t{b = 77}:]%%rc\n'; } >mixed.hist
run isostress check -l recorded mixed.hist --explain=argued --witness=argued.proof
like "$out" 'Proof: an argument of 10 steps about a part of 9 transactions and 9 rows, each step checked by separate code' "an argument refutes a part that is too large for all orders"
like "$out" 'T1 looked for b = 1 and did not find row t/21\. T9 inserted row t/21 with b = 1\. So T1 must commit before T9 commits\.' "and is told"
is "$(grep -c 'An argument of 10 steps refutes this part of the history\. Separate code' argued/report.html) \
$(grep -o '"argument_steps": [0-9]*\|"one_program": [a-z]*' argued/report.json | paste -sd' ')" \
  '1 "argument_steps": 10 "one_program": false' "so do its page and JSON"
run isostress verify mixed.hist argued.proof
like "$out" 'Proof: an argument of 10 steps' "its proof is read from a file"
run isostress check -l ser ring.hist
like "$out" 'an argument of 10 steps' "at one level it is the same"

# Somebody of unknown outcome may have changed the rows: no argument speaks of
# these.  Mixed levels the search does not decide, so that what refutes the cases
# is alone; at one level the search agrees.
doubt() { printf -- '---\n[upd t{id > 20}: 21@w9{b=50} 22@w1{b=50} 23@w2{b=50} 24@w3{b=50} 25@w4{b=50} 26@w5{b=50} 27@w6{b=50} 28@w7{b=50} 29@w8{b=50}]?%s\n' "$1"; }
{ cat mixed.hist && doubt %ser; } >doubt.hist
{ cat ring.hist && doubt ""; } >doubts.hist
run isostress check -l recorded doubt.hist --explain=alone --witness=alone.proof
like "$out" 'in each of [0-9]* cases* .*
  One program refuted this part case by case; no separate code checked it\.' "one program's verdict says so"
is "$(grep -c 'One program refuted this part of the history case by case ([0-9]* cases*). No separate code' alone/report.html) \
$(grep -c 'derived every step' alone/report.html) $(grep -o '"one_program": [a-z]*' alone/report.json)" \
  '1 0 "one_program": true' "so do its page and JSON"
run isostress verify doubt.hist alone.proof
like "$out" 'One program refuted this part' "and whoever verifies it"
run isostress check -l ser doubts.hist --explain=both
unlike "$out" 'One program' "where the search agrees nobody says that one program was alone"
is "$(grep -c 'Separate code, which shares with that only how options are read and parts are cut out, finds that the part breaks the level, too' both/report.html) \
$(grep -o '"one_program": [a-z]*' both/report.json)" '1 "one_program": false' "the page says that two agree"

# A tiny history is decided by trying all orders; separate code replays the order.
printf 'UPDATE t SET v = 2 WHERE id = 1;\n' >tiny.pgbench
printf 'CREATE TABLE t (id INT PRIMARY KEY, v INT);\nINSERT INTO t VALUES (1, 1), (2, 1);\n' >tiny.sql
run isostress run -w tiny.pgbench --schema tiny.sql -t 3 -c 1 --seed 3 memory:
like "$out" 'separate code replayed it' "run says that a tiny history was replayed"
run isostress check -l ser results/runs/latest/history
like "$out" 'each read checked against it by separate code' "it was: by more than trying all"

# An INSERT counts as a read of no row, which others see differently: that is said.
printf 'table t(b): 1{b=0}\n[sel t{b = 0}: 1@?, ins t/1{b=3}]\n---\n[del t{id = 1}: 1@?]\n' >twice.hist
run isostress check -l ra twice.hist --explain=twice
like "$out" 'An INSERT is taken here to have read that its key had no row' "a violation that an INSERT is part of says how that is taken"
is "$(grep -c 'An INSERT is taken here' twice/report.html)" 1 "so does its page"
run isostress check -l ser twice.hist
unlike "$out" 'An INSERT is taken here' "from snapshot isolation on nobody differs"
printf 'table t(b)\n[ins t/5@?{b=1}]\n' >version.hist
run isostress check -l ra version.hist
like "$status $err" '^255 .*an inserted row was not there: it has no @ and no version' "an inserted row has no version"

# Tables and statements may be as long as they are.
wide=$(printf ' %s{b=0}' {1..12000})
printf 'table t(b):%s\n[upd t{id = 1}: 1@?{b=1}]\n---\n[sel t{b = 0}:%s]\n' "$wide" "$(printf ' %s@?' {2..12000})" >wide.hist
run isostress check -l ser wide.hist
is "$status $err" "0 " "the text notation has long tables and statements"
run isostress convert wide.hist wide.jsonl
is "$status $err" "0 " "so do JSON lines"
run isostress check -l ser wide.jsonl
is "$status $err" "0 " "what was written can be read, and is recognised"
is "$(isostress convert wide.jsonl - --to=text | cmp - <(isostress convert wide.hist - --to=text) && echo same)" same "nothing is lost"

# A history with rows of which a part is lost is converted to nothing: without
# that part it would be evidence against the database.
isostress run -w predicate memory: -i serializable -t 2000 --seed 5 -o torn >/dev/null 2>&1
head -c "$(($(stat -c %s torn/latest/history) * 3 / 4))" torn/latest/history >torn.iso
run isostress check -l rc torn.iso
is "$status" 2 "a torn history is undecided"
for to in torn.jsonl torn.hist torn_again.iso; do
  run isostress convert torn.iso $to
  is "$status $([[ $err == *"$to was not written: a part of torn.iso is lost"* ]] && echo told) $(ls "$to" 2>/dev/null)" "255 told " "it does not become $to"
done
run isostress convert torn.iso - --to=text
is "$status:$out" "255:" "nor does it go to a pipe"

# A case by what statements missed is named beside what the rows that came back show.
isostress run -w predicate -c 8 -t 400 -T 0 --threads=1 --seed=3 -i si --check=ser -P 0 -o both memory: >/dev/null 2>&1
both=$(cat both/latest/report.txt)
like "$both" '^  Found: WriteSkew .*, PhantomWriteSkew at least 1 time\.' "anomalies by items and by conditions are named side by side"
is "$(grep -c '^  \(Phantom\)*WriteSkew: \|^  The statements, with the keys' <<<"$both")" 3 "each has its own smallest case"
is "$(python3 -c 'import json
verdict = json.load(open("both/latest/report.json"))["verdict"]
print(verdict["counterexample"]["anomaly"], verdict["others"][-1]["anomaly"])')" "WriteSkew PhantomWriteSkew" "JSON has both"
run isostress check -l ser --items-only both/latest
unlike "$out" 'Phantom' "rows alone have no case of a condition"

# Its open reads are numbered anew while the search knows pairs of them.
run isostress check -l rc "$TOP_SRCDIR/tests/histories/rows/rc-without-places.iso"
is "$status" 0 "transactions that stand at no place are decided"
