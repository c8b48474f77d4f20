#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The files that a run leaves to read and look at, `isostress report` on stored runs, and
# `isostress check --explain`.
. "${TOP_SRCDIR:?}/tests/tap.sh"

cd "$work" || exit 1
fork="--threads=1 --seed=1 -t 2k -c 4 -k 20 --distribution=uniform --bug=LongFork"
# shellcheck disable=SC2086  # a list of options
isostress run $fork -o one memory: >/dev/null 2>&1
isostress run -t 100 -c 2 --threads=1 --seed=2 -i si -o two memory: >/dev/null 2>&1
one=$(readlink -f one/latest) two=$(readlink -f two/latest)

valid() { # valid NAME FILE: tidy finds nothing to complain about
  if command -v tidy >/dev/null; then
    is "$(tidy -e -q --gnu-emacs no "$2" 2>&1 | grep -v "Warning: <a> proprietary attribute")" "" "$1"
  else
    skip "$1" "no tidy"
  fi
}

plan 72
for file in report.html report.json report.txt counterexample-1.svg counterexample-2.svg; do
  like "$(cat "$one/$file")" . "a violation leaves $file"
done
is "$(cd "$two" && echo *.svg)" "*.svg" "a pass leaves no picture"
like "$(cat "$two/report.html")" 'PASS: snapshot isolation was kept' "a pass leaves a page"
valid "the page of a violation is valid" "$one/report.html"
valid "the page of a pass is valid" "$two/report.html"
isostress run -t 250k -c 4 -k 1000 -i si --bug=LongFork --seed=1 --threads=1 -o many memory: >/dev/null 2>&1
is "$(python3 -c 'import json
r = json.load(open("many/latest/report.json"))
print(r["history"]["committed"] + r["history"]["aborted"], r["verdict"]["verdict"])')" "1000000 violation" \
  "a run of a million transactions shows a violation"
is "$(($(wc -c <many/latest/report.html) <= 200000))" 1 "the page of a million transactions has 200 kB at most"
rm -rf many


# The page says each thing once: its head has what happened and how often.
said() { # said TEXT FILE: on how many lines
  grep -cF -- "$1" "$2"
}
is "$(said "$(sed -n 's/.*This was found <b>\(.*\)<\/b> among.*/\1/p' "$one/report.html")" "$one/report.html")" 1 \
  "the page says once how often the anomaly was found"
is "$(said 'Separate code, which shares with the search only how options are read and parts are cut out, derived' "$one/report.html")" 1 \
  "the page says once how the violation was proved"
is "$(said ' transactions in 2 sessions' "$two/report.html"):$(said 'replayed that order' "$two/report.html")" 0:1 \
  "the page of a pass says once how it was proved, and the figures of its run once"
check=$(sed -n '/id="sure"/,$s#.*<code>\(isostress check .*\)</code>.*#\1#p' "$one/report.html")
like "$(eval "$check" 2>&1)" 'Proof: a cycle of [0-9]+ transactions, each step checked' "the command that checks the proof again can be copied and works"

# Is it a bug of the database, or a property of its level?
like "$(cat "$one/report.html")" '<p class="tag bad">.*Broken promise</p>' "a violation of what is promised is a broken promise"
isostress run -t 2k -c 4 --threads=1 --seed=3 -i pc --check=ser -k 5 -o weak memory: >/dev/null 2>&1
like "$(cat weak/latest/report.html)" '<p class="tag warn">.*Seen, and allowed at this level</p>' \
  "a violation of more than is promised is allowed"

is "$(grep -h '^ *"promise":' "$one/report.json" weak/latest/report.json | xargs)" "promise: broken, promise: allowed," "which the documents say in a word"

# A run that kept its level says what that means, and how a next run could show more.
kept=$(cat "$two/report.html")
like "$(grep -A1 'class="tag good"' <<<"$kept" | xargs -d '\n')" \
  'Kept in this run</p> <h1>The built-in store kept its promise in this run.</h1>' \
  "a pass says what was kept"
