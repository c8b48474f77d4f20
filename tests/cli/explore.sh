#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress explore: levels, verdicts, stories, what the memory store makes of
# them, and mistakes.
. "${TOP_SRCDIR:?}/tests/tap.sh"
export ISOSTRESS_FILES=$TOP_SRCDIR
cd "$work" || exit 1

# row LEVEL: the counts of its line.
row() { sed -n "s/^$1  *\([^<]*[^< ]\).*/\1/p" <<<"$out" | tr -s ' '; }

plan 123

# ---- Programs that come with isostress

for program in "stock:10 7 7 7:3 3 0 0" "booking:13 13 10 10:13 13 10 10" \
  "oncall:3 3 1 1:3 3 1 1" "course:16 16 10 10:6 6 0 0"; do
  IFS=: read -r name weak si <<<"$program"
  run isostress explore "$name"
  is "$status" 1 "$name breaks an assertion"
  is "$(row rc-statement)" "$weak" "$name at rc-statement"
  is "$(row si)" "$si" "$name at si"
  like "$(row ser)" '^[0-9]+ [0-9]+ 0 0$' "$name holds at ser"
done
run isostress explore -i ser,si stock --isolation pc
is "$(sed -n 's/^\([a-z-]*\)  *[0-9].*/\1/p' <<<"$out" | xargs)" "ser si pc" "levels that are asked for"
run isostress explore -i si stock
is "$status" 0 "a program that holds"
like "$out" '^The assertions hold at si for these 3 sessions and 3 transactions, with these values\.$' \
  "a pass names the bounds that it holds for"
unlike "$out" VIOLATION "a pass shows no violation"
run isostress explore -i si --robust oncall
is "$status" 1 "--robust"

cat >skew.program <<'END'
initially x=1, y=1
transaction a; read x into v; read y into w; write x 0; end
transaction b; read x into v; read y into w; write y 0; end
session A: a
session B: b
END
run isostress explore -i si skew.program
is "$status" 0 "a program without assertions"
run isostress explore -i si --robust skew.program
is "$status" 1 "a program without assertions may fail --robust"
run isostress explore -i cc --algorithm dfs skew.program --assert-only
is "$(row cc)" "4 - -" "the baseline meets a history again"

cat >serial.program <<'END'
transaction a; write x 1; end
session A: a
finally
  read x into v
  assert v == 2 "x is 2"
end
END
run isostress explore -i ser serial.program
like "$out" 'the assertion fails at every level\.$' "a serial execution that fails"
cat >fault.program <<'END'
transaction a; read x into v; write x v + 1; end
session A: a
END
run isostress explore -i cc fault.program
like "$status $out" '^1 .*' "a fault is a failure"
like "$out" '^VIOLATION at cc, fault.program:1 "an integer is needed here"' "a fault is told with its line"
run isostress explore -i cc oncall
like "$out" 'there need be no order of statements\.$' "a level without a schedule"
run isostress explore -i cc oncall --save-steps no.steps
like "$status $err" '^255 isostress: no script was written to no.steps' "has no script"

cat >family.program <<'END'
with p in 1 2
initially x=0
transaction a; read x into v; write x v + p; end
session A: a
session B: a
finally; read x into v; assert v == 2 * p "nothing is lost"; end
END
run isostress explore -i si family.program --output json
is "$(python3 -c 'import json, sys
text, d, at = sys.stdin.read(), json.JSONDecoder(), 0
while at < len(text.rstrip()):
  o, at = d.raw_decode(text, at)
  at += 1
  print(o["member"], o["levels"][0]["histories"], o["levels"][0]["failing"])' <<<"$out" | xargs)" \
  "p=1 2 0 p=2 2 0" "a family, in JSON"

cat >where.program <<'END'
initially x=0, n=0
transaction add; read x into v for update where v > 0; read n into m; write n m + 1; end
session A: add
session B: add
finally; read n into m; assert m == 2 "nothing is lost"; end
END
run isostress explore -i rc-statement where.program
is "$status" 1 "a lock of what its condition does not hold for"
sed -i 's/x=0/x=1/' where.program
run isostress explore -i rc-statement where.program
is "$status" 0 "a lock of the rows that its condition holds for"

