#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A database with SQL by a pipe: isostress composes all statements, and knows the
# rows that they change by RETURNING or by a SELECT of its own.
. "${TOP_SRCDIR:?}/tests/tap.sh"
command -v python3 >/dev/null || { echo "1..0 # SKIP no python3"; exit 0; }
python3 -c 'import sqlite3' || { echo "1..0 # SKIP no sqlite3 module of python3"; exit 0; }

cd "$work" || exit 1
# At most so many clients: each has a process.
stress() {
  run timeout 500 isostress run -c 3 -t 60 --driver="$driver" "sqlite3:$work/x.db" "$@"
}

plan 38
# Deletes are real, but for the last driver.
for words in "yes ser" "no ser" "no rc"; do
  driver="python3 $TOP_SRCDIR/tests/drivers/sqlite.py $words"
  for workload in mt append predicate tpcc; do
    stress -w "$workload" --check=ser
    is "$status" 0 "$words: the workload $workload"
  done
  run isostress steps g2 --driver="$driver" "sqlite3:$work/x.db" -i serializable
  is "$status" 0 "$words: a step script with rows"
  like "$out" 'anomaly +prevented' "$words: is performed"
done
run isostress driver-test --driver="python3 $TOP_SRCDIR/tests/drivers/sqlite.py" "sqlite3:$work/x.db"
is "$status" 0 "driver-test of a database with SQL"
is "$(grep -cE '^(FAIL|LOOK)' <<<"$out")" 0 "finds no mistake"

# Deletes are real where all levels have snapshots, and updates where not.
for words in "no ser:NOT" "no rc:IS"; do
  driver="python3 $TOP_SRCDIR/tests/drivers/sqlite.py ${words%:*}"
  rm -f x.db*
  stress -w predicate
  is "$status" 0 "${words%:*}: rows"
  dead=$(python3 -c 'import sqlite3, sys
print("IS" if any("dead" in r[0] for r in sqlite3.connect(sys.argv[1]).execute(
    "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")) else "NOT")' "$work/x.db")
  is "$dead" "${words#*:}" "${words%:*}: deletes are soft or not"
done

# SELECTs beside statements say what they did, though there is RETURNING.
driver="python3 $TOP_SRCDIR/tests/drivers/sqlite.py yes ser"
for options in after:ro:1,delete:1,move:1 reads:ro:1,insert:1; do
  shares=${options#*:} options=${options%%:*}
  rm -f x.db*
  run timeout 500 isostress run -c 3 -t 60 --driver="$driver" "sqlite3:$work/x.db?instrument=$options" -w predicate \
    --shares=$shares --check=ser
  is "$status" 0 "instrument=$options: rows"
done
driver="python3 $TOP_SRCDIR/tests/drivers/sqlite.py no ser"
run isostress run --driver="$driver" "sqlite3:$work/x.db?instrument=full" -w predicate
is "$status" 254 "instrument=full is refused where there is no RETURNING"
like "$err" 'instrument=full is not possible: the driver does not say "returning"; it can be after or reads' "with a sentence"

# A driver without INSERT or nothing, whose database takes no DELETE: the
# scorecard leaves out what needs the one, and says what fails by the other.
sed -e 's/"ignore"/"ignored"/' -e 's/^def sql(m):/&\n    if m["sql"].startswith("DELETE"): raise ValueError("no such word")/' \
  "$TOP_SRCDIR/tests/drivers/sqlite.py" >plain.py
rm -f x.db*
run timeout 500 isostress scorecard --driver="python3 plain.py yes ser" "sqlite3:$work/x.db" -t 30 -c 3 -o card
is "$status" 0 "a scorecard of a driver without INSERT or nothing"
like "$out" '^left out +predicate is tried without its transactions ignore: the driver lacks a statement that they need$' \
  "what is left out is told"
like "$out" '^failed +"no such word" \(.*p4-delete' "a statement that always fails is told"
is "$(grep -c '^Lost update by a delete' <<<"$out")" 0 "it prevents nothing"
is "$(find card -type d -name '*-predicate*' | wc -l)" 2 "predicate is tried with both instruments"
run isostress run --driver="python3 plain.py yes ser" "sqlite3:$work/x.db" -w predicate
like "$err" 'cannot execute every statement that the workload predicate needs; choose transactions without by --shares' \
  "a run names the way around"

# hello is read with care.
hello() { # hello SENTENCE NAME MEMBERS-OF-SQL
  run isostress run --driver="echo '{\"id\":1,\"isostress\":1,\"name\":\"a\",\"levels\":[{\"name\":\"x\",\"claims\":\"si\"}],\"sql\":{$3}}'"
  is "$status" 255 "$2"
  like "$err" "$1" "$2: the sentence"
}
hello 'its hello says "returning":"maybe"; it can be yes, delta or no' "another way to return" '"returning":"maybe"'
hello 'its hello says "parameters":":1"; it can be \? or \$, or left out' "other parameters" '"parameters":":1"'
