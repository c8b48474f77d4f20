#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress steps and replay on the embedded databases: what steps do, what is
# expected of them, counterexamples that come back, and mistakes by line.
. "${TOP_SRCDIR:?}/tests/tap.sh"
export ISOSTRESS_FILES=$TOP_SRCDIR
cd "$work" || exit 1

sight() { sed -n 's/^anomaly  *//p' <<<"$out"; }

plan 124

# ---- The grid on SQLite, which keeps serializability

for script in g0 g1a g1b g1c otv pmp p4 p4-delete p4-undelete g-single g-single-write g2-item g2; do
  run isostress steps "$script" sqlite:grid.db --blocked-after 300ms
  like "$status $(sight)" '^0 prevented' "$script is prevented by SQLite"
done
run isostress steps p4.steps sqlite:grid.db
like "$out" '^ +7  T2: write x b +(blocks, then )?aborts SQLITE_BUSY' "an abort is shown with its code"
like "$out" '^ +9  T2: commit +skipped: ' "steps after an abort are skipped"
like "$out" '^history     keeps sser$' "what was seen is checked"

# ---- What each level of the memory store lets through

for row in "g1a:rc:prevented" "p4:rc:seen" "p4:si:prevented by an abort" "g2-item:si:seen" \
  "g2-item:ser:prevented by an abort"; do
  IFS=: read -r script level wanted <<<"$row"
  run isostress steps "$script" memory: -i "$level"
  is "$status $(sight)" "0 $wanted" "$script at $level: $wanted"
done
run isostress steps p4 memory: -i rc
like "$out" '^history     keeps pc, breaks si by LostUpdate$' "the checker agrees"
run isostress steps p4 memory: -i rc --repeat 20
is "$(sight)" seen "twenty performances"
run isostress steps p4 memory: -i rc --output json
is "$(python3 -c 'import json, sys
d = json.load(sys.stdin)
print(d["kept"], d["broken_by"], d["anomaly"]["seen"], d["steps"][2]["result"])' <<<"$out")" \
  "pc LostUpdate 1 initial" "JSON"

run isostress steps p4 memory: -i rc --repeat 2 --save-history performed.jsonl
is "$status" 0 "what was performed is saved"
run isostress check -l si performed.jsonl
like "$out" '^    1\. T1 read x0\. T2 replaced it by x2\. So T1 comes before T2\.$' \
  "the saved history is told in the words of the script"
printf 'A: begin\nA: sql "SELECT 1"\n' >sql.steps
run isostress steps sql.steps sqlite:grid.db --save-history sql.jsonl
is "$status $err" "254 isostress: save-history: sql.steps has statements of the database's own, of which no history can be made" \
  "a script with SQL cannot be saved as a history"
run isostress steps p4 memory: -i rc --save-history nowhere/performed
like "$status $err" '^255 isostress: .*nowhere/performed' "a history cannot be saved where no file can be made"

# ---- Statements on tables of rows, which are in the history

kept() { sed -n 's/^history  *//p' <<<"$out"; }
for row in "changed-by-update:rc:seen:keeps rc, breaks ra by PhantomRead" \
  "phantom-write-skew:si:seen:keeps si, breaks ser by PhantomWriteSkew" \
  "update-skew:si:seen:keeps si, breaks ser by PhantomWriteSkew" \
  "phantom-write-skew:ser:prevented by an abort:keeps sser" \
  "unseen-key:si:prevented by an abort:keeps sser" "g2:si:seen:keeps si, breaks ser by PhantomWriteSkew" \
  "pmp:rc:seen:keeps rc, breaks ra by PhantomRead"; do
  IFS=: read -r script level wanted history <<<"$row"
  run isostress steps "$script" memory: -i "$level"
  is "$status $(sight); $(kept)" "0 $wanted; $history" "$script at $level: $wanted, and its history is checked"
done
for script in changed-by-update delete-skips-row locking-read-differs phantom-write-skew update-skew \
  update-skips-row fractured-update unseen-key; do
  run isostress steps "$script" sqlite:rows.db --blocked-after 300ms
  like "$status $(sight)" '^0 prevented' "$script is prevented by SQLite"
done
run isostress steps phantom-write-skew memory: -i si --repeat 3 --save-history rows.jsonl
is "$status $(sight)" "0 seen" "each performance has new tables"
run isostress check -l ser rows.jsonl
like "$out" '^    T2 SELECT \* FROM t WHERE b = 7 returned nothing$' "the saved history has the statements"
cat >refused.steps <<'END'
table t (b): (1, 5)
A: begin
A: insert t (1, 6)           => ok
A: select t where b = 6      => ""
A: commit
END
run isostress steps refused.steps sqlite:rows.db
like "$out" 'A: insert t \(1, 6\) +refused: the key is taken$' "a key that is taken is told"
like "$out" '^history     keeps sser$' "a statement that was refused is not in the history"
run isostress steps phantom-write-skew redis://127.0.0.1:1/ -i none
like "$status $err" '^25[45] isostress: ' "a database without tables of rows"

