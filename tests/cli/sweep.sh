#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress sweep on the embedded databases: every combination, the files, going
# on after an interruption, comparison, and mistakes.
. "${TOP_SRCDIR:?}/tests/tap.sh"
export ISOSTRESS_FILES=$TOP_SRCDIR
cd "$work" || exit 1
plan 74

cat >small.ini <<'END'
; abort rates by clients and level
[global]
transactions = 100
op-delay = 500us
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
is "$(column runs $directory/sweep.csv | xargs)" "2 2 2 2" "each row of the table covers all repetitions"
is "$(python3 -c 'import csv
rows = list(csv.DictReader(open("'$directory'/runs.csv")))
print(len(rows), all(int(r["attempts"]) == int(r["committed"]) + int(r["aborted"]) + int(r["unknown"])
      and int(r["aborted"]) == sum(int(v) for k, v in r.items() if k.startswith("aborts_"))
      for r in rows))')" "8 True" "outcomes add up to the attempts, causes to the aborts"
is "$(python3 -c 'import csv
causes = lambda r: sum(int(v) for k, v in r.items() if k.startswith("aborts_"))
codes = lambda r: sum(int(c.rsplit("=", 1)[1]) for c in r["codes"].split(";") if c)
rows = list(csv.DictReader(open("'$directory'/sweep.csv")))
print(all(int(r["aborted"]) == causes(r) == int(r["aborted_by_database"])
      + int(r["aborted_by_client"]) + int(r["aborted_by_lost_connection"])
      and codes(r) == int(r["aborted"]) + int(r["unknown"]) and r["server"] for r in rows))')" \
  True "cells add up by outcome, by who aborted and by code"
is "$(python3 -c 'import json
d = json.load(open("'$directory'/sweep.json"))
s = d["seconds"]
print(len(d["cells"]), len(d["runs"]), d["cells"][0]["abort_rate"]["mean"] >= 0,
      abs(s["took"] - s["setup"] - s["warmup"] - s["load"] - s["checking"] - s["own"]) < 1e-3,
      s["own"] > 0, s["own_share"] < 1)')" "4 8 True True True True" "JSON"
like "$out" '^latency from the actual start of a transaction' "the table says from where latency counts"
like "$(xargs -d '\n' <<<"$out")" "time = [0-9.]+ s: [0-9.]+ s setting up, [0-9.]+ s warm-up, [0-9.]+ s load, +[0-9.]+ s the sweep's own: [0-9.]+ % apart" \
  "the table says how the time was spent"
like "$out" '^keys = 20$' "what is the same everywhere is said once"
like "$out" '^2 +si +2 +[0-9.]+ \+- +[0-9.]+ %' "the table"
is "$(awk 'length > 80' <<<"$out")" "" "the table has 80 columns"
before=$(cat $directory/sweep.csv $directory/sweep.json)
rm -f $directory/sweep.csv
run isostress report $directory
is "$status $(tail -n 1 <<<"$out")" "0 page       $directory/sweep.html" "report of a sweep"
is "$(cat $directory/sweep.csv $directory/sweep.json)" "$before" "makes its tables again"
run isostress sweep small.ini memory: --repetitions=1 --time=50ms -o again
is "$(readlink again/latest):$(tail -n 1 <<<"$out")" "small-levels:page       again/small-levels/sweep.html" \
  "latest is the sweep, and the path of its page is whole"
before=$(cksum <$directory/runs.csv)
run isostress sweep small.ini memory:
is "$status $(cksum <$directory/runs.csv)" "0 $before" "a sweep that is complete runs nothing again"

# ---- Interrupted

rm -r $directory
isostress sweep small.ini memory: >/dev/null 2>&1 &
running=$!
tries=0
until [ "$(wc -l 2>/dev/null <$directory/runs.csv || echo 0)" -ge 3 ] || [ $((tries += 1)) -gt 1200 ]; do
  sleep 0.05
done
kill -INT "$running"
wait "$running"
is "$?" 2 "interrupted in good order, undecided"
kept=$(head -n 3 $directory/runs.csv | cksum)
printf '100,500us,20,2,si,"half a ro' >>$directory/runs.csv
run isostress sweep small.ini memory:
is "$status" 0 "the same command goes on"
is "$(head -n 3 $directory/runs.csv | cksum) $(column trouble $directory/runs.csv | grep -c '^$') $(grep -c 'half a ro' $directory/runs.csv)" \
  "$kept 8 0" "a sweep that goes on makes the runs that are left, a half-written line included"
