#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress explore stopped in the middle goes on where it was, and comes to the
# same counts; and what is said before all is explored.
. "${TOP_SRCDIR:?}/tests/tap.sh"
export ISOSTRESS_FILES=$TOP_SRCDIR
cd "$work" || exit 1

# increments N: a program with (N + 1)^(N - 1) histories at cc.
increments() {
  printf 'initially x=0\ntransaction inc; read x into v; write x v + 1; end\n'
  for ((i = 1; i <= $1; i++)); do echo "session S$i: inc"; done
}
increments 7 >seven.program
increments 9 >nine.program

plan 37

# ---- Saved and resumed

run isostress explore -i cc,si,ser -j 1 seven.program courseware-2
whole=$out
run isostress explore -i cc,si,ser seven.program courseware-2 --timeout 1us --save rest
is "$status" 2 "stopped at once: undecided"
like "$err" "^isostress: the rest of the exploration is in $PWD/rest; go on with: isostress explore --resume rest --isolation=cc,si,ser --timeout=1us seven.program courseware-2\$" \
  "the command that goes on"
like "$(head -n 1 rest)" '^isostress explore 1$' "the file says what it is"
times=0
for ms in 20 1 30 2 40 3 50 5; do
  run isostress explore -i cc,si,ser seven.program courseware-2 --timeout ${ms}ms --resume rest
  [ "$status" = 2 ] || break
  times=$((times + 1))
done
echo "# interrupted $times times"
run isostress explore -i cc,si,ser seven.program courseware-2 --resume rest -j 3
is "$out" "$whole" "interrupted at many places, the counts are the same"
is "$status" 0 "an exploration that went on has the verdict of a whole one"

run isostress explore -i cc seven.program --algorithm dfs --assert-only --timeout 1us --save dfs
run isostress explore -i cc seven.program --algorithm dfs --assert-only --resume dfs
resumed=$out
run isostress explore -i cc seven.program --algorithm dfs --assert-only -j 1
is "$resumed" "$out" "the baseline goes on, too"
run isostress explore -i cc --part 2/3 courseware-2 --timeout 1us --save part
run isostress explore -i cc --part 2/3 courseware-2 --resume part
resumed=$out
run isostress explore -i cc --part 2/3 courseware-2
is "$resumed" "$out" "a part goes on to the same counts"
run isostress explore -i rc-statement stock --timeout 1us --save stock.left
run isostress explore -i rc-statement stock --resume stock.left
resumed=$out
run isostress explore -i rc-statement stock
is "$resumed" "$out" "a violation is told the same"

# ---- Ctrl-C

isostress explore -i cc nine.program --assert-only >nine.out 2>nine.err &
pid=$!
# It is the program, no longer the shell, and it catches SIGINT.
until [[ $(readlink /proc/$pid/exe) == */isostress ]] &&
  grep -qs '^SigCgt:.*[2367abef]$' /proc/$pid/status || ! kill -0 $pid; do sleep 0.02; done
kill -INT $pid
wait $pid
is "$?" 2 "Ctrl-C: undecided"
like "$(cat nine.out)" '^UNDECIDED at cc: not all histories were explored\.$' "says so"
like "$(cat nine.err)" "the exploration is in $PWD/explore\\.left; go on with" "the file is named by its whole path"
like "$(cat nine.out)" '^program  *nine\.program: 9 sessions, 9 transactions$' "the program was named at once"
like "$(cat nine.err)" 'go on with: isostress explore --resume explore\.left --isolation=cc --assert-only nine\.program$' \
  "the command that goes on is named"
run bash -c "$(sed -n 's/.*go on with: //p' nine.err) --timeout 1us"
is "$status" 2 "the command is one"

