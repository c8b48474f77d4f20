#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A run in a terminal says the verdict first, in the words of its page, at
# most 20 lines, then the path of the page; a line of progress that fits; one
# table after several runs.
. "${TOP_SRCDIR:?}/tests/tap.sh"
cd "$work" || exit 1
plan 62

# The headline of the last run's page.
headline() {
  sed -n 's/.*<h1>\(.*\)<\/h1>.*/\1/p' results/runs/latest/report.html | head -n 1 |
    sed "s/&#39;/'/g; s/\xe2\x80\x99/'/g" | sed 's/&quot;/"/g; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g'
}
# unwrapped: the first sentence of the result, which may take two lines.
unwrapped() { tr '\n' ' ' <<<"$out" | tr -s ' '; }
widest() { awk '{ if (length($0) > n) n = length($0) } END { print n + 0 }' <<<"$out"; }
# besides: the result without the picture of its smallest case.
besides() { grep -vE '^  The smallest case:$|^ +(us|ms|s) +session |^( +[0-9.]+ +| {11,})T[0-9]+: ' <<<"$out"; }
# Is the result short?  The directory's path may be long.
brief() {
  is "$(($(besides | wc -l) <= 20)) $(($(grep -vE '^  (page|again)' <<<"$out" | wc -L) <= 80))" "1 1" "$1: at most 20 lines of 80"
}

run isostress run -t 200 -c 4 --threads=1 --seed=1 -P 0 -i ser memory:
is "$status" 0 "a run that keeps its level"
is "$(head -n 1 <<<"$out")" "PASS: $(headline)" "the verdict comes first, in the words of the page"
like "$out" '^      serializability: [0-9]+ committed transactions fit into one order;$' "it says what was proved"
like "$out" '^  run +[0-9]+ committed, [0-9,]+/s; [0-9]+ refused \([0-9.]+ %\); p50 [0-9.]+ [a-z]+,( p99 |$)' "and how the run went"
is "$(tail -n 1 <<<"$out")" "  page       results/runs/$(readlink results/runs/latest)/report.html" "the page comes last"
brief "kept"
unlike "$out" $'\033' "no colour without a terminal"
run isostress run -t 2000 -c 4 --threads=1 --seed=1 -P 0 --warmup=0 memory:
like "$out" '^  run +[0-9],[0-9]{3} committed' "thousands have a separator"
run isostress run -v -t 200 -c 4 --threads=1 --seed=1 -P 0 -i ser memory:
is "$out" "$(cat results/runs/latest/report.txt)" "--verbose has what is cut"
like "$out" '^attempts ' "such as the tables"

run isostress run -t 200 -k 5 -c 4 --threads=1 --seed=1 -P 0 --bug=LostUpdate:0.3 -i si memory:
is "$status" 1 "a promise that is broken"
like "$(unwrapped)" "^VIOLATION: $(headline | sed 's/[.[*^$()+?{|]/\\&/g')" "the verdict comes first, in the words of the page"
like "$out" '^ +LostUpdate breaks snapshot isolation; found in [0-9,]+ writes?\.$' "the anomaly, the level and how often"
like "$out" '^  promised +Yes\. Broken promise\.$' "it is promised"
like "$out" '^  means ' "what it means"
like "$out" '^  helps +Report it: its page' "what helps against a broken promise"
unlike "$out" '<[a-z]+>|&[a-z]+;' "no markup"
is "$(tr -d '\0-\177' <<<"$out" | wc -c)" 0 "ASCII alone"
brief "broken"

like "$out" '^    .x1: what T1 wrote to x' "the short names of values are explained"
again=$(sed -n "s/^  again *//p" <<<"$out")
like "$again" "^isostress replay --level=si results/runs/[^ ]* 'memory:.*'$" "how the case is performed again"
run eval "$again"
like "$status $out" '^[01] ' "that command can be followed"