# A history that looks like the anomaly is none if it began another way.
cat >late.steps <<'END'
A: begin
A: read x      => initial
A: write x one => ok (seen)
A: commit      => ok (seen)
B: begin
B: read x      => initial
B: write x two => ok (seen)
B: commit      => ok (seen)
END
run isostress steps late.steps memory: -i rc
is "$status $(sight)" "1 prevented" "an update after another one is no lost update"

# ---- Blocking, resuming, lists, compare-and-set

cat >blocks.steps <<'END'
# A second writer waits for the first
A: begin
B: begin
A: write x one
B: write x two => blocks
A: commit
B: resumes     => ok
B: read x      => two
B: commit      => ok
END
run isostress steps blocks.steps sqlite:grid.db
is "$status" 0 "a step blocks and comes back when it is expected to"
like "$out" '^ +5  B: write x two +blocks, then ok$' "the report shows that the step blocked"
unlike "$out" 'told by time' "SQLite's sessions know that they wait"
run isostress steps blocks.steps sqlite:grid.db -i "read uncommitted"
is "$status $(grep -c 'told by time' <<<"$out")" "0 0" "they know it in a shared cache, too"
cat >reader.steps <<'END'
# Without a WAL a commit waits for readers, and nobody can open the file
A: begin
B: begin
B: read x
A: write x one
A: commit  => blocks
B: commit
A: resumes => ok
END
run isostress steps reader.steps "sqlite:plain.db?journal=delete&busy=30s"
is "$status $(grep -c 'told by time' <<<"$out")" "0 0" "and where a commit waits for a reader"
sed 's/=> blocks/=> ok/' blocks.steps >surprise.steps
run isostress steps surprise.steps "sqlite:grid.db?busy=30s" --blocked-after 200ms
is "$status" 1 "a step that blocks against expectation"
like "$out" '^ +5  B: write x two +blocks, then ok +<- NOT EXPECTED$' "is pointed out"
cat >endless.steps <<'END'
A: begin
B: begin
A: write x one
B: write x two => blocks
END
run isostress steps endless.steps sqlite:grid.db --blocked-after 300ms
is "$status" 0 "a script that ends with a blocked step"
like "$out" 'B: write x two .*only once the others had been rolled back' "is brought to an end"
cat >lists.steps <<'END'
A: begin
A: append l a
A: append l b
A: commit
B: begin
B: read l => [a b]
B: read m => []
B: rollback
END
run isostress steps lists.steps memory: sqlite:grid.db
is "$status" 254 "two targets"
run isostress steps lists.steps memory:
is "$status" 0 "lists"
cat >cas.steps <<'END'
A: begin
A: cas x initial a => ok
A: cas x a b
A: commit
B: begin
B: cas x a c => b
B: commit
END
run isostress steps cas.steps memory:
is "$status" 0 "compare-and-set"

# ---- The servers rather than the data

cat >upkeep.steps <<'END'
# A statement that another session waits for is awaited, and none of it is in the history
B: at 0
B: admin "CREATE TABLE upkeep (n)"
A: begin
A: write x a
A: commit
B: awaits x a
B: begin
B: read x => a
B: commit
END
run isostress steps upkeep.steps sqlite:upkeep.db --save-history upkeep.jsonl
is "$status" 0 "upkeep of the servers"
like "$out" '^ +3  B: admin "CREATE TABLE upkeep \(n\)" +ok$' "is shown"
is "$(wc -l <upkeep.jsonl)" 2 "admin steps are in no history"
run isostress steps upkeep.steps sqlite:upkeep.db
is "$status $err" "255 isostress: upkeep.steps:3: CREATE TABLE upkeep (n): table upkeep already exists (SQLITE_ERROR)" \
  "a script is given up if it fails"
printf 'A: at 1\n' >away.steps
run isostress steps away.steps sqlite:upkeep.db
is "$status $err" "254 isostress: away.steps:1: there is no host 1: the target lists 1, from 0" \
  "a host that is not there"
printf 'A: node 0 pause\n' >node.steps
run isostress steps node.steps sqlite:upkeep.db
is "$status $err" "254 isostress: node.steps:1: give the name of the server whose node it is with --server, as \`isostress server list\` shows it" \
  "a node of no server"
