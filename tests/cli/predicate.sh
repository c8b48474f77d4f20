#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs of the workload predicate: what is recorded, its options, and who is
# refused.
. "$TOP_SRCDIR/tests/tap.sh"
cd "$work" || exit 1
plan 48

run isostress run -v -w predicate memory: -t 100 -k 48 --threads 1 --seed 1
like "$out" "^load +8 sessions, workload predicate, level ser" "the workload predicate runs on the built-in store"
like "$out" "^  guard +[0-9]+" "the report counts the shapes of the workload"
history=$work/results/runs/latest/history
run isostress stat "$history"
like "$out" "^statements +[0-9]+: [0-9]+ sel, [0-9]+ selu, [0-9]+ ins, [0-9]+ upd, [0-9]+ del, [0-9]+ new" \
  "the history has the statements"
like "$out" "out of thin air 0" "every row that was read was written"
is "$(od -An -tu1 -j8 -N1 "$history" | tr -d ' ')" 2 "the history is a file of version 2"
run isostress run -v memory: -t 10 --threads 1 --seed 1
is "$(od -An -tu1 -j8 -N1 "$work/results/runs/latest/history" | tr -d ' ')" 1 \
  "other workloads record files of version 1"

if [[ $(isostress list drivers) = *sqlite:* ]]; then
  run isostress run -v -w predicate "sqlite:$work/rows.db?index=btree&deletes=soft&busy=5s" -t 30 -k 48
  like "$out" "^load +8 sessions, workload predicate, level serializable" "the workload predicate runs on SQLite"
  target="sqlite:$work/rows.db?instrument=reads"
  run isostress run -w predicate "$target" -t 30 -k 48
  like "$err" "isostress: the workload predicate has UPDATE statements: instrument=reads does not tell which rows an UPDATE or a DELETE changed; choose transactions without by --shares" \
    "statements whose effects would not be known are refused"
  run isostress run -v -w predicate "$target" -t 30 -k 48 --shares=ro:1,insert:1,ignore:1 --check=ser
  is "$status" 0 "plain statements are recorded and judged"
  run isostress run -w predicate "${target}s" -t 30
  like "$err" "isostress: instrument=readss is not possible; did you mean instrument=reads?" "an unknown instrument is refused"
  printf '# UPDATE\ntable t (v): (1, 10)\nT1: begin\nT1: update t set v = 1 where v = 10\nT1: commit\n' >plain.steps
  run isostress steps plain.steps "$target"
  like "$err" "isostress: plain.steps:[0-9]+: this step is not possible: instrument=reads does not tell which rows an UPDATE or a DELETE changed" \
    "and so are steps"
else
  skip 5 "built without SQLite"
fi

# ---- Options

run isostress run -v -w predicate memory: -t 50 -k 48 --threads 1 --shares=ro:1,insert:1 \
  --predicates=range:1 --statements=1 --reuse-keys=on
like "$out" "^attempts +400 = " "conditions, statements and keys can be chosen"
run isostress stat "$work/results/runs/latest/history"
like "$out" "^statements +[0-9]+: [0-9]+ sel, [0-9]+ ins$" "only the named shapes come"
for aim in PhantomRead WriteSkew FracturedStatement LongFork; do
  run isostress run -v -w predicate memory: --aim "$aim" -t 20 -k 48 --threads 1 --op-delay 0
  like "$out" "^attempts +160 = " "the workload predicate can aim at $aim"
done
run isostress run -v -w predicate memory: --aim WriteSkew -t 20 -k 48 --threads 1 --op-delay 0
is "$(grep -oE '^  (point|guard|swap|delete|[a-z]+) +[0-9]+' <<<"$out" | awk '{ print $1 }' | sort | xargs)" "delete guard point swap" \
  "write skew is looked for by conditions and by keys"
run isostress run -v -w predicate memory: --aim WriteSkew --bug DoubleDelete -t 100 -k 48 --threads 1 --seed 1
like "$status $out" "^1 " "an aim that finds something ends with 1"
run isostress run -v -w predicate memory: --aim PhantomRaed
is "$status $err" "254 isostress: aim: \"PhantomRaed\" is not an anomaly that a run can aim at; did you mean PhantomRead?" \
  "a wrong aim is refused with the nearest name"
run isostress run -v -w predicate memory: --predicates=equ:1
is "$status $err" "254 isostress: predicates: there is no condition \"equ\", did you mean eq; there are eq, range and mod" \
  "a wrong condition is refused with all conditions"
run isostress run -v -w predicate memory: --predicates=eq:0
is "$status $err" "254 isostress: predicates: at least one must be above zero" "an empty list of conditions is refused"
run isostress run -v -w predicate memory: --statements=0
is "$status" 254 "an empty list of statements is refused"

# ---- Bugs

run isostress run -v -w predicate memory: --bug WriteSkew -t 5
like "$err" "isostress: bug=WriteSkew is one of registers and lists; of tables of rows there are AbortedRead, LostUpdate and those from PhantomRead on in isostress list bugs$" \
  "a bug of registers is refused"
run isostress run -v memory: --bug ExtraRow -t 5
like "$err" "isostress: bug=ExtraRow is one of tables of rows; take the workload predicate$" "a bug of rows is refused for registers"

# ---- Rows whose versions fork, as those of updates that are lost do

for levels in "-i rc --check=rc" "--mix=ser:1,rc:1 --check=recorded" "--mix=rc:1,ra:1 --check=recorded"; do
  # shellcheck disable=SC2086
  run isostress run -w predicate memory: $levels -k 24 -t 150 --threads 1 --seed 1
  like "$status:$out" "^0:PASS: " "what the store does at read committed is decided ($levels)"
done

# ---- The full history of the built-in store

for level in ser si pc cc ra rc; do
  run isostress run -v -w predicate 'memory:?full=1' -i "$level" -c 4 -k 24 -t 30 --seed 3 --check="$level"
  is "$status" 0 "the history with all rows that statements found keeps $level"
done
run isostress run -w mt 'memory:?full=1' -t 5
like "$err" "isostress: full=1 is one of tables of rows; take the workload predicate$" "of registers there is no full history"

# A step of a proof tells rows as the pictures do, not by numbers of versions.
run isostress run -v -t 1500 -c 4 -w predicate -i si --check=ser --threads=1 --seed=7 memory:
like "$out" '1\. T1 found row t[0-9]/[0-9]+ with b = [^.]*\. T2 replaced that: it (changed|deleted) row t' \
  "a step tells which row was found, and how it was replaced"

# Every bug is found by an ordinary load, soon or at the next try, and proved.
for bug in AbortedRead LostUpdate PhantomRead PhantomWriteSkew FracturedStatement MissingRow ExtraRow ResurrectedRow DoubleDelete PhantomLongFork; do
  statuses=
  for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
    run isostress run -v -w predicate "memory:?bug=$bug" -c 4 -k 32 -t 600 --op-delay 50us --check=ser --seed="$seed"
    statuses=$statuses$status
    [ "$status" = 1 ] && break
  done
  like "$statuses" '^0*1$' "$bug is told, with a proof"
done

# One that conditions show stands beside one of rows that came back.
run isostress run memory: -w predicate -i si --check ser -t 300 -c 4 --threads 1 --seed 1 -P 0
like "$out" 'WriteSkew breaks serializability; found at least' "the smallest case is one of rows that came back"
like "$out" '^  also +PhantomWriteSkew at least 1 time; the page has a case of it$' \
  "the anomaly by conditions is named beside it, and has a case of its own"