printf '[long]\ntime = 10m\nrepetitions = 1\n' >long.ini
isostress sweep long.ini memory: >long.out 2>long.err &
running=$!
tries=0
until grep -q '^isostress: run 1 of 1' long.err || [ $((tries += 1)) -gt 1200 ]; do sleep 0.05; done
kill -INT "$running"
wait "$running"
is "$? $(column trouble results/sweeps/long-long/runs.csv) $(column troubled results/sweeps/long-long/sweep.csv)" \
  "2 interrupted 1" "a run that was cut short does not count"
is "$(grep -c '  1 interrupted$' long.out) $(grep -c TROUBLE long.out)" "1 0" "the table says that it was interrupted"
rm -r results/sweeps/long-long
sed 's/keys = 20/keys = 30/' small.ini >changed.ini
mkdir -p results/sweeps/changed-levels
cp -r $directory/. results/sweeps/changed-levels
run isostress sweep changed.ini memory:
is "$status $err" "254 isostress: results/sweeps/changed-levels holds a sweep with other settings (\"keys = 20\", now \"keys = 30\"): name another directory with --out" \
  "other settings are refused"
refused() { # refused DIFFERENCE OPTION...
  run isostress sweep small.ini memory: "${@:2}"
  is "$status $err $(cksum <$directory/runs.csv)" \
    "254 isostress: $directory holds a sweep with other settings ($1): name another directory with --out $before" \
    "refused: ${*:2}"
}
before=$(cksum <$directory/runs.csv)
refused '"repetitions = 2", now "repetitions = 3"' --repetitions=3
refused '"seed = 1", now "seed = 2"' --seed=2
refused '"target = memory:", now "time = 100ms"' --time=100ms
refused '"target = memory:", now "target = memory: | memory:?lag=1"' 'memory:?lag=1'
cp -r results/sweeps/changed-levels results/sweeps/small-old
sed -i 's/,took_seconds/,took/' results/sweeps/changed-levels/runs.csv
mv results/sweeps/changed-levels other && mkdir moved && mv other moved/small-levels
run isostress sweep small.ini memory: -o moved
is "$status $err" "254 isostress: moved/small-levels/runs.csv has other columns, as another version writes them: name another directory with --out" \
  "a table with other columns is refused"
rm -r results/sweeps/small-old

# ---- Several targets, ranges, zip, verdicts

cat >more.ini <<'END'
[ranges]
rate = 2000
transactions = 50
keys = 10..1000 x10
repetitions = 1
[zipped]
transactions = 50
clients = 2,4
keys = 5,50
zip = yes
repetitions = 1
[checked]
transactions = 50
isolation = si
check = si
repetitions = 1
END
run isostress sweep more.ini memory: sqlite:more.db
is "$status" 254 "a level that one target lacks"
like "$err" '^isostress: impossible: target=sqlite:more.db: sqlite has no isolation level "si"' "is named"
is "$(basename -a results/sweeps/* | xargs)" "latest more-ranges more-zipped small-levels" \
  "before its sweep runs anything"
is "$(column target results/sweeps/more-ranges/sweep.csv | sort -u | xargs)" "memory: sqlite:more.db" \
  "several targets in one table"
like "$out" '^latency from the intended start' "under a rate that is its intended start"
is "$(column keys results/sweeps/more-ranges/sweep.csv | sort -un | xargs)" "10 100 1000" "a range"
is "$(column keys results/sweeps/more-zipped/sweep.csv | sort -un | xargs)" "5 50" "lists together"
is "$(wc -l <results/sweeps/more-zipped/runs.csv)" 5 "zipped lists are not multiplied"
run isostress sweep more.ini memory: sqlite:more.db --skip-impossible
is "$status" 0 "impossible combinations are skipped on request"
is "$(column verdict results/sweeps/more-checked/runs.csv | xargs)" "pass" "a verdict where it was asked for"

# ---- Comparison

cp -r $directory same
run isostress sweep --compare $directory same
is "$status" 0 "a sweep does not differ from itself"
like "$out" '^0 of 8 comparisons differ beyond noise$' "a comparison says how many cells differ"
# With the same few aborts in each repetition, or many.
cp -r $directory few
python3 - $directory/runs.csv <<'END'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
def write(path, rate):
    for row in rows:
        row["abort_rate"] = rate + int(row["repetition"]) * 1e-9
    with open(path, "w") as f:
        w = csv.DictWriter(f, rows[0].keys(), lineterminator="\n")
        w.writeheader()
        w.writerows(rows)
