#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A SELECT of a row and an UPDATE of it over another one's change are a lost
# update: its name, its count, the case that is shown, and what leads.
. "$TOP_SRCDIR/tests/tap.sh"
cd "$work" || exit 1
plan 56

# history ROWS: two sessions that each sell one of each row at the same time;
# rows of an odd number are left as they were by whoever changes them.
history() {
  local rows=$1 row one='' other=''
  printf 'table stock(n, seen):'
  for ((row = 1; row <= rows; row++)); do printf ' %d{n=10,seen=0}' "$row"; done
  echo
  for ((row = 1; row <= rows; row++)); do
    local left=$((row % 2 ? 10 : 9))
    one+="[sel stock{id = $row}: $row@?, upd stock{id = $row}: $row@?{n=$left,seen=0}]@${row}1..${row}5"$'\n'
    other+="[sel stock{id = $row}: $row@?, upd stock{id = $row}: $row@w$row{n=9,seen=0}]@${row}2..${row}6"$'\n'
  done
  printf '%s---\n%s' "$one" "$other"
}

history 20 >lost.txt
run isostress check -l ser lost.txt
is "$status" 1 "lost updates break serializability"
like "$out" "^VIOLATION: serializability was broken by LostUpdate" "they have the name of textbooks"
like "$out" "Found: LostUpdate in 20 writes\." "each is counted once, and nothing else"
like "$out" "found row stock/2 with n = 10. T1 replaced that: it changed row stock/2 to n = 9. So T2 comes before T1" \
  "the case that is shown is the first one in which a value differs"
like "$out" "T1 changed row stock/2 to n = 9. T2 replaced that: it changed row stock/2 to n = 9. So T1 comes before T2" \
  "both steps of its cycle are told"
like "$out" "T2 wrote last, and had read the row before T1 changed it: unless the database calculated what it wrote, the change of T1 is lost" "and what is lost"
run isostress check -l ra lost.txt
like "$out" "^VIOLATION: read atomic was broken by LostUpdate" "it has that name at a weaker level, too"
run isostress check -l rc lost.txt
is "$status" 0 "read committed allows it"
isostress check -l ser --witness=proof lost.txt >/dev/null
run isostress verify lost.txt proof
is "$status $(head -1 <<<"$out")" "1 VIOLATION proved: serializability was broken." "separate code derives it from the history"

# As before, with many that read a row twice and change nothing.
{
  history 10
  printf -- '---\n'
  for ((row = 1; row <= 10; row++)); do
    echo "[sel stock{id = $row}: $row@?, sel stock{id = $row}: $row@w$row]@${row}3..${row}9"
  done
} >both.txt
run isostress check -l ser both.txt
like "$out" "^VIOLATION: serializability was broken by LostUpdate" "of several anomalies the one that loses data leads"
like "$out" "Found: NonRepeatableReads in 10 reads, LostUpdate in 10 writes\." "who changed nothing read a row twice"

# A row that was read anew before it was changed lost nothing.
sed 's/upd stock\({id = [0-9]*}\): \([0-9]*\)@\(w[0-9]*\)/sel stock\1: \2@\3, &/' lost.txt >anew.txt
run isostress check -l ser anew.txt
like "$out" "^VIOLATION: serializability was broken by NonRepeatableReads" "who read the row again knew what it changed"
like "$out" "Found: NonRepeatableReads in 20 reads\." "and is counted once"

# Write skew beside lost updates is counted as well.
{
  history 10
  printf -- '---\n[sel stock{id = 1}: 1@w11, upd stock{id = 2}: 2@w12{n=8,seen=0}]@900..950\n'
  printf -- '---\n[sel stock{id = 2}: 2@w12, upd stock{id = 1}: 1@w11{n=8,seen=0}]@901..951\n'
} >skew.txt
run isostress check -l ser skew.txt
like "$out" "Found: LostUpdate in 10 writes, WriteSkew 1 time" "what else is wrong is counted besides"

# The page draws what it tells.
run isostress check -l ser --explain=page lost.txt
is "$(grep -o '"anomaly": "[A-Za-z]*"' page/report.json | head -1)" '"anomaly": "LostUpdate"' "the report has the name"
is "$(grep -c 'id="c1-arrow-[12]"' page/report.html)" 2 "the picture has an arrow for each step"
is "$(grep -o '>commit<' page/counterexample-1.svg | wc -l)" 2 "and both commits"
like "$(<page/report.txt)" "Remove any one of the operations of the steps below, and serializability is kept" \
  "the SELECT that is only shown is not said to be needed"