# The picture: a column for each session, time downwards.
run isostress run -t 300 -k 3 -c 2 --threads=1 --seed=1 -P 0 --bug=LostUpdate:0.3 -i si memory:
like "$out" '^  The smallest case:$' "the picture as text, where it fits"
like "$out" '^ +(us|ms|s)   *session [0-9]+ +session [0-9]+$' "columns of sessions"
like "$out" '^ +[0-9.]+ +T[0-9]+: begin' "steps with their times"
brief "with a picture"

# Each bug that can be told: nothing that is printed is too long.
bad=
for bug in $(isostress list bugs | awk '!/tables of rows/ { print $1 }'); do
  run isostress run -t 300 -k 5 -c 6 --threads=1 --seed=2 -P 0 --bug="$bug:0.3" -i ser memory:
  [ "$status" != 255 ] && [ "$(besides | wc -l)" -le 21 ] &&
    [ "$(grep -vE '^  (page|again)' <<<"$out" | wc -L)" -le 80 ] && grep -qE '^(VIOLATION|PASS): ' <<<"$out" ||
    bad+="$bug: $out"
done
is "$bad" "" "every bug is told in 20 lines"

isostress run -t 300 -k 5 -c 6 --threads=1 --seed=2 -P 0 -i ser --bug=LostUpdate:0.3 memory: >again.out 2>/dev/null
run bash -c "$(sed -n 's/^  again  *//p' again.out)"
like "$out" '^LostUpdate came back in [1-9]' "the command that performs the case again has the bug that was asked for"

run isostress run -t 20 -P 0 --check=none memory:
like "$(head -n 1 <<<"$out")" '^NOT CHECKED' "a run that was not checked"
run isostress run -t 5 -c 2 -P 0 "memory:?abort=1"
is "$status" 2 "a run of which nothing committed"
like "$(head -n 1 <<<"$out")" '^UNDECIDED: ' "says so first"
like "$out" '^  why ' "and why"
unlike "$out$(cat results/runs/latest/report.html)" '^  go on |Check it again|with more time' "no more time and memory is advised where it does not help"
run isostress run -t 20 -P 0 -w append -c 1 --require='p99<1ns' memory:
is "$status" 3 "requirements are as before"
run isostress run -t 20 -c 1 --threads=1 --seed=1 -P 0 memory:
like "$out" '^  WARNING: +There was no chance' "a warning is told"

for level in "read uncommitted" serializable; do
  run isostress run -t 5 -c 128 --seed=4294967295 -P 0 -i "$level" --distribution=uniform sqlite:wide.db
  is "$(($(wc -L <<<"$err") <= 80)):$(tr '\n' ' ' <<<"$err" | grep -c 'seed 4294967295')" 1:1 "the first line of \"$level\" has at most 80 columns"
done

# ---- Several runs

printf '[one]\nseed=1\n[three]\nbug=LostUpdate:0.3\nkeys=3\n[two]\ncheck=none\n' >several.ini
run isostress run several.ini -t 200 -c 2 --threads=1 --seed=1 -P 0 -i si memory:
is "$status" 1 "several runs"
table=$(sed -n '/^run  *verdict/,$p' <<<"$out")
is "$(wc -l <<<"$table")" 4 "end with one table"
like "$table" '^one +pass +[0-9]+ +[0-9,]+ +[0-9.]+ % +[0-9.]+ [a-z]+ +results/runs/' "a run that kept its level"
like "$table" '^three +violation: LostUpdate +' "one that did not"
like "$table" '^two +not checked +' "one that was not checked"
is "$(tail -n 4 <<<"$out")" "$table" "which comes last"
run isostress run several.ini -t 20 -c 2 -P 0 --output=json memory:
unlike "$out" '^run +verdict' "JSON has no table"
printf '[one]\nseed=1\n' >one.ini
run isostress run one.ini -t 20 -c 2 -P 0 memory:
unlike "$out" '^run +verdict' "nor has one run"

# ---- Notices

