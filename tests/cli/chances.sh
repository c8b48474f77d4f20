#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Chances of runs on the memory store and on SQLite, counted again by other code
# (tests/chances.py); and warnings, which name an option that helps.
. "${TOP_SRCDIR:?}/tests/tap.sh"
cd "$work" || exit 1
plan 30

# compare LEVEL OPTION...: whether the chances of a run, checked at this level, are
# right.  A session that a busy machine leaves standing amid a transaction meets
# more transactions than are counted one by one; then another run.
compare() {
  local level=$1 again
  shift
  for _ in {1..20}; do
    isostress run --check=none -P 0 -o runs "$@" >/dev/null 2>&1
    isostress convert --to=jsonl runs/latest/history history.jsonl 2>/dev/null
    isostress check -l "$level" --explain=checked runs/latest/history >/dev/null 2>&1
    again=$(python3 "$TOP_SRCDIR/tests/chances.py" checked/report.json history.jsonl)
    rm -rf runs checked history.jsonl
    [ "$again" = "right: some chances, a sample" ] || break
  done
  is "$again" "right: some chances, all" "$level of $*"
}

compare ser -t 1000 -c 6 -k 8 memory:
compare si -t 500 -k 9 -i si memory:
compare ser -t 300 -c 12 -w append -k 8 memory:
compare si -t 300 -c 6 -w append -k 8 memory:
compare ser -t 400 -c 5 -w general -k 20 --ops=9 memory:
compare ser -t 60 -c 5 -w general -k 300 --ops=40 memory:
compare ser -t 200 -w rubis memory:
compare sser -t 300 -c 5 -k 6 sqlite:a.db
compare ser -t 150 -c 5 -k 6 --op-delay=50us sqlite:b.db
compare sser -t 200 -c 6 -w general -k 12 sqlite:c.db
compare sser -t 200 -c 6 -w append -k 12 sqlite:d.db

# warned OPTION...: the warnings of a run that is too small for some chances.
warned() { isostress run -t 20 -i ser --threads=1 --seed=1 "$@" memory: 2>&1 | tr -s '\n ' ' ' | grep -oE 'WARNING: There was no chance.*(there (is|can be)|overlap)\.'; }
is "$(warned -c 1)" "WARNING: There was no chance of lost update, write skew, fractured read and others, which takes more sessions. With --clients=2 there can be." \
  "one session alone"
# Sessions that are threads hardly overlap in a run so short, whatever it aims at.
for aim in "" --aim=LostUpdate; do
  isostress run -c 2 -t 60 $aim -P 0 -o short memory: 2>&1 | tr -s '\n ' ' ' >short.txt
  unlike "$(<short.txt)" 'WARNING: There was no chance[^.]*\. With' "no aim is named for a run that is too short ($aim)"
done
run isostress run -c 2 -t 60 --threads=1 --seed=1 -k 1M --distribution=uniform -P 0 memory:
like "$(tr -s '\n ' ' ' <<<"$out")" 'There was no chance of [a-z ,]+: transactions of two sessions overlapped [0-9]+ times\. More --transactions or --time lets more of them overlap\.' \
  "but that it is"
run isostress run -t 200 -c 2 -i ser --threads=1 --seed=1 memory:
like "$out" 'tried' "a run says what it tried"
unlike "$out" 'in 1 would have shown|weakest' "in plain numbers"
# Each option that a warning names is followed.
isostress run -t 50 -c 8 -k 1M --distribution=uniform -i ser --threads=1 --seed=1 memory: >few 2>&1
option=$(tr -s '\n ' ' ' <few | grep -o -- '--aim=LostUpdate')
is "$option" "--aim=LostUpdate" "hardly any transaction: an aim is named"
run isostress run -t 50 -c 8 -k 1M --distribution=uniform -i ser --threads=1 --seed=1 "$option" memory:
like "$out" 'lost update [0-9,]+ chances' "the aim brings chances"
like "$(<results/runs/latest/report.html)" 'The run had <b>[0-9,]+</b> chances of [a-z -]+, among others; none was used\.' "the page claims no maximum"
is "$(warned -c 8 --aim=LostUpdate)" "" "no warning of what an aim leaves out"
cat >stock.sql <<'SQL'
CREATE TABLE stock (sku int PRIMARY KEY, quantity int NOT NULL);
INSERT INTO stock VALUES (1, 10), (2, 10);
SQL
cat >sell.pgbench <<'SQL'
BEGIN;
UPDATE stock SET quantity = quantity - 1 WHERE sku = 1;
COMMIT;
SQL
is "$(warned -c 8 -w sell.pgbench --schema stock.sql)" "" "no warning of what a script does not do"
is "$(warned -c 8 -w general -k 100k)" "" "nor of a workload that has no such option"

# Sentences of pages about chances: each is so.
words() { sed 's/<[^>]*>//g; s/&nbsp;/ /g' "$1/latest/report.html"; }
isostress run -t 3k -c 4 --threads=1 --seed=1 -w predicate -k 24 -i si -o searches memory: >/dev/null 2>&1
isostress run -t 500 -c 4 --threads=1 --seed=1 -i cc -o scarce memory: >/dev/null 2>&1
like "$(words searches)" "A run of this workload can aim at phantom read\." "what has more chances than others is not called the least"
unlike "$(words searches)" "says least" "nor in other words"
like "$(words scarce)" "This run says least about aborted read, of the anomalies above" "what has the fewest is"
like "$(words scarce)" "With --aim=AbortedRead, --aim=CausalityViolation there can be\." "no chance is promised that the database may not give"
like "$(words searches)" "The run had [0-9,]+ chances of fractured read, among others" "no number is called the most that is not"
is "$(words searches | grep -o '817 [^0-9]*([0-9.]* %)' | sed 's/.*(//' | sort -u)" "6.81 %)" "a share has one value on the page"
like "$(words searches)" "one reads two rows that the other writes" "the keys of a store of rows are rows"
