#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress generate: the same options and seed make the same file, each level is
# kept, each anomaly asked for is found by check, every format that can be written
# is read back, and whatever goes wrong leaves no half a file.
. "${TOP_SRCDIR:?}/tests/tap.sh"
cd "$work" || exit 1
mapfile -t bugs < <(isostress list bugs | awk '{ print $1 }')
plan $((${#bugs[@]} + 69))

# ---- What is asked for

run isostress generate -c 3 -t 200 --seed 7 one
like "$status $err" '^0 isostress: one: [0-9]+ committed and [0-9]+ aborted transactions, [0-9]+ operations of committed ones; seed 7$' \
  "a history without a database"
is "$out" "" "nothing on stdout"
isostress generate -c 3 -t 200 --seed 7 two 2>/dev/null
run cmp one two
is "$status" 0 "the same seed makes the same file"
isostress generate -c 3 -t 200 --seed 8 two 2>/dev/null
run cmp -s one two
is "$status" 1 "another seed makes another one"
run isostress stat one
like "$out" '^sessions +3, of 200 to 200 transactions' "so many sessions of so many transactions"
isostress generate -t 100 -w general --ops 20 --read-ratio 0.25 -k 50 --distribution uniform --seed 1 dbcop.json 2>/dev/null
like "$(isostress stat dbcop.json)" 'operations +[0-9]+: [0-9]+ read, [0-9]+ write' "as dbcop's generator: transactions of so many events"
isostress generate -w mt --distribution hotspot:0.8:0.2 -k 50 -t 100 --seed 1 mini.plume --to plume 2>/dev/null
like "$(isostress stat mini.plume)" ', 4 at most' "as MTC's generator: mini-transactions"

for level in rc ra cc pc si ser sser; do
  for workload in mt general append; do
    [ "$workload" = general ] || [ "$level" != cc ] || continue # dear
    isostress generate -i "$level" -w "$workload" -c 4 -t 100 -k 20 --seed 3 kept 2>/dev/null
    run isostress check -l "$level" kept
    is "$status" 0 "$level is kept by $workload"
  done
done
for mix in mix=rc:1,ser:1 level-of=ro:rc,*:si; do
  isostress generate "--$mix" -c 4 -t 100 -k 20 --seed 3 kept 2>/dev/null
  run isostress check -l recorded kept
  is "$status" 0 "each transaction keeps its own level: $mix"
done
isostress generate -w predicate -c 4 -t 50 --seed 3 kept 2>/dev/null
run isostress check -l ser kept
is "$status" 0 "ser is kept by statements with rows"

for bug in "${bugs[@]}"; do
  found="1 .*  Found: (.*, )?$bug "
  how=(-w mt -k 20)
  if isostress list bugs | grep -q "^$bug .*of tables of rows$"; then
    found='1 VIOLATION: ' how=(-w predicate -k 48) bug+=:0.5
  fi
  isostress generate "${how[@]}" --bug "$bug" -c 4 -t 1k --distribution uniform --seed 2 broken 2>/dev/null
  run isostress check -l ser broken
  like "$status $(tr '\n' ' ' <<<"$out")" "^$found" "check finds $bug"
  rm -f broken
done

# ---- Formats

list_of_formats=$(isostress list formats | awk '/^[^ ]/ { print $1 }')
for format in $list_of_formats; do
  how=(-w general -c 3)
  case $format in
    knossos | porcupine) how=(-w cas -c 3 -k 1) ;;
    porcupine-kv) how=(-w general -c 3 --ops 1) ;;
  esac
  run isostress generate "${how[@]}" -t 40 --seed 5 --to "$format" "in.$format"
  if [ "$status" = 254 ]; then
    is "$err" "isostress: histories can be read in format $format, but not written" "$format: refused before anything is made"
    continue
  fi
  run isostress check -l ser "in.$format"
  is "$status" 0 "$format: is read back, and keeps the level"
done
run bash -c 'isostress generate -t 20 --seed 5 --to jsonl - | isostress check -l ser -'
like "$status $out" '^0 PASS' "to a pipe"
isostress generate -w predicate -t 20 --seed 5 rows.jsonl 2>/dev/null
run isostress check -l ser rows.jsonl
is "$status" 0 "statements with rows in a format that has them"

# ---- What goes wrong

refused() { # refused STATUS SENTENCE NAME OPTION...
  local wanted="$1 isostress: $2" name=$3
  shift 3
  run isostress generate "$@"
  is "$status $err" "$wanted" "$name"
}
mkdir empty && cd empty || exit 1
refused 254 "say where to write the history, such as \`isostress generate history.edn\`" "no word"
refused 254 "transactions needs a number above 0" "no transaction" -t 0 out
refused 254 "histories can be read in format timekiller, but not written" "a format that is only read" --to timekiller out
refused 254 "out.edn: format edn cannot represent SQL statements and rows: write text, jsonl or isostress" \
  "rows in a format that has none" -w predicate out.edn
refused 254 "format cobra needs the name of a directory" "a directory on stdout" --to cobra -
refused 254 "format isostress needs the name of a file" "our own format on stdout" -
refused 255 "cannot write nowhere/out: No such file or directory" "no such directory" nowhere/out
run isostress generate --to no-such-format out
like "$status $err" '^254 isostress: no history format is named .no-such-format.' "no such format"
run isostress generate --isolation snapshott out
like "$status $err" '^254 isostress: ' "no such level"
run isostress generate --ops 3 out
like "$status $err" '^254 isostress: ops is for the workloads general, append' "an option that the workload does not use"
run isostress generate --record off out
like "$status $err" '^254 ' "an option of run alone"
export TMPDIR=$work/scratch # for what is converted
mkdir "$TMPDIR"
left() { ls -A . "$TMPDIR"; }
nothing=$(left)
for name in out out.jsonl; do
  run bash -c "trap '' XFSZ; ulimit -f 50; isostress generate -t 100k $name"
  like "$status $err" '^255 isostress: [^ ]+: cannot be written: File too large$' "a full disk: $name"
  is "$(left)" "$nothing" "leaves nothing: $name"
  isostress generate -t 1M "$name" 2>"$work/interrupted" &
  generating=$!
  while [ "$(left)" = "$nothing" ]; do sleep 0.1; done
  kill -INT $generating
  wait $generating
  is "$? $(tail -n 1 "$work/interrupted")" "2 isostress: interrupted: no history was written" "interrupted: $name"
  is "$(left)" "$nothing" "leaves nothing: $name"
done