like "$kept" 'would have been seen, if it strikes in</th>' \
  "a pass says how much it could have shown"
like "$kept" '^<path class="ok" d="M[0-9.]+ [0-9]+h' "a pass shows some milliseconds of its sessions"
sed -n '/id="next"/,/<\/section>/s#.*<div class="cmd"><code>isostress run \(.*\)</code>.*#\1#p' "$two/report.html" |
  sed 's/&#39;/'"'"'/g' >tries
is "$(grep -c 'time=10m.*transactions\|transactions.*time=10m' tries):$(grep -c 'time=10m' tries)" 0:1 \
  "the same load for ten minutes does not end with the transactions of this run"
tried=0
while read -r try; do
  # shellcheck disable=SC2086  # a list of options
  isostress run $try -T 50ms -o tried >/dev/null 2>&1
  [ $? = 254 ] || tried=$((tried + 1)) # a short run may show nothing
done <tries
is "$tried" "$(wc -l <tries)" "each stronger try is a command that runs"
is "$((tried > 2))" 1 "there are several stronger tries"
like "$kept" '<code>isostress run --isolation=si --clients=2 .*--transactions=100 .*--seed=2 .*memory:' \
  "the command that runs it again has what differs from the defaults"
like "$kept" '<dt><code>--transactions</code></dt><dd>100 <span class="soft">\(the default: ' \
  "settings that differ stand beside their defaults"

# Terminals to see it by hand, with the commands that the report has for the database.
isostress run -t 5k -c 4 --threads=1 --seed=4 -k 10 -i si --op-times=on --bug=LostUpdate -o hands memory: >/dev/null 2>&1
as_if() { # as_if SCHEME LEVEL [COMMANDS]
  python3 - "$@" <<'END'
import json, sys
report = json.load(open("hands/latest/report.json"))
report["run"]["target"] = sys.argv[1] + "://host"
report["run"]["level"] = sys.argv[2]
if len(sys.argv) > 3:
    report["by_hand"] = json.loads(sys.argv[3])
json.dump(report, open("hands/report.json", "w"))
END
  isostress report hands >/dev/null
  sed -n '/<section id="hands"/,/<\/section>/p' hands/report.html
}
commands='[{"session": null, "text": "CREATE SCHEMA s;\nCREATE TABLE s.t (k int);", "place": null, "returned": null},
  {"session": "T2", "text": "SELECT v\nFROM t <<END", "place": "a.pgbench:3", "returned": "returned 0"},
  {"session": "T1, T3", "text": "COMMIT;", "place": null, "returned": null},
  {"session": "T2", "text": "COMMIT;", "place": "a.pgbench:4", "returned": null},
  {"session": null, "text": "DROP SCHEMA s;", "place": null, "returned": null}]'
by_hand=$(as_if postgresql "repeatable read" "$commands")
like "$by_hand" 'Open 2 terminals with <code>psql</code>.* Where a terminal waits, go on at the next one' \
  "by hand: a terminal for each session, with the database's own shell"
like "$(paste -sd '|' <<<"$by_hand")" \
  '<span class="who">any</span><div><code>CREATE SCHEMA s;\|CREATE TABLE s.t \(k int\);</code></div>' \
  "by hand: what is typed anywhere, line by line"
like "$by_hand" '<h3 class="A">Terminal A \(T2\)</h3>' "by hand: whose terminal that is"
like "$by_hand" '<h3 class="B">Terminal B \(T1, T3\)</h3>' "by hand: a session with several transactions"
like "$(paste -sd '|' <<<"$by_hand")" \
  '<span class="who">A</span><div><code>SELECT v\|FROM t &lt;&lt;END</code><br><span class="soft">a.pgbench:3, returned 0</span>' \
  "by hand: a statement, where it stands, and what it returned"
