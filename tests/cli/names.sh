#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every name of an anomaly is taken wherever an anomaly has a name.
. "${TOP_SRCDIR:?}/tests/tap.sh"

cd "$work" || exit 1
export ISOSTRESS_FILES=$TOP_SRCDIR
names=("LostUpdate" "lost-update" "lost update" "p4" "P4" "lostupdate")

plan 16
for name in "${names[@]}"; do
  isostress run --aim="$name" --bug="$name:0.5" -i si -t 200 -k 2 --threads=1 --seed=1 \
    --output=json memory: 2>/dev/null >run.json
  echo "$(grep -c '"anomaly": "LostUpdate"' run.json) of $name"
done >found
is "$(grep -c '^0' found)" 0 "--aim and --bug take every name"
is "$(wc -l <found)" "${#names[@]}" "of each run"
for name in "${names[@]}"; do
  run isostress steps "$name" memory:
  like "$status:$out" '^0:script .*/p4\.steps: P4, lost update' "steps $name"
done
shown() { grep -q '"anomaly": "LostUpdate"' && echo yes; }
for name in "${names[@]}"; do
  printf '[j]\ntarget = memory:\nisolation = si\naim = %s\nbug = %s:0.5\n' "$name" "$name" >j.ini
  printf 'transactions = 200\nkeys = 2\nthreads = 1\nseed = 1\n' >>j.ini
  printf '[s]\nbug = %s:0.5,write-skew\n' "$name" >s.ini
  {
    isostress run j.ini --output=json | shown
    isostress run "memory:?bug=$name:0.5" -i si -t 200 -k 2 --threads=1 --seed=1 --output=json | shown
    isostress scorecard memory: -i si -t 200 --seed=1 --bug="$name:0.5" --output=json |
      grep -q LostUpdate && echo yes
    isostress sweep s.ini memory: --dry-run 2>&1 | grep -q '2 combinations' && echo yes
  } 2>/dev/null | xargs
done >found
is "$(sort -u found):$(wc -l <found)" "yes yes yes yes:${#names[@]}" "so do job files, targets, scorecards and sweeps"
run isostress steps "WriteSkew" memory:
like "$out" '^script .*/g2-item.steps' "steps WriteSkew"
run isostress steps "dirty-write" memory:
like "$out" '^script .*/g0.steps' "steps dirty-write"
run isostress repro lost-update
is "$status" 254 "an anomaly is no recipe"
like "$err" 'lost-update" is an anomaly that these recipes expect: .*postgresql-rc-lost-update.*; name one' "but some expect it"
sed 's/^expect = .*/expect = p4/' "$TOP_SRCDIR/configs/repro/galera-10.7.3-lost-update-in-memory.ini" >mine.ini
mkdir -p files/configs/repro && cp mine.ini files/configs/repro/
ISOSTRESS_FILES=$work/files run isostress repro mine
is "$status:$(tail -n 1 <<<"$out")" "0:as expected" "a recipe may expect p4"
is "$(isostress list aims | sed -n 's/^\([A-Za-z]*\) *mt:.*/\1/p' | grep -c .)" 14 "list aims has the aims of mt"
run isostress run --aim=g0 memory:
like "$err" 'the workload mt can aim at; .isostress list aims. lists them' "what is no aim is told where aims are"