run isostress steps node.steps sqlite:upkeep.db --server nobody
is "$status" 255 "a server that is not there"
like "$err" '^isostress: node.steps:1: pause 0 of server nobody has failed$' "is said by line"
run isostress steps upkeep.steps memory:
is "$status $err" "254 isostress: upkeep.steps:3: the memory driver cannot take this step" \
  "a database without statements of its own"

# ---- Counterexamples that come back

isostress run -i si --bug LostUpdate -t 2000 -k 20 --threads 1 --seed 1 memory: >/dev/null 2>&1
run isostress replay results/runs/latest memory: -i rc --repeat 10 --save-steps again.steps
is "$status" 1 "a lost update comes back where it can"
like "$out" '^LostUpdate came back in 10 of 10 performances' "every time"
page=$(cat results/runs/latest/report.html)
like "$page" '<b>LostUpdate came back in 10 of 10 performances</b> \(in-process store, level rc\)' \
  "the run's page then says how often it came back"
like "$page" '<code>isostress replay --level=si --isolation=rc --repeat=10 results/runs/[0-9a-z-]* memory:</code>' \
  "the run's page says by which command"
isostress report results/runs/latest >/dev/null
is "$(cat results/runs/latest/report.html)" "$page" "a page that is made again says it as well"
run isostress steps again.steps memory: -i rc
is "$status $(sight)" "0 seen" "the script that was saved shows it too"
run isostress replay results/runs/latest/history sqlite:grid.db --repeat 2 --save-commands again.sql
is "$status" 0 "a lost update does not come back on a database that prevents it"
like "$out" '^LostUpdate came back in 0 of 2 performances; in 2 something aborted' "the report says that transactions aborted"
like "$(cat results/runs/latest/report.html)" 'came back in 0 of 2 performances</b> \(SQLite [0-9.]*, level serializable\)' \
  "the page has the replay that was last"
if command -v sqlite3 >/dev/null; then
  run sqlite3 :memory: ".read again.sql"
  like "$err" "cannot start a transaction within a transaction" \
    "the commands are SQL, for two terminals"
else
  like "$(cat again.sql)" '^-- Terminal A \(T1\):$' "the commands are SQL, for two terminals"
fi
isostress run -i ser --bug WriteSkew -t 2000 -k 20 --threads 1 --seed 1 memory: >/dev/null 2>&1
run isostress replay results/runs/latest memory: -i si --repeat 5
like "$status $out" 'WriteSkew came back in 5 of 5 performances' "a write skew comes back as well"

isostress run --bug CausalityViolation:0.05 -t 500 -k 20 -c 6 --threads 1 --seed 2 memory: >/dev/null 2>&1
run isostress replay results/runs/latest memory: -i rc --any --repeat 50
like "$status $out" 'CausalityViolation came back in [1-9][0-9]* of 50 performances; in 0' \
  "--any takes a counterexample whose reads all find the last version"
isostress run --bug SessionGuaranteeViolation -t 2000 -k 20 --threads 1 --seed 1 memory: >/dev/null 2>&1
run isostress replay results/runs/latest memory: -i ser --repeat 2
like "$out" '^some read saw another value than the one that was committed last: only a database$' \
  "the report says what the database would have to do"
is "$status" 0 "a counterexample that cannot be performed is no violation"

# ---- As the page has it: the counterexample that is shown, at the run's level

again() { # again TARGET OPTION...: what the page of the newest run prints
  local words
  # As before the first replay.
  rm -f results/runs/latest/replay.json
  isostress report results/runs/latest >/dev/null
  words=$(sed -n 's|.*<code>isostress replay \(.*\) TARGET</code>.*|\1|p' results/runs/latest/report.html)
  # shellcheck disable=SC2086  # words
  run isostress replay $words "$@"
}
performed() { grep -oE '^  T[0-9_T]+' <<<"$out" | tr -d ' ' | tr _ '\n' | sort -u; }
shown() { # the transactions of the first counterexample
  python3 -c 'import json
e = json.load(open("results/runs/latest/report.json"))["verdict"]["counterexample"]
print(*sorted(f"T{i + 1}" for i, t in enumerate(e["transactions"]) if any(o["kind"] == "read" for o in t["operations"])), sep="\n")'
}
isostress run -i rc --check si -t 2000 -k 20 -c 4 --threads 1 --seed 5 memory: >/dev/null 2>&1
again memory: --repeat 5
like "$status $out" '^1 database .*, level rc$' "the page's command takes the level of the run, and what was checked"
again sqlite:grid.db --repeat 1
like "$out" ', level read uncommitted$|, level serializable$' "elsewhere one that promises as much"
again memory: -i si --repeat 2
like "$out" ', level si$' "replay performs at the level that is asked for"
isostress run --bug LongFork -t 2000 -k 20 -c 8 --threads 1 --seed 3 memory: >/dev/null 2>&1
again memory: --repeat 1
is "$(comm -13 <(performed) <(shown)):$(shown | head -n 1)" ":T2" "the transactions that are shown and read are performed, by their names there"
isostress run --real-time -i si --bug LostUpdate -t 500 -k 5 -c 4 --threads 1 --seed 3 memory: >/dev/null 2>&1
again memory: --repeat 1
like "$status" '^[01]$' "a verdict in real time is found again"
isostress run --mix si:1,rc:1 --bug LostUpdate -t 2000 -k 20 -c 8 --threads 1 --seed 2 memory: >/dev/null 2>&1
again memory: --repeat 1 --save-steps mixed.steps
like "$(cat mixed.steps)" ': begin (si|rc)$' "transactions of several levels have theirs"

