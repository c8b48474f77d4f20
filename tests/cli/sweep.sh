#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress sweep on the embedded databases: every combination, the files, going
# on after an interruption, comparison, and mistakes.
. "${TOP_SRCDIR:?}/tests/tap.sh"
export ISOSTRESS_FILES=$TOP_SRCDIR
cd "$work" || exit 1
plan 33

cat >small.ini <<'END'
; abort rates by clients and level
[global]
time = 200ms
keys = 20
repetitions = 2
[levels]
clients = 2,4
isolation = si, ser
shares = rmw1:0.5,r2w1:0.5
END
column() { # column NAME FILE: its values
  python3 -c 'import csv, sys
for row in csv.DictReader(open(sys.argv[2])):
    print(row[sys.argv[1]])' "$1" "$2"
}

run isostress sweep small.ini memory:
is "$status" 0 "a sweep"
directory=results/sweeps/small-levels
is "$(column clients $directory/sweep.csv | xargs)" "2 2 4 4" "a row per combination"
is "$(column runs $directory/sweep.csv | xargs)" "2 2 2 2" "of all repetitions"
is "$(python3 -c 'import csv
rows = list(csv.DictReader(open("'$directory'/runs.csv")))
print(len(rows), all(int(r["attempts"]) == int(r["committed"]) + int(r["aborted"]) + int(r["unknown"])
      and int(r["aborted"]) == sum(int(v) for k, v in r.items() if k.startswith("aborts_"))
      for r in rows))')" "8 True" "outcomes add up to the attempts, causes to the aborts"
is "$(python3 -c 'import json
d = json.load(open("'$directory'/sweep.json"))
print(len(d["cells"]), len(d["runs"]), d["cells"][0]["abort_rate"]["mean"] >= 0)')" "4 8 True" "JSON"
like "$out" '^keys = 20$' "what is the same everywhere is said once"
like "$out" '^2 +si +2 +[0-9.]+ \+- +[0-9.]+ %' "the table"
if command -v gnuplot >/dev/null; then
  is "$(find $directory -name '*-by-clients.svg' -size +1k | wc -l)" 3 "pictures"
  is "$(find $directory -name '*-by-clients.png' -size +1k | wc -l)" 3 "also as PNG"
else
  skip "pictures" "no gnuplot"
  skip "also as PNG" "no gnuplot"
fi
before=$(cksum <$directory/runs.csv)
run isostress sweep small.ini memory:
is "$status $(cksum <$directory/runs.csv)" "0 $before" "a sweep that is complete runs nothing again"

# ---- Interrupted

rm -r $directory
isostress sweep small.ini memory: >/dev/null 2>&1 &
running=$!
tries=0
until [ "$(wc -l <$directory/runs.csv 2>/dev/null || echo 0)" -ge 3 ] || [ $((tries += 1)) -gt 1200 ]; do
  sleep 0.05
done
kill -INT "$running"
wait "$running"
is "$?" 0 "interrupted in good order"
kept=$(head -n 3 $directory/runs.csv | cksum)
printf '2,si,half a ro' >>$directory/runs.csv
sed -i '$d' $directory/runs.csv
run isostress sweep small.ini memory:
is "$status" 0 "the same command goes on"
is "$(head -n 3 $directory/runs.csv | cksum) $(wc -l <$directory/runs.csv)" "$kept 9" \
  "with what is left to do"
sed 's/keys = 20/keys = 30/' small.ini >changed.ini
mkdir -p results/sweeps/changed-levels
cp -r $directory/. results/sweeps/changed-levels
run isostress sweep changed.ini memory:
is "$status $err" "254 isostress: results/sweeps/changed-levels holds a sweep with other settings (\"keys = 20\"): name another directory with --out" \
  "other settings are refused"

# ---- Several targets, ranges, zip, verdicts

cat >more.ini <<'END'
[ranges]
time = 100ms
keys = 10..1000 x10
repetitions = 1
[zipped]
time = 100ms
clients = 2,4
keys = 5,50
zip = yes
repetitions = 1
[checked]
time = 100ms
isolation = si
check = si
repetitions = 1
END
run isostress sweep more.ini memory: sqlite:more.db
is "$status" 254 "a level that one target lacks"
like "$err" '^isostress: impossible: target=sqlite:more.db: sqlite has no isolation level "si"' "is named"
is "$(ls results/sweeps | xargs)" "changed-levels more-ranges more-zipped small-levels" \
  "before its sweep runs anything"
is "$(column target results/sweeps/more-ranges/sweep.csv | sort -u | xargs)" "memory: sqlite:more.db" \
  "several targets in one table"
is "$(column keys results/sweeps/more-ranges/sweep.csv | sort -un | xargs)" "10 100 1000" "a range"
is "$(column keys results/sweeps/more-zipped/sweep.csv | sort -un | xargs)" "5 50" "lists together"
is "$(wc -l <results/sweeps/more-zipped/runs.csv)" 5 "and not their product"
run isostress sweep more.ini memory: sqlite:more.db --skip-impossible
is "$status" 0 "impossible combinations are skipped on request"
is "$(column verdict results/sweeps/more-checked/runs.csv | xargs)" "pass" "a verdict where it was asked for"

# ---- Comparison

cp -r $directory same
run isostress sweep --compare $directory same
is "$status" 0 "a sweep does not differ from itself"
like "$out" '^0 of 8 comparisons differ beyond noise$' "which is said"
python3 - $directory/runs.csv <<'END'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
for i, row in enumerate(rows):
    row["abort_rate"] = 0.9 + int(row["repetition"]) * 1e-9
with open("same/runs.csv", "w") as f:
    w = csv.DictWriter(f, rows[0].keys(), lineterminator="\n")
    w.writeheader()
    w.writerows(rows)
END
run isostress sweep --compare $directory same
is "$status" 1 "one that differs is found out"
like "$out" 'abort_rate .* DIFFERS$' "and where"
run isostress sweep --compare $directory absent
is "$status" 255 "a sweep that is not there"

# ---- Mistakes

mistake() { # mistake TEXT SENTENCE
  printf '%s\n' "$1" >bad.ini
  run isostress sweep bad.ini memory:
  is "$status $err" "254 isostress: bad.ini:$2" "refused: $2"
}
mistake '[x]
keyz = 10' '2: there is no setting "keyz", did you mean keys?'
mistake '[x]
keys = 10,none' '2: keys: "none" is not a number such as 8, 10k or 1M'
mistake '[x]
keys = 10..5' '2: keys: "10..5" is no range such as 2..16 +2 or 10..10000 x10'
mistake '[x]
repetitions = 0' '2: repetitions must be between 1 and 1000'
run isostress sweep small.ini
is "$status" 254 "no target"