# A terminal that is gone hears of no file.
if [ -e /dev/full ]; then
  mkdir gone
  (cd gone && exec env --default-signal=HUP isostress explore -i cc ../nine.program --assert-only >nine.out 2>/dev/full) &
  pid=$!
  until [[ $(readlink /proc/$pid/exe) == */isostress ]] &&
    grep -qs '^SigCgt:.*[1357bdf9]$' /proc/$pid/status || ! kill -0 $pid; do sleep 0.02; done
  kill -HUP $pid
  wait $pid
  is "$? $(ls gone)" "2 nine.out" "HUP of a terminal that is gone leaves no file behind"
else
  skip "HUP of a terminal that is gone leaves no file behind" "no /dev/full"
fi

# ---- Files that do not fit

run isostress explore -i cc --resume none seven.program
like "$status $err" '^254 isostress: cannot read none: No such file' "no file"
run isostress explore -i cc --resume rest nine.program
is "$status $err" "254 isostress: rest holds no exploration of cc nine.program; resume with the programs and levels that it was saved with" \
  "another program"
sed 's/v + 1/v + 2/' nine.program >changed.program
mv changed.program nine.program
run isostress explore -i cc --resume explore.left nine.program --assert-only
like "$status $err" '^254 isostress: explore.left: its exploration of cc nine.program has another program or other options' \
  "a program that has changed"
increments 9 >nine.program
run isostress explore -i cc --resume explore.left nine.program
like "$status $err" '^254 isostress: explore.left: its exploration of cc nine.program has' "other options"
for change in 's/^histories.*/histories x/' 's/^task.*/& 1000 x/' '/^end$/d' '1s/1/9/' 's/^survey .*/survey/'; do
  sed "$change" explore.left >broken.left
  run isostress explore -i cc --resume broken.left nine.program --assert-only
  like "$status $err" '^254 isostress: broken.left:[0-9]+: `explore --save` did not write this line' "a broken file: $change"
done
sed 's/^task.*/task 63 62 61/' explore.left >lost.left
run isostress explore -i cc --resume lost.left nine.program --assert-only
like "$status $err" '^255 isostress: lost.left: the tasks to explore belong to another program$' "choices that are none"
run isostress explore -i cc nine.program --save none/rest --timeout 1us
like "$status $err" '^255 isostress: cannot write none/rest: No such file' "a place that is none"

# ---- Memory

run isostress explore -i cc seven.program --memory 64M
is "$status $(sed -n 's/^cc  *\([0-9]*\) *\([0-9]*\) .*/\1 \2/p' <<<"$out")" "0 262144 47293" "the histories are counted in 64 MB"
run isostress explore -i cc seven.program --memory 1M --save small
like "$status $out" '^2 ' "a memory limit that is too low for all outcomes ends the exploration"
like "$out" '^UNDECIDED at cc: to count the outcomes of all histories needs more than --memory; --assert-only counts none\.$' \
  "says what helps"
run isostress explore -i cc seven.program --resume small --memory 64M
is "$(sed -n 's/^cc  *\([0-9]*\) *\([0-9]*\) .*/\1 \2/p' <<<"$out")" "262144 47293" "the exploration goes on with more memory"

# ---- Before all is explored

run isostress explore --estimate -i cc,si nine.program --seed 1
like "$out" '^cc .* 95 % interval ' "an estimate with its spread"
run isostress explore --estimate -i si,ser oncall --seed 1
is "$status $(sed -n 's/^si  *\(.*\)/\1/p' <<<"$out")" "0 3   counted" "few histories are counted"
run isostress explore --estimate -i si oncall --output json
like "$out" '"exact": true' "JSON says that an estimate is exact"
run isostress explore -i cc --sample 100 --seed 1 nine.program
like "$status $out" '^2 ' "a sample decides nothing"
run isostress explore -i rc-statement --sample 100 --seed 1 stock
like "$status $out" '^1 ' "an assertion that fails in a sample has status 1"
like "$out" '2 of the 3 transactions are enough' "the history of the sample is told"
run isostress explore --sample 100 --repair stock
like "$status $err" '^254 isostress: --sample: --repair and --allocate need all histories' "no repair by a sample"