run isostress run -t 20 -c 2 --threads=1 --seed=1 -P 0 'memory:?unknown=0.5'
is "$(grep -c '^isostress: session [01] lost its connection (the answer to commit was lost on purpose (option unknown)); reconnecting$' <<<"$err")" 1 \
  "a run whose sessions lose their connections again and again says so once"
is "$(grep -c '^isostress: all sessions have a connection again$' <<<"$err")" 1 "and that it goes on"
run isostress run -t 20 -c 2 --threads=1 --seed=1 -P 0 memory:
unlike "$err" 'connection' "a run that loses none says nothing"

# ---- A terminal

if command -v script >/dev/null; then
  on_terminal() { # on_terminal NAME=VALUE COLUMNS ARGUMENT...: stdout and stderr
    local set=$1 columns=$2
    shift 2
    env TERM=xterm "$set" script -qec "stty cols $columns 2>/dev/null; isostress run $*" typed </dev/null >/dev/null
    tr '\r' '\n' <typed
  }
  told=$(on_terminal A=b 80 -T 300ms -c 2 -P 20ms memory:)
  like "$told" '^\[#+\.*\] +[0-9]+ %  +0:00 left   [0-9,]+/s   refused [0-9.]+ %' "progress has a bar, the share, the rest, the rate and what is refused"
  like "$told" $'\033\\[1;32mPASS\033\\[0m: ' "the verdict has a colour"
  unlike "$told" ' s: [0-9]+ per second' "there are no lines as in a file"
  told=$(on_terminal NO_COLOR=1 40 -t 100 -c 2 --threads=1 -P 1ms memory:)
  unlike "$told" $'\033\\[1;3' "no colour with NO_COLOR"
  told=$(on_terminal TERM=dumb 80 -t 100 -c 2 -P 0 memory:)
  unlike "$told" $'\033\\[1;3' "nor on a dumb terminal"
  told=$(on_terminal A=b 30 -T 200ms -c 2 -P 20ms memory:)
  is "$(grep '^\[[#.]*' <<<"$told" | sed 's/\x1b\[K.*//' | awk 'length > 29' | wc -l)" 0 "progress is cut to the width"
  told=$(on_terminal A=b 80 -t 20k -c 2 -T 0 -P 2ms --threads=1 memory:)
  like "$told" '^\[[#.]+\] +[0-9]+ % ' "transactions that are counted have a share, too"
  told=$(on_terminal A=b 80 -t 20 -c 2 --threads=1 --seed=1 -P 1ms "'memory:?unknown=0.5'")
  like "$told" $'^\033\\[Kisostress: session [01] lost' "a notice takes the place of the line of progress"
  told=$(on_terminal A=b 80 -t 300 -c 2 --threads=1 --seed=1 -k 3 -P 0 --bug=LostUpdate:0.3 -i si memory:)
  like "$told" $'\033\\[1;31mVIOLATION\033\\[0m: ' "a broken promise is red"
  for command in "scorecard memory: -i si -t 50 --seed 1" "repro postgresql-12.3-write-skew-in-memory" "driver-test memory:"; do
    env TERM=xterm ISOSTRESS_FILES="$TOP_SRCDIR" script -qec "isostress $command" typed </dev/null >/dev/null
    like "$(tr '\r' '\n' <typed)" '^\[[#.]+\] +[0-9]+ % ' "${command%% *} has a bar"
  done
else
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do skip "progress and colour on a terminal" "no script(1)"; done
fi

# The verbose text says it in the words of the page, too.
run isostress run -v memory: -i pc --check=si -t 2k -c 4 -k 5 --threads=1 --seed=3 -P 0
like "$out" '^  Promised: no; the level allows it\.$' "verbose: what the level allows"
run isostress run -v memory: -i si --bug LostUpdate -t 2k -c 4 -k 5 --threads=1 --seed=3 -P 0
like "$out" '^  Promised: yes\. BROKEN PROMISE\.$' "verbose: what the level rules out"