is "$(grep -o 'class="cmd [A-Za-z]*"' <<<"$by_hand" | paste -sd ' ')" \
  'class="cmd all" class="cmd A" class="cmd B" class="cmd A" class="cmd all"' "by hand: the steps in their order"
like "$by_hand" 'The tables hold the rows that matter' "by hand: the tables are made for it"
redis=$(as_if redis multi "$commands")
unlike "$redis" 'tables hold|terminal waits' "by hand: Redis has no tables, and no command waits"
like "$redis" '<code>redis-cli</code>' "by hand: the shell of Redis"
like "$(as_if sqlite "read uncommitted" "$commands")" 'is told <code>database is locked</code> instead' \
  "by hand: SQLite's terminals share no cache"
unlike "$(as_if sqlite serializable "$commands")" 'is locked' "by hand: which matters where the sessions shared one"
like "$(as_if etcd strict "$commands")" '<code>etcdctl</code>' "by hand: the shell of etcd"
like "$(<hands/report.html)" 'of etcd \(linearizable reads, which are the default\) keep' "the page says what the level is"
like "$(as_if postgresql "read committed")" 'These are too many transactions' "a report without commands says that hands cannot do it"
like "$(as_if memory si "$commands")" 'has no shell' "the built-in store has no shell"

# Rates are told with what they mean, and what the warm-up has to do with them.
isostress run -t 2k -c 8 --threads=1 --seed=3 -i ser -k 10 --max-tries=2 --warmup=20% -o warm memory: \
  >/dev/null 2>&1
warm=$(cat warm/latest/report.html)
like "$warm" '>abort rate per attempt<.*[1-9][0-9.]*&nbsp;%.*>aborted attempts of all attempts<' \
  "the abort rate per attempt"
like "$warm" '>abort rate per transaction<.*%.*of all transactions<' "the page has the abort rate per transaction"
like "$warm" '>aborted by the database<.*>[1-9][0-9]*<' "the page says who aborted"
like "$warm" '>wasted work<.*[1-9][0-9.]*&nbsp;%' "wasted work"
like "$warm" 'were the warm-up: all rates and latencies leave it out' "the warm-up is left out"
is "$(python3 -c 'import json
r = json.load(open("warm/latest/report.json"))["run"]
by = r["aborted_by"]
print(sum(by.values()) == r["aborted"] > 0, 0 < r["wasted_ns"] < r["attempt_ns"], r["retries"] > 0)')" \
  "True True True" "the same as JSON"

cp "$one/report.html" page
run isostress report "$one"
is "$status:$out" "0:$one/report.html" "report makes the page again"
run cmp "$one/report.html" page
is "$status" 0 "the page that is made again is the same"

# The policy of a page allows its own script and no other.
is "$(python3 -c 'import base64, hashlib, re
page = open("page", encoding="utf-8").read()
script = re.search("<script>(.*?)</script>", page, re.S).group(1)
said = re.search("script-src .(sha256-[^\x27]*)", page).group(1)
made = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
print(page.count("<script"), said == "sha256-" + made)')" "1 True" "the page allows its own script and no other"

run isostress report "$one" "$two" --compare=both.html
is "$status" 0 "two runs are compared"
like "$out" '^   2  PASS: snapshot isolation was kept' "two runs are compared in text"
is "$(tail -n 1 <<<"$out")" both.html "the path of the comparison is printed"
valid "and as a valid page" both.html
run isostress report "${one%/*}"
is "$status:$out" "0:${one%/*}/index.html" "a directory of runs gets a page that leads to them"

run isostress report
is "$status $(wc -l <<<"$err")" "254 1" "no directory: one sentence"
run isostress report absent
is "$status:$err" "255:isostress: cannot read absent/report.json: No such file or directory" \
  "an absent directory is named"
mkdir broken
head -c 700 "$one/report.json" >broken/report.json
run isostress report broken
like "$status:$err" '^255:isostress: broken/report.json: line [0-9]+: this is not JSON' \
  "a broken report is named, with the line"

