#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The examples of each command's help: each is understood, and those that need
# no server do what they say.
. "${TOP_SRCDIR:?}/tests/tap.sh"
. "$TOP_SRCDIR/tests/killed.sh"

plan 46
cd "$work" || exit 1
export ISOSTRESS_FILES=$TOP_SRCDIR
# A run whose counterexample can be replayed, and its history.
violate() {
  isostress run -t 100 -k 2 -P 0 --seed=1 --threads=1 --bug=LostUpdate:0.5 memory: >/dev/null 2>&1
  isostress convert --to=jsonl results/runs/latest history.jsonl 2>/dev/null
}
violate
isostress check -l ser --witness=proof history.jsonl >/dev/null
cp "$TOP_SRCDIR/configs/programs/stock.program" my.program
hits=$TOP_SRCDIR/configs/transactions/hits
for kept in shop s; do cp "$hits/schema.sql" "$kept.sql"; done
for kept in place restock a; do cp "$hits/hits.sql" "$kept.sql"; done
printf '[small]\nclients = 1,2\n' >small.ini
for kept in before after; do
  isostress sweep small.ini memory: -T 50ms --repetitions=2 >/dev/null 2>&1
  mv results/sweeps/small-* results/sweeps/$kept
done

# try EXAMPLE: its status; of one that takes long, or needs a server, whether it
# is understood.
try() {
  local more=
  case $1 in
  'server stop all') isostress server stop none-such 2>&1 | grep -c 'no server' | sed 's/1/0/'; return ;;
  'server start '*) isostress server 2>&1 | grep -cE "^kinds: .*\b$(cut -d' ' -f3 <<<"$1")\b" | sed 's/1/0/'; return ;;
  'failover '*) isostress server 2>&1 | grep -cE "^kinds: .*\b$(grep -oE ' [a-z]+-[a-z]+' <<<"$1" | tail -1 | xargs)\b" | sed 's/1/0/'; return ;;
  'repro --budget'*) isostress repro list | grep -c "^${1##* }$" | sed 's/1/0/'; return ;;
  'run '*) more='-T 100ms -P 0' ;;
  scorecard*sqlite*) more='-T 50ms -i serializable' ;;
  scorecard*) more='-T 50ms' ;;
  'replay '*) violate ;;
  'rank '*)
    run_to_kill sqlite:try.db results/runs
    kill -9 "$process"
    wait "$process" 2>/dev/null
    ;;
  'scaffold '*) rm -rf my_driver ;;
  driver-test*my_driver.py*)
    rm -rf my_driver
    isostress scaffold python >/dev/null && cp my_driver/my_driver.py .
    ;;
  'sweep quick'*) more=--dry-run ;;
  esac
  # Others on this machine may try the same example.
  eval "isostress ${1//\/tmp\//$work\/} $more" >out 2>err
  echo $?
}

for command in $(isostress help | sed -n 's/^  isostress \([a-z-]*\) .*/\1/p'); do
  isostress help "$command" | sed -n '/^Examples/,$s/^  isostress //p' >"$work/list"
  is "$(wc -l <"$work/list")" 3 "help $command has three examples"
  bad=
  while read -r example; do
    got=$(try "$example")
    case $example:$got in
    *my_driver.so*:255) grep -q 'my_driver.so: cannot be loaded' err || bad+=$example$(cat err) ;;
    rank*@localhost*:254) grep -q 'no other kind of database' err || bad+=$example$(cat err) ;;
    *@localhost*:255 | *//localhost*:255) grep -qi 'connect' err || bad+=$example$(cat err) ;;
    *:[012]) ;;
    *) bad+=$example:$got:$(cat err) ;;
    esac
  done <"$work/list"
  is "$bad" "" "the examples of $command work"
done