write("few/runs.csv", 0.1)
for row in rows:
    row["keys"] = "21"
write("same/runs.csv", 0.9)
END
run isostress sweep --compare few same
is "$status" 1 "a sweep that differs has status 1"
like "$out" 'abort_rate .* DIFFERS$' "the comparison says where the sweeps differ"
like "$out" '^([a-z-]+=[^ ]+ )*keys=20 against 21 ' "the comparison says in which settings the sweeps differ"
sed -i '0,/,21,/s//,22,/' same/runs.csv
run isostress sweep --compare $directory same
is "$status" 255 "what varies in one of them has to be the same"
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
mistake '[x]
seed = 1,2' '2: a sweep has one seed: give it as --seed'
run isostress sweep small.ini
is "$status" 254 "no target"
printf '[x]\nkeys = 10\ndistribution = zipfian:0.5,zipfian:-1\nrate = 10\nthink-time = 0,1ms\n' >bad.ini
run isostress sweep bad.ini memory: --dry-run
is "$status" 254 "settings that contradict each other in some cells"
printf '[x]\nkeys = 10\nrate = 10\nthink-time = 0,1ms\n' >bad.ini
run isostress sweep bad.ini memory:
is "$status $err" "254 isostress: impossible: think-time=1ms: rate and think-time cannot be given together
isostress: nothing was run; --skip-impossible leaves out impossible combinations" "are named before anything runs"
run isostress sweep bad.ini memory: --skip-impossible --dry-run
is "$status $out" "0 [x] 1 combinations, 4 times: 4 runs, 0:20 of load" "--skip-impossible leaves impossible combinations out"
run isostress sweep small.ini memory: -o small.ini/x
is "$status $err" "255 isostress: cannot make the directory small.ini: File exists" \
  "a directory that cannot be made"
is "$(ls small.ini*)" small.ini "a directory that cannot be made leaves nothing behind"

# ---- Those that are installed

