#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress check --stream: a history that is not loaded has the verdict that it
# has in memory.
. "${TOP_SRCDIR:?}/tests/tap.sh"
cd "$work" || exit 1
plan 33

# verdict ARGUMENT...: the first line of a report, and the line of its counts.
verdict() {
  isostress check "$@" 2>&1 | grep -E '^[A-Z]+:|operations count'
}

isostress generate -w mt -i sser -c 6 -k 40 -t 400 --seed 5 kept 2>told
for level in rc ra cc pc si ser sser; do
  is "$(verdict --stream=on -l $level kept)" "$(verdict --stream=off -l $level kept)" "$level is kept"
done
run isostress check --stream=on -l sser --output=json kept
is "$status" 0 "exit status of a history that is kept"
like "$out" '"commit_order": [1-9]' "JSON counts the order"

while read -r bug level; do
  isostress generate -w mt -i ser --bug="$bug" -c 4 -k 20 -t 250 --seed 7 broken 2>told
  run isostress check --stream=on -l "$level" broken
  is "$status" 1 "$bug breaks $level"
  is "$(head -1 <<<"$out")" "$(verdict --stream=off -l "$level" broken | head -1)" "and is called what it is in memory"
done <<'BUGS'
AbortedRead rc
IntermediateRead rc
LostUpdate si
WriteSkew ser
LongFork si
BUGS
# Two chains of versions that meet late, and two writers that read one version.
cat >late.txt <<'END'
[x==3 x==3 x:=1]@60..70
---
[x==?]@10..90 [x==1 x:=2]@110..150
---
[x==? x:=3]@30..70 [x==1 x==1]@100..110
---
[x==2 x:=4]@20..40
---
[x==4]@80..130 [x==1 x==1]@140..160
END
isostress convert late.txt late.iso 2>told
for level in rc cc ser; do
  is "$(verdict --stream=on -l $level late.iso)" "$(verdict --stream=off -l $level late.iso | grep .)" \
    "chains of versions that meet late: $level"
done
cat >two.txt <<'END'
[x==? y==? y:=1]@10..50 [y==1 y==4]@140..150
---
[x==? x:=2]@60..120
---
[x==6 x:=3]@110..160
---
[x==? y==? y:=4]@70..80
---
[x==? x:=5]@30..130
---
[x==5 x:=6]@20..100
---
[x==?]@40..90
END
isostress convert two.txt two.iso 2>told
run isostress check --stream=on -l rc two.iso
like "$status $out" '^2 UNDECIDED: .*
  Why: the order of versions that no read shows is not known' "two writers that read one version"
number=$(isostress check --stream=on -l si --raw-values broken 2>&1 | grep -oE '\b[0-3]:[0-9]+\b' | head -1)
like "$number" '[0-3]:[0-9]' "transactions have their numbers in the file"

isostress generate -w mt -c 4 -k 50 -t 20000 --seed 3 long 2>told
run isostress check --memory=6M -l ser long
is "$status" 0 "a history that does not fit the memory is checked"
like "$out" 'could have shown is not counted of a stream' "and what it could have shown is not counted"
run isostress check --memory=6M --stream=off -l ser long
is "$status" 2 "and not in memory"

run isostress check --stream=on -l ser "$TOP_SRCDIR/tests/histories/si/n-unknown-seen.txt"
like "$status $err" "255 .*own format alone, which isostress convert makes" "other formats"
run isostress check --stream=on --witness=w -l ser kept
like "$status $err" '254 .*leave out --witness' "a witness"
run isostress check --stream=maybe kept
like "$status $err" '254 .*auto' "other words"
head -c 3000 kept >torn
run isostress check --stream=on -l ser torn
like "$status $err" '255 .*only a whole file' "a file that is cut off"
isostress generate -w append -c 2 -t 50 lists 2>told
run isostress check --stream=on -l ser lists
is "$status" 2 "lists are left undecided"
like "$out" 'Why: operations on lists are not checked as a stream' "with the reason"