# A change that the database calculates from the row loses nothing: SET n = n - 1.
sed 's/upd stock/add stock/' lost.txt >adds.txt
run isostress check -l ser adds.txt
like "$status $out" "^1 VIOLATION: serializability was broken by NonRepeatableReads" "who added to the row had only decided by an old value"
like "$out" "Found: NonRepeatableReads in 20 reads\." "each is counted once"
unlike "$out" "lost" "and nothing is said to be lost"
run isostress check -l rc adds.txt
is "$status" 0 "read committed allows it"
isostress check -l ser --witness=proof adds.txt >/dev/null
run isostress verify adds.txt proof
is "$status $(head -1 <<<"$out")" "1 VIOLATION proved: serializability was broken." "separate code derives it from the history"
run isostress check -l ser --explain=page adds.txt
is "$(grep -o '"anomaly": "[A-Za-z]*"' page/report.json | head -1)" '"anomaly": "NonRepeatableReads"' "the page has that name"
unlike "$(<page/report.html)" "An update was lost" "and its headline"
for format in isostress jsonl; do
  isostress convert --to $format adds.txt adds.$format
  run isostress check -l ser "adds.$format"
  like "$out" "Found: NonRepeatableReads in 20 reads\." "$format keeps that"
done

# Whether an UPDATE of a history from elsewhere calculated, its writer alone knows.
cat >maybe.txt <<'EOF'
table stock(n): 1{n=10}
[sel stock{id = 1}: 1@?{n=10}, upd stock{id = 1}: 1@w2{n=8}]@0..50
---
[sel stock{id = 1}: 1@?{n=10}, upd stock{id = 1}: 1@?{n=9}]@1..20
EOF
run isostress check -l ser --explain=page maybe.txt
like "$(<page/report.html)" 'is lost\. Unless that UPDATE calculated from the row, 8 = 9 - 1: then the history has to say add, not upd\.' \
  "an UPDATE that may be relative is told as such"
sed 's/n=8/n=9/' maybe.txt >same.txt
run isostress check -l ser --explain=page same.txt
unlike "$(<page/report.html)" 'Unless that UPDATE' "one that wrote what it found cannot be"