# ---- A report with a page

run isostress explore -i rc-statement stock --explain page
is "$status" 1 "a story with a page"
like "$(cat page/report.txt)" '^VIOLATION: serializability was broken by LostUpdate' "why no serial order explains it"
like "$(cat page/report.html)" '<svg' "the page has pictures"
like "$(xargs -d '\n' <page/report.html)" 'This can happen</p> <h1>An update was lost.</h1>' "the page says what can happen"
like "$(cat page/report.html)" '<h2>In your application</h2><p>Two clerks both see' "the page says what it means in an application"
like "$(<page/report.html)" 'At <b>rc-statement</b>, does <b>stock.program</b> keep <b>“never oversold”</b> \(line 17\)\?</p><p><b>No' \
  "the page says what was asked"
like "$(<page/report.html)" 'promise it\?</h2><p><b>Not known\.</b> No database was named' "the page says that no database was named"
like "$(<page/report.html)" '<code>--repair</code> finds the single changes' "the page says how to find what helps in this program"
like "$(<page/report.html)" 'allows this\.</p></div>' "it does not say where it cannot happen, as nobody tried"
like "$(<page/report.html)" '<h2>What helps</h2><p>Only <b>rc-statement</b> was explored; without <code>-i</code>' \
  "of one level it says that no other was explored"
unlike "$(<page/report.html)" 'Another case' "the page tells the one case that was explored"
run isostress check -l ser page/history.jsonl
is "$status" 1 "the history can be checked again"
like "$(<page/report.html)" '<th scope="row">rc-statement</th>.*<td class="n bad">[0-9]+</td>' "the page counts what each level allows"
unlike "$(<page/report.html)" 'on a live database' "and tells of no database"
run isostress explore -i rc-statement stock --explain page memory: --repeat 3
like "$(<page/report.html)" '<b>seen [0-3] of 3</b> times on in-process store' "or how often it was seen live"
like "$(<page/report.html)" 'Does the built-in store promise it\?</h2><p><b>No\.</b> The level promises read committed' \
  "the page says what the level of the database promises"
# As if the level promised what was seen not to hold.
sed -i 's/"claimed": *"rc"/"claimed": "ser"/; s/"seen": *[0-9]*/"seen": 3/' page/report.json
isostress report page >/dev/null
like "$(xargs -d '\n' <page/report.html)" 'Broken promise</p> .*promise it\?</h2><p><b>Yes\.</b> .*This is a bug in the database' \
  "a level that rules out what was seen is in the wrong"
sed -i 's/"seen": *[0-9]*/"seen": 0/' page/report.json
isostress report page >/dev/null
like "$(xargs -d '\n' <page/report.html)" 'This can happen</p> .*<b>Yes\.</b> .*That rules this out\.' \
  "a level that rules it out is right if nothing was seen"
run isostress explore -i rc-statement stock --repair --explain page
like "$(<page/report.html)" 'each of these alone helps:</p><ul><li>read stock for update in buy \(line 4\)</li>' \
  "the page has the changes that help"
run isostress explore -i rc-statement,si,ser oncall --repair --explain help
spans=$(sed -n 's/.*"begin":\([0-9]*\),"end":\([0-9]*\).*/\1 \2/p' help/history.jsonl | xargs)
is "$spans" "1000000 6000000 3000000 8000000" "its transactions overlap, as in the story"
like "$(xargs -d '\n' <help/report.html)" '<h2>What helps</h2><p><b>ser</b> for all transactions, .*(No change of a single|each of these alone helps)' \
  "the page advises the levels that help in this program"