rows() { python3 -c 'import sqlite3
print(sqlite3.connect("anew.db").execute("SELECT count(*) FROM isostress_kv").fetchone()[0])'; }
isostress run -i si --bug LostUpdate -t 2000 -k 20 --threads 1 --seed 1 memory: >/dev/null 2>&1
again sqlite:anew.db --repeat 3
is "$(rows)" 3 "each performance has keys of its own"
again sqlite:anew.db --repeat 3 --recreate
is "$(rows)" 1 "--recreate gives each performance new tables"
like "$out" '^LostUpdate came back in 0 of 3' "--recreate counts all performances"

# ---- Mistakes

mistake() { # mistake TEXT SENTENCE
  printf '%s\n' "$1" >bad.steps
  run isostress steps bad.steps memory:
  is "$status $err" "254 isostress: bad.steps:$2" "refused: $2"
}
mistake 'A: begin
A: raed x' '2: there is no step "raed"; did you mean read?'
mistake 'A: read x' '1: A has no open transaction; begin one first'
mistake 'A: begin
A: read x => 7' '2: no step writes 7 to x'
mistake 'A: begin
A: write x a
A: write x a' '3: a is written to x a second time (before on line 2): values must be told apart'
mistake 'A: begin chaos' '1: memory has no isolation level "chaos"; it has ser (ser), sser (sser), si (si), pc (pc), cc (cc), ra (ra), rc (rc)'
mistake 'A: begin
A: sql "SELECT 1"' '2: the memory driver cannot take this step'
mistake '# nothing' ' holds no step'
run isostress steps absent memory:
is "$status" 254 "a script that is not there"
# Counterexamples of statements with conditions.
for row in phantom-write-skew:si:ser:PhantomWriteSkew changed-by-update:rc:ra:PhantomRead; do
  IFS=: read -r script level check anomaly <<<"$row"
  run isostress steps "$script" memory: -i "$level" --save-history rows.jsonl
  run isostress replay -l "$check" rows.jsonl memory: -i "$level" --repeat 5 --save-steps rows.steps
  is "$status $(tail -n 1 <<<"$out")" \
    "1 $anomaly came back in 5 of 5 performances; in 0 something aborted, in 0 something blocked" \
    "statements that break $check are replayed"
  run isostress steps rows.steps memory: -i "$level"
  like "$(sight); $(kept)" "^seen; keeps .*, breaks $check by $anomaly\$" "the steps that break $check are written"
done
run isostress replay -l ra rows.jsonl memory: -i ser --repeat 2
like "$status $(tail -n 1 <<<"$out")" '^0 PhantomRead came back in 0 of 2 performances' "statements do no harm at a level that forbids it"
cat >timed.jsonl <<'END'
{"tables":["t(b, v, f): 0{b=0,v=10,f=0} 1{b=1,v=11,f=0}"],"session":0,"ops":["sel t{b = 7}:","upd t{b = 7}: 8@w2{b=7,v=1,f=1}","sel t{b = 7}: 8@w1{b=7,v=1,f=1}"],"begin":0,"end":400,"level":"rc"}
{"session":1,"ops":["ins t/8{b=7,v=1,f=0}"],"begin":50,"end":240,"level":"rc"}
END
run isostress replay -l ra timed.jsonl sqlite:rows.db --repeat 1 --save-commands rows.sql
is "$(grep -v '^--' rows.sql | sed '/^$/d')" 'CREATE TABLE t (id bigint PRIMARY KEY, b bigint, v bigint, f bigint);
BEGIN;
BEGIN;
SELECT id, b, v, f FROM t WHERE b = 7;  -- returned nothing
INSERT INTO t (id, b, v, f) VALUES (8, 7, 1, 0);  -- inserted 8,7,1,0
COMMIT;
UPDATE t SET f = 1 WHERE b = 7;  -- changed 8,7,1,1
COMMIT;
SELECT id, b, v, f FROM t ORDER BY id;
DROP TABLE t;' "statements with conditions are commands in plain SQL"
if command -v sqlite3 >/dev/null; then
  sed '/^BEGIN\|^COMMIT/d' rows.sql >typed.sql
  run sqlite3 :memory: ".read typed.sql"
  is "$status:$out:$err" "0:8|7|1|1:" "which the database takes, and which do what they say"
else
  skip "which the database takes, and which do what they say" "no sqlite3: apt-get install sqlite3"
fi
printf 'table t(b)\n[sel t{b = 1}:, ups t/1{b=1}]\n---\n[sel t{b = 1}:, ups t/2{b=1}]\n' >upsert.hist
run isostress replay -l ser upsert.hist memory:
is "$status $err" "254 isostress: upsert.hist: the counterexample has an upsert, which steps cannot perform" \
  "an upsert cannot be replayed"
for seed in 1 2 3 4 5; do
  isostress run -w predicate memory: -i si --bug PhantomWriteSkew --check ser -t 300 -c 4 -k 32 --op-delay 50us \
    --seed $seed >/dev/null 2>&1
  [ $? = 1 ] && break
done
run isostress replay -l ser results/runs/latest memory: -i si --repeat 3
like "$status $(tail -n 1 <<<"$out")" '^1 [A-Za-z0-9-]* came back in 3 of 3 performances' "a run with conditions is replayed"

run isostress replay -l sser "$TOP_SRCDIR/tests/histories/sser/n-empty-alone.txt" memory:
is "$status ${err##*: }" "254 there is nothing to replay" "transactions that did nothing cannot be replayed"
run isostress replay results/runs/latest memory: -l rc
is "$status $err" "254 isostress: results/runs/latest/history shows no violation of rc to replay" \
  "a history without a counterexample"

# The page has a column for each session.
printf '# Two <reads>\nA: begin\nB: begin\nA: read x => initial\nB: write x b\nA: commit => aborts\nB: commit\n' >two.steps
run isostress steps two.steps memory: -i si --page two.html
is "$status $(tail -n 1 <<<"$out")" "1 page        two.html" "the page is named"
page=$(<two.html)
like "$page" '<h1>Two &lt;reads&gt;</h1>' "the page has the title of the script"
like "$page" '<td><code>commit</code><br><span class="bad">ok \(not expected\)</span></td>' \
  "a step that did something else stands out in the column of its session"
# Four columns of what was seen, and the promise of what was not.
columns() { grep -oE '<h2>[^<]*</h2>' "$1" | sed -n '/What was asked/,$p' | sed 's/<[^>]*>//g' | head -4 | paste -sd '|'; }
run isostress steps g2-item memory: -i si --page skew.html
is "$(columns skew.html)" "What was asked|Does the built-in store promise it?|In your application|What helps" \
  "what was seen has the four columns of a run"
like "$(xargs -d '\n' <skew.html)" 'allowed at this level</p> .*<b>Yes</b>, in 1 of 1 performance\. .*<b>No\.</b> The level promises snapshot isolation' \
  "it is told from what the level promises"
run isostress steps p4 memory: -i si --page kept.html
like "$(xargs -d '\n' <kept.html)" 'Prevented</p> .*<b>No\.</b> It was prevented by an abort\. .*<b>Yes\.</b> The level promises .* That rules this out' \
  "what was prevented has the promise that was kept"
unlike "$(<kept.html)" 'In your application' "and needs no advice"
run isostress steps g2-item memory: -i ser --bug WriteSkew --page broken.html
like "$(xargs -d '\n' <broken.html)" 'Broken promise</p> .*<b>Yes\.</b> .*<p>Report it' "a promise that was broken is said to be"
cp "$TOP_SRCDIR/configs/steps/g-single-write.steps" own.steps
run isostress steps own.steps sqlite:own.db --page own.html
unlike "$(<own.html)" 'promise it\?</h2><p><b>(Yes|No)' "a script in SQL of the user's own has no anomaly by name"
run isostress steps g-single-write sqlite:own.db --page ours.html
like "$(<ours.html)" 'promise it\?</h2><p><b>Yes\.</b> .* That rules this out' "one that comes with isostress has"
run isostress steps p4 memory: -i si --page no/such/p4.html
is "$status" 255 "a page that cannot be written is trouble"
like "$err" '^isostress: .*no/such/p4.html: No such file or directory$' "it is named"