# target_of NAME: one that fits; none for a file that names its own.  Fails if
# its driver was not built.
target_of() {
  local target=memory:
  case $1 in
    postgresql-* | levels | applications) target=postgresql://host/test ;;
    mysql-*) target=mysql://host/test ;;
    redis-lua-*) target=redis+lua://host ;;
    redis-*) target=redis://host ;;
    etcd-*) target=etcd://host:2379 ;;
    sqlite-*) target=sqlite:x.db ;;
    bugs-*) return ;;
  esac
  isostress list drivers | awk -v driver="${target%%:*}" '
    $1 == driver && /^[^ ]/ { built = 1 } END { exit !built }' && echo "$target"
}
wrong=
for file in "$TOP_SRCDIR"/configs/sweeps/*.ini; do
  name=$(basename "$file" .ini)
  head -1 "$file" | grep -qE "^; .*: isostress sweep $name( |$)" || wrong="$wrong $name: first line"
  target=$(target_of "$name") || continue
  # shellcheck disable=SC2086  # one word or none
  isostress sweep "$name" $target --dry-run >plan 2>&1 &&
    grep -q '^\[.*\] [1-9][0-9]* combinations, ' plan || wrong="$wrong $name: $(cat plan)"
done
is "$wrong" "" "every job file has a first line that says how to run it, and can be run"
is "$(find results -newer bad.ini -name '*.csv')" "" "a dry run runs nothing"
lacking=
while read -r name; do
  [ -e "$TOP_SRCDIR/configs/sweeps/$name.ini" ] || lacking="$lacking $name"
done < <(isostress list drivers | awk '
  /^[^ ]/ { driver = $1; gsub(/\+/, "-", driver) }
  /^    levels / { levels = 1 }
  /^[^ ]|^    [?]/ { levels = 0 }
  levels {
    while (match($0, /"[^"]*"/)) {
      level = substr($0, RSTART + 1, RLENGTH - 2)
      gsub(/ /, "-", level)
      print driver "-" level
      $0 = substr($0, RSTART + RLENGTH)
    }
  }')
is "$lacking" "" "each level of each database has a job file"

# Two sweeps at once would write the same table.
printf '[two]\nclients = 1,2\ntransactions = 5\n' >pair.ini
isostress sweep pair.ini memory: --repetitions=1 -o pair >/dev/null 2>&1
exec 7>>pair/pair-two/runs.csv
flock 7
run isostress sweep pair.ini memory: --repetitions=1 -o pair
is "$status $err" "255 isostress: pair/pair-two: another isostress sweep is at work there: wait for its end, or name \
another directory with --out" "one sweep at a time writes to a directory"
exec 7>&-
run isostress sweep pair.ini memory: --repetitions=1 -o pair
is "$status" 0 "the next sweep goes on when the first has ended"
: >nothing.empty
mkdir nothing.directory
for nothing in empty directory; do
  run isostress sweep "nothing.$nothing" memory: -o nothing
  is "$status $err" "254 isostress: nothing.$nothing: is not a job file: it has no setting" "$nothing: is no job file"
done

# Scripts with shares are one workload, alone and beside others.
printf 'CREATE TABLE account (id INT PRIMARY KEY, balance INT);\nINSERT INTO account VALUES (1, 100);\n' >bank.sql
printf 'UPDATE account SET balance = balance + 1 WHERE id = 1;\n' >pay.pgbench
printf 'SELECT balance FROM account WHERE id = 1;\n' >see.pgbench
printf '[%s]\nworkload = %s\nschema = bank.sql\ntransactions = 5\n' \
  one 'pay.pgbench@3, see.pgbench@2' two 'pay.pgbench@3,see.pgbench | see.pgbench' three 'pay.pgbench,see.pgbench' >mixes.ini
run isostress sweep mixes.ini memory: --repetitions=1 -o mixes
is "$status" 0 "a sweep of mixes of scripts"
is "$(for mix in one two three; do column workload "mixes/mixes-$mix/sweep.csv" | paste -s -d '|'; done)" \
  "pay.pgbench@3, see.pgbench@2
pay.pgbench@3,see.pgbench|see.pgbench
pay.pgbench|see.pgbench" "a share makes scripts one workload"

# ---- Requirements

printf '[s]\nclients = 2,3\ntransactions = 100\nrequire = committed>1G, refused<=100%%, p99<1ns\n[one]\ntransactions = 100\ncheck = si\nrequire = committed>1G\n[met]\ntransactions = 100\nrequire = committed>1\n' >require.ini
run isostress sweep require.ini memory: --repetitions=2 -o require
is "$status" 3 "a requirement that is not met has a status of its own"
is "$(grep -c '^NOT MET: 4 of 4 runs do not meet what was required\.$' <<<"$out") $(grep -c '^NOT MET: ' <<<"$out")" "1 2" \
  "the table begins with the runs that do not meet what was required"
is "$(grep -c '^3 .*  NOT MET in 2$' <<<"$out") $(grep -c '  pass  NOT MET in 2$' <<<"$out")" "1 1" \
  "so does the verdict of each combination, checked or not"
is "$(grep -A2 '^NOT MET clients=3:$' <<<"$out" | sed 's/is [0-9.]* ms to [0-9.]* ms/is TIME/; s/is [0-9.]* ms/is TIME/; s/is [0-9 to]*$/is N/')" \
  "NOT MET clients=3:
  committed>1G was required, and in 2 of 2 runs it is N
  p99<1ns was required, and in 2 of 2 runs it is TIME" "which, in how many runs, and what was measured"
is "$(awk 'length > 80' <<<"$out")" "" "in 80 columns"
is "$(column unmet require/require-met/runs.csv | xargs) $(grep -c 'not meet\|not met' require/require-met/sweep.html)" " 0" \
  "what is met is not told"
like "$(<require/index.html)" 'a requirement is not met in 4 of the runs' "the index says so"
run isostress sweep require.ini memory: --repetitions=2 -o require
is "$status" 3 "a sweep that is complete has the status of its runs"
run isostress sweep require.ini memory: --repetitions=1 --require "committed>1,p99<1h" -o required
is "$status $(grep -c 'NOT MET' <<<"$out")" "0 0" "what the command requires goes before what the file does"
run isostress sweep require.ini memory: --repetitions=1 --require "committed>1,committed>2G" -o required-2
is "$status $(grep -c '^  committed>2G was required' <<<"$out")" "3 4" "and is held against every run"

run isostress sweep quick sqlite:no/such/place.db
is "$status:$(grep -c 'no/such/place.db cannot be opened: ' <<<"$err"):$out" 255:1: "a database that cannot be reached ends a sweep at once"