is "$(python3 -c 'import json
case = json.load(open("help/report.json"))["verdict"]["counterexample"]
print(sorted(o["end_ns"] // 1000000 for t in case["transactions"] for o in t["operations"]))')" \
  "[2, 4, 5, 7]" "each operation has the time of its step"
unlike "$(xargs -d '\n' <help/report.html)" '<h2>What helps</h2><p>(<b>si|[^<]*SERIALIZABLE|[^<]*REPEATABLE)' "and no other"

printf 'initially x=0\ntransaction a; read x into v; write x v + 1; end\nsession A: a\nfinally; read x into v; assert v == 0 "zero"; end\n' >wrong.program
run isostress explore -i ser wrong.program --explain wrong
is "$status" 1 "an assertion that no order keeps"
like "$(xargs -d '\n' <wrong/report.html)" 'This can happen</p> <h1>The program breaks what it asserts, even if its transactions run one after another\.' \
  "its page blames the program"
like "$(<wrong/report.html)" '<h2>In your application</h2><p>isostress cannot say' "it does not say what it cannot know"

cat >two.program <<'END'
initially x=0, y=0
transaction a; read x into v; write x v + 1; read y into w; write y w + 1; end
session A: a
session B: a
finally; read x into v; read y into w; assert w == 2 "y"; assert v == 2 "x"; end
END
run isostress explore -i rc-statement two.program --all --save-steps two.steps --explain two
is "$status $(echo two two-* two.steps*)" "1 two two-2 two.steps two.steps-2" "each failure has its files"

# Each level has its story; one that fails in serial histories fails everywhere.
cat >three.program <<'END'
initially x=0
transaction inc; read x into v; write x v + 1; end
session A: inc
session B: inc
finally; read x into v; assert v == 3 "three"; end
END
run isostress explore three.program
is "$status $(grep '^VIOLATION at' <<<"$out" | cut -d, -f1 | cut -d' ' -f3 | xargs)" "1 rc-statement ra cc si ser" "a story for each level"
is "$(grep -c '^These transactions run one after the other: the assertion fails at every level\.$' <<<"$out")" 2 \
  "a serial story says that the assertion fails at every level"
is "$(sed -n 's/^  the same steps as at //p' <<<"$out" | xargs)" "ra si" "the same steps are told once"

# ---- Weaker bases, levels by a database's names

for base in true rc ra cc; do
  run isostress explore -i cc --base $base courseware-2 --assert-only
  is "$(row cc)" "46 - -" "cc from $base"
  run isostress explore -i si --base $base courseware-2 --assert-only
  is "$(row si)" "45 - -" "si from $base"
done
run isostress explore -i rc --base cc stock
like "$status $err" '^254 isostress: --base: cc is not weaker than what rc needs' "a base that loses histories"
run isostress explore -i cc --base si stock
like "$status $err" '^254 isostress: --base: must be true, rc, ra or cc, not "si"$' "a base that is none"
run isostress explore --as "postgresql:read committed" --as "sqlite:serializable" stock
is "$(sed -n 's/^\([A-Z ]*[A-Z]\)  *[0-9].*/\1/p' <<<"$out" | paste -sd,)" "READ COMMITTED,SERIALIZABLE" "levels by a database's names"
run isostress explore -i "read committed,Serializable" stock
is "$(sed -n 's/^\([a-z-]*\)  *[0-9].*/\1/p' <<<"$out" | xargs)" "rc-statement ser" "names that mean the same everywhere"
run isostress explore -i "repeatable read" stock
like "$status $err" '^254 isostress: --isolation: there is no level "repeatable read" to explore; .* say whose it is, such as --as=postgresql:"repeatable read"$' \
  "a name that means something else in each database"
run isostress explore -i "read uncommitted" stock sqlite:try.db
is "$status $err" "254 isostress: read uncommitted of sqlite promises nothing that can be explored" "a level of the target"
run isostress explore stock sqlite:try.db
is "$status $(sed -n 's/^\([A-Z ]*[A-Z]\)  *[0-9].*/\1/p' <<<"$out")" "0 SERIALIZABLE" "the levels that the target has"
run isostress explore -i si oncall sqlite:try.db
like "$status $out$err" '^254 isostress: --isolation: sqlite has no isolation level "si"' "a level that the target lacks, before anything is explored"
run isostress explore -i mysql-rr oncall sqlite:try.db
is "$status $out$err" "254 isostress: --isolation: mysql-rr is a level of MySQL and MariaDB, not of sqlite" "one that is another database's"
run isostress explore --base rc -i mysql-rr stock
like "$status $err" '^254 isostress: --base: rc is not weaker than what mysql-rr needs' "no base but true keeps all of mysql-rr"
run isostress explore --base true -i mysql-rr,rc-statement stock --assert-only
is "$(row mysql-rr | cut -d' ' -f1) $(row rc-statement | cut -d' ' -f1)" "10 10" "with true there are as many histories"
run isostress explore --as "sqlite:read committed" stock
like "$status $err" '^254 isostress: --as: sqlite has no isolation level "read committed"' "a level that it has not"
run isostress explore --as "mysql" stock
like "$status $err" '^254 isostress: --as: must be DRIVER:LEVEL' "no level"

# ---- Outcomes

run isostress explore -i ser --outcomes oncall
is "$(sed -n '/^outcomes/,$p' <<<"$out" | head -n 3)" "$(printf '%s\n' 'outcomes at ser' \
  '         1  A leave(1,2): 1 1; B leave(2,1): 1 0; finally: 0 1' \
  '         1  A leave(1,2): 1 0; B leave(2,1): 1 1; finally: 1 0')" "each outcome has its number of histories"
run isostress explore -i si --outcomes oncall
like "$out" '^         1  A leave\(1,2\): 1 1; B leave\(2,1\): 1 1; finally: 0 0   not serializable, breaks an assertion$' "an outcome that breaks an assertion is marked"

# ---- Changes that help

for row in "stock:read stock for update in buy (line 4):buy at si" \
  "oncall:read oncall for update in leave (line 5):leave at ser" \
  "course:read enrolled for update in enrol (line 5):enrol at si"; do
  IFS=: read -r name lock level <<<"$row"
  run isostress explore -i rc-statement --repair --allocate "$name"
  is "$(sed -n 's/^Would help:  *//p' <<<"$out")" "$lock" "what helps $name"
  is "$(sed -n 's/^Enough: \(.*\), for these sessions and values;.*/\1/p' <<<"$out")" "$level" "the level that is enough is named"
done
sed 's/into theirs/& for update/' "$TOP_SRCDIR/configs/programs/oncall.program" >locks.program
run isostress explore -i rc-statement locks.program
is "$status" 0 "the program holds with the proposed locks"
run isostress explore -i rc-statement --repair booking
is "$(sed -n '/^Would help/,/^With/p' <<<"$out" | head -n -1)" "Would help:  book at ser" "only a level helps"
cat >lost.program <<'END'
initially x[1]=0
let y=7
transaction inc(i); let k = i; if i > 0 and y != 3; read x[k] into v; write x[k] v + 1; end; end
session A: inc(1)
session B: inc(1)
finally; read x[1] into v; assert v == 2 "nothing is lost"; end
END
run isostress explore -i rc-statement --repair lost.program
is "$(sed -n 's/^\(Would help\|  *or\):  *//p' <<<"$out")" \
  $'read x for update in inc (line 3)\nupdate x instead of write in inc (line 3)\ninc at si' "three ways to lose nothing"
like "$out" '2 of the 2 transactions are enough' "transactions that the assertion counts are not left out"
sed -i 's/read x\[k\] into v; write x\[k\] v + 1/read x[k] into w; update x[k] old + 1/' lost.program
run isostress explore -i rc-statement lost.program
is "$status" 0 "the program holds with the proposed update"
sed 's/ + b + c <= 1/ + b + c <= 0/' "$TOP_SRCDIR/configs/programs/booking.program" >never.program
run isostress explore -i rc-statement --repair never.program
like "$out" '^With no single change that was tried all assertions hold at rc-statement\.$' "no single change helps"
run isostress explore -i rc-statement --repair --output json oncall
is "$(python3 -c 'import json, sys
print([(r["kind"], r["transaction"]) for r in json.load(sys.stdin)["repairs"]])' <<<"$out")" \
  "[('for update', 'leave'), ('level', 'leave')]" "repairs in JSON"

# ---- Cores and parts

run isostress explore -j 1 courseware-3
one=$out
run isostress explore -j 8 courseware-3
is "$out" "$one" "counts do not depend on cores"
sum=0
for part in 1 2 3; do
  run isostress explore -i cc --part $part/3 --assert-only courseware-3
  is "$status" 2 "a part is undecided"
  sum=$((sum + $(sed -n 's/^cc  *>\([0-9]*\) .*/\1/p' <<<"$out")))
done
is "$sum" 12790 "parts add up"
run isostress explore --part 4/3 stock
is "$status $err" '254 isostress: --part: must be such as 1/4, not "4/3"' "a part that is none"

run isostress explore --verify -i rc,rc-statement,ra,cc,pc,si,ser shopping-cart-5 --assert-only --timeout 3s
unlike "$(grep -v ' histories at ' .err)" . "the checker agrees with all histories"

# ---- Live

run isostress explore -i rc-statement oncall memory: --seed 1 --save-steps oncall.steps
like "$out" '^seen live, in-process store, rc: [0-9]+ of 20 performances$' "a story that is seen live"
run isostress explore -i rc-statement oncall memory: --seed 1 --repair
like "$out" '^with leave at ser: 20 of 20 performances prevented' "the repair prevents the story live"
run isostress steps oncall.steps memory: -i ser
like "$out" '^anomaly     prevented' "the script of the story is prevented at ser"
run isostress explore -i rc-statement oncall sqlite:try.db
like "$status $err" '^254 isostress: --isolation: sqlite has no isolation level "rc"; it has "?serializable' \
  "a database without the level is refused"
unlike "$out" 'performed on PostgreSQL' "the refusal has no other reason"

# ---- Mistakes

run isostress explore
is "$status $err" "254 isostress: say which program to explore, such as \`isostress explore stock\`" "no program"
run isostress explore stok
like "$status $err" '^254 isostress: there is no program "stok" here or in configs/programs$' "unknown program"
run isostress explore -i sser stock
like "$status $err" '^254 isostress: --isolation: sser cannot be explored' "a level with time"
run isostress explore stock nosuch:
like "$status $out$err" '^254 isostress: there is no driver "nosuch"' "an unknown database, before anything is explored"
run isostress explore -i ser three.program sqlite:none/try.db
is "$status $(grep -c 'read for update' <<<"$out")" "255 0" "a database that cannot be opened"
run isostress explore -i si, stock
like "$status $err" '^254 isostress: --isolation: there is no level ""' "a level without a name"
run isostress explore --schema "$TOP_SRCDIR/configs/programs/stock.sql"
like "$status $err" '^254 isostress: say which scripts to explore, such as `isostress explore --schema stock.sql buy.pgbench@3`$' "no scripts"
run isostress explore -i rr stock
like "$status $err" '^254 isostress: --isolation: there is no level "rr"' "unknown level"
sed 's/if n > 0/if n >/' "$TOP_SRCDIR/configs/programs/stock.program" >bad.program
run isostress explore bad.program
is "$status $err" "254 isostress: bad.program:5:9: expected a value, not the end of the line" "a syntax error"
printf 'transaction a; repeat 300; write x 1; end; end\nsession A: a\n' >big.program
run isostress explore big.program
like "$status $err" '^254 isostress: big.program:2: a performs more than 256 operations' "a program of too many operations is refused"
run isostress explore -i si --max-ops 300 big.program
is "$status" 0 "--max-ops"

# ---- Not everything

for i in 1 2 3 4 5 6 7 8 9; do echo "session S$i: inc"; done >>many.program
sed -i '1i initially x=0\ntransaction inc; read x into v; write x v + 1; end' many.program
run isostress explore -i cc many.program --assert-only --timeout 100ms
is "$status" 2 "a timeout"
like "$out" '^UNDECIDED at cc: not all histories were explored\.$' "is said"