# A run tells the two apart.
printf 'CREATE TABLE stock (id int PRIMARY KEY, n int NOT NULL);\nINSERT INTO stock VALUES (1, 9);\n' >stock.sql
printf 'UPDATE stock SET n = n - 1 WHERE id = 1;\n' >adds.pgbench
printf 'UPDATE stock SET n = 1 WHERE id = 1;\n' >sets.pgbench
for script in adds:add sets:upd; do
  isostress run -w "${script%:*}.pgbench" --schema stock.sql memory: -c 1 -t 3 --seed 1 >/dev/null 2>&1
  isostress convert --to text results/runs/latest/history run.txt
  is "$(grep -c "\[${script#*:} stock{id = 1}" run.txt)" 3 "a run records ${script%:*}.pgbench as ${script#*:}"
done

# The times of statements are those of what they did to rows.
isostress run -t 2k -c 4 --threads=1 --seed=1 -w predicate -k 24 -i rc --check ser -o timed memory: >/dev/null 2>&1
isostress check -l ser --output json timed/latest/history >timed.json 2>/dev/null
cat >times.py <<'EOF'
import json
for txn in json.load(open("timed.json"))["verdict"]["counterexample"]["transactions"]:
    last = txn["begin_ns"]
    for op in txn["operations"]:
        assert last <= op["begin_ns"] <= op["end_ns"] <= txn["end_ns"], op
        last = op["begin_ns"]
EOF
run python3 times.py
is "$status $err" "0 " "operations on rows have times, within those of their transaction"
isostress check -l ser lost.txt --output json | grep -Eq '"begin_ns": ?null'
is "$?" 0 "where a history has none, none are told"

# A commit that lies between two statements of the other transaction is drawn.
page=$(cat timed/latest/report.html)
like "$page" 'class="d"[^>]*>T2 committed<' "the commit between two statements stands in the other column"
like "$page" "The green line is the commit of T2: it lies between two statements of T1" "and the key says so"
like "$page" 'All anomalies here are of rows that came back: whether a search missed a row was not asked' "it says that searches were not looked at"
like "$page" '>overwritten<' "the lost write is marked"
like "$page" '>had read f = 0<' "and so is the write that lost it"
isostress check -l ser --explain=untimed lost.txt >/dev/null
page=$(cat untimed/*.html)
unlike "$page" 'The green line' "no line is drawn by times that were not recorded"
like "$page" 'When each statement was answered was not recorded: statements stand at even shares' "and the page says so"

# A search that met no row is drawn, with its whole condition, and what it misses.
cat >rooms.txt <<'EOF'
table booking(room, hour): 9{room=9,hour=0}
[sel booking{room = 1 AND hour >= 3}:, ins booking/1{room=1,hour=4}]@10..60
---
[sel booking{room = 1 AND hour >= 3}:, ins booking/2{room=1,hour=5}]@20..50
EOF
isostress check -l ser --explain=rooms rooms.txt >/dev/null
page=$(cat rooms/*.html)
unlike "$page" 'All anomalies here are of rows that came back' "a search that missed a row is no such anomaly"
like "$page" '>search: no row<' "a search that found nothing is in the picture"
like "$page" '>room = 1 AND hour >= 3<|>room = 1 AND hour &gt;= 3<' "with the condition as it was sent"
like "$page" '>misses T2.s row<|>misses T2&#39;s row<' "and what it misses"
like "$page" 'id="c1-arrow-1"' "an arrow leads from the search to the row"
like "$page" 'goes from a search to the row that it missed' "and the key says so"
cat >twice.txt <<'EOF'
table t(b): 1{b=9}
[sel t{b = 1}:, sel t{b = 1}: 2@w1]@10000..60000
---
[ins t/2{b=1}]@20000..50000
EOF
isostress check -l ra --explain=twice twice.txt >/dev/null
like "$(cat twice/*.html)" '>without row 2<' "a search that lacks what another one has is marked"
is "$(grep -c 'class="t"' twice/counterexample-1.svg)" 5 "no times are made up: those are drawn of begins and ends, below the unit"

# Who deletes both rows later hides neither search.
cat >deleted.txt <<'EOF'
table booking(room): 9{room=9}
[sel booking{room = 1}:, ins booking/1{room=1}]@10000..60000
---
[sel booking{room = 1}:, ins booking/2{room=1}]@20000..50000
---
[del booking{room = 1}: 1@w1 2@w2]@70000..80000
EOF
run isostress check -l ser deleted.txt
like "$out" "T2 inserted row booking/2 with room = 1. T3, which took it away again, found what T1 wrote and comes after T1. So T1 comes before T2" \
  "a row that was deleted later was missed all the same"
like "$out" "Each would have to come before the other" "which gives a cycle"

# own_session: one session that loses an update of its own in each of 20 rows.
# Its SELECT alone misses what the session wrote: a lost update is told, and not
# that every operation of it is needed.
own_session() {
  local row write=0
  printf 'table stock(n):'
  for ((row = 1; row <= 21; row++)); do printf ' %d{n=10}' "$row"; done
  echo
  for ((row = 1; row <= 20; row++, write += 3)); do
    echo "[sel stock{id = $row}: $row@?, upd stock{id = $row}: $row@?{n=9}]"
    echo "[sel stock{id = $row}: $row@w$((write + 1)), upd stock{id = $row}: $row@w$((write + 1)){n=8}]"
    echo "[sel stock{id = $row}: $row@w$((write + 1)), upd stock{id = $row}: $row@w$((write + 2)){n=8}]"
  done
}
own_session >own.txt
isostress check -l ser --explain=own --witness=proof own.txt >own.out
like "$(<own.out)" "^VIOLATION: serializability was broken by LostUpdate" "an update that its own session lost is a lost update"
like "$(<own.out)" "Found: LostUpdate in 20 writes\." "and nothing else is found"
like "$(<own.out)" "T2 wrote last, and had read the row before T1 changed it: unless the database calculated what it wrote, the change of T1 is lost" "the case shows what is lost"
unlike "$(<own.out) $(<own/report.html)" "Remove any one" "no operation is said to be needed that is not"
like "$(<own/report.json)" '"minimal_for": "none"' "nor in the report"
{
  own_session
  printf -- '---\n[sel stock{id = 21}: 21@?, upd stock{id = 21}: 21@?{n=9}]\n'
  printf -- '---\n[sel stock{id = 21}: 21@?, upd stock{id = 21}: 21@w61{n=9}]\n'
} >others.txt
run isostress check -l ser others.txt
like "$out" "T1 in session [12] found row stock/21" "a lost update of two sessions is shown before it"
