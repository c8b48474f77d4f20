#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Histories that come through pipes are taken as those in files are.
. "${TOP_SRCDIR:?}/tests/tap.sh"

cd "$work" || exit 1
tab=$'\t'
mkdir tmp
export TMPDIR=$work/tmp
isostress run -c 4 -t 200 -k 20 --threads=1 --seed=1 -i si memory: >/dev/null 2>&1
mv results/runs/latest/history good
printf '[x:=1]\n---\n[x==1 x:=2]\n---\n[x==1 x:=3]\n' >lost.hist
: >empty
with() { "${@:2}" <"$1"; } # with FILE COMMAND...: it is stdin
closed() { "$@" <&-; }
# shellcheck disable=SC2002 # stdin is to be a pipe
piped() { cat "$1" | "${@:2}"; }

plan 22
untimed() { sed 's/([0-9.]* s)/(... s)/' <<<"$out"; }
run isostress check good
whole=$(untimed)
run piped good isostress check -
is "$status $(untimed)" "0 ${whole//good/-}" "a history through a pipe gives a report"
run piped lost.hist isostress check -l si -
is "$status" 1 "a violation through a pipe has status 1"
like "$out" '^VIOLATION: snapshot isolation was broken by LostUpdate' "a history through a pipe may be of any format"
run with lost.hist isostress check -l si -
is "$status" 1 "stdin may be a file"
run piped lost.hist isostress check -l si,cc /dev/stdin good
is "$status $out" "1 /dev/stdin${tab}cc${tab}pass${tab}
/dev/stdin${tab}si${tab}violation${tab}LostUpdate
good${tab}cc${tab}pass${tab}
good${tab}si${tab}pass${tab}" "beside others it is called as the user does"
run isostress check -l cc <(cat lost.hist) <(cat good)
is "$status $(cut -f 2- <<<"$out")" "0 cc${tab}pass${tab}
cc${tab}pass${tab}" "several pipes are checked"
run isostress stat good
whole=$out
run piped good isostress stat -
is "$status $out" "0 $whole" "stat describes it"
isostress convert good whole.edn
run piped good isostress convert - piped.edn
is "$status $(cmp whole.edn piped.edn)" "0 " "convert writes it"
piped whole.edn isostress convert --to=jsonl - - >piped.jsonl
isostress convert whole.edn whole.jsonl
is "$(cmp whole.jsonl piped.jsonl)" "" "convert writes the same into a pipe"
run piped lost.hist isostress convert --init=first-read --to=text - -
is "$status $out" "0 $(isostress convert --init=first-read --to=text lost.hist -)" "convert reads a pipe whole where it has to"

run isostress check empty
is "$status $err" "255 isostress: empty is empty, not a history" "an empty file"
for word in - /dev/stdin; do
  run piped empty isostress check $word
  is "$status $err" "255 isostress: $word is empty, not a history" "an empty pipe is no history ($word)"
done
printf '[x:=1]\n[x==' >cut.hist
for command in "check -" "stat -" "convert --to=edn - -"; do
  # shellcheck disable=SC2086
  run piped cut.hist isostress $command
  like "$status $err" '^255 isostress: -:2:5: ' "a mistake is placed (${command%% *})"
done
head -c 5000 good >short
run piped short isostress check -
like "$err$out" '(^|[^/])-: is cut off' "what is cut off is called so"
run with <(yes) isostress check -
is "$status $err" "255 isostress: - is no history that isostress can read; it looks like text of a kind unknown here" \
  "a pipe without a history is refused before its end"
(
  ulimit -f 8
  run piped whole.edn isostress check -
  echo "$status $err" >full
)
is "$(<full)" "255 isostress: -: the temporary file for it cannot be written: File too large" "a disk that is full"
run closed isostress check -
like "$status $err" '^255 isostress: -: ' "no stdin"
mkfifo pipe
isostress check pipe 2>err &
exec 3>pipe
cat good >&3
kill $!
wait $!
is "$?" 2 "an interruption ends it, undecided"
exec 3>&-
is "$(ls tmp)" "" "an interrupted check leaves no temporary file"