run isostress check --level=pc --explain=deep/down "$one/history"
is "$status" 1 "check --explain"
like "$(cat deep/down/report.html)" 'VIOLATION: prefix consistency was broken by LongFork' \
  "leaves a page"
like "$(cat deep/down/report.html)" 'Level broken</p>' "the page of a check says that the level is broken"
run isostress check --level=pc,si --explain=deep "$one/history"
is "$status $(wc -l <<<"$err")" "254 1" "a scorecard of one level only gets one sentence"

mkdir golden
cp "$TOP_SRCDIR/tests/fuzz/report/v1.json" golden/report.json
run isostress report golden
is "$status:$out" "0:golden/report.html" "a report of the first version is read"
like "$(cat golden/report.html)" '<title>An update was lost\. The built-in store' \
  "a report of the first version gets its page"

# shellcheck disable=SC2086  # a list of options
isostress run $fork --check=auto -o all memory: >/dev/null 2>&1
like "$(cat all/latest/report.html)" 'causal consistency</th><td class="pass">kept' \
  "the page has all levels"
valid "and is valid" all/latest/report.html

# ---- Long things

elements=$(seq -s , 100)
{
  for i in $(seq 100); do printf '[l+=%d]@%d..%d ' "$i" "$((10 * i))" "$((10 * i + 5))"; done
  printf '\n---\n[l==[%s] l+=201]@2000..3000\n---\n[l==[%s] l+=202]@2001..3001\n' "$elements" "$elements"
} >list.txt
run isostress check list.txt -l si --explain=list
like "$out" ' T1 began in session 1: it read \[x\*a \.\.\. 98 more \.\.\. x\*cv\] and appended x1 to x\.$' \
  "of a list of 100 elements the ends are told"
is "$(grep -c 'x\*b' list/report.html)$(grep -c '<br>appended 201 to key l' list/report.html)" 01 "and shown, and all is in the raw values"
{
  printf '[l==[%s]]\n---\n' "$(seq -s , 30)"
  printf '[l==[%s,20,19,%s]]\n---\n' "$(seq -s , 18)" "$(seq -s , 21 30)"
  for i in $(seq 30); do printf '[l+=%d]\n---\n' "$i"; done
} | sed '$d' >part.txt
run isostress check part.txt -l ser
told=$(grep -oE 'read \[[^]]*\]' <<<"$out" | sort -u | xargs)
is "$told" "read [x*a ... 17 more ... x3 x4 ... 9 more ... x*ab] read [x*a ... 17 more ... x4 x3 ... 9 more ... x*ab]" \
  "and where two lists part"
columns=$(seq -f c%g -s ', ' 12) row=$(seq -f c%g=7 -s , 12) where=$(seq -f 'c%g > 9' -s ' | ' 12)
printf 'table t(%s)\n[sel t{%s}:, ins t/1{%s}]@1..5\n---\n[sel t{%s}:, ins t/2{%s}]@2..6\n' \
  "$columns" "$where" "${row//=7/=10}" "$where" "${row//=7/=10}" >rows.txt
run isostress check rows.txt -l ser --explain=rows
like "$out" 'T1 SELECT \* FROM t WHERE c1 > 9 OR c2 > 9 OR c3 > 9 OR .* OR c12 > 9 returned nothing$' \
  "many conditions need no brackets"
like "$out" 'and found no row and inserted row t/1 with c1 = 10, c2 = 10, c3 = 10, c4 = 10, c5 = 10, c6 = 10, c7 = 10 and 5 more columns\.$' \
  "of many columns some are told"
{
  for i in $(seq 0 11); do printf '[x%d==? x%d:=%d]@%d..%d\n---\n' "$i" "$(((i + 1) % 12))" "$((i + 1))" "$i" "$((100 + i))"; done
} | sed '$d' >ring.txt
run isostress check ring.txt -l ser --explain=ring
like "$(cat ring/report.html)" '<div class="case-grid below" ' "twelve sessions have their sentences below the picture"
