#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Anomalies of real servers, brought about step by step: each is called by its
# name, told word for word as in tests/stories/live/, but for times, and drawn.
# After a deliberate change of the words, write them again with STORIES=write and
# read the difference.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs postgresql mariadb redis
for driver in postgresql mysql redis; do
  case $(isostress list drivers) in
    *"$driver":*) ;;
    *)
      echo "1..0 # SKIP built without the driver $driver"
      exit 0
      ;;
  esac
done
export ISOSTRESS_FILES=$TOP_SRCDIR
stories=$TOP_SRCDIR/tests/stories/live
cd "$work" || exit 1

# Server, level, script, anomaly.
cases='
postgresql|read committed|non-repeatable-reads|NonRepeatableReads
postgresql|read committed|g-single|FracturedRead
postgresql|read committed|causality-violation|CausalityViolation
postgresql|read committed|long-fork|LongFork
postgresql|read committed|p4|LostUpdate
postgresql|repeatable read|g2-item|WriteSkew
mariadb|read uncommitted|g1a|AbortedRead
mariadb|read uncommitted|g1b|IntermediateRead
mariadb|read committed|non-repeatable-reads|NonRepeatableReads
mariadb|read committed|g-single|FracturedRead
mariadb|read committed|causality-violation|CausalityViolation
mariadb|read committed|long-fork|LongFork
mariadb|repeatable read|p4|LostUpdate
mariadb|repeatable read|g2-item|WriteSkew
redis|multi|p4|LostUpdate
redis|multi|g2-item|WriteSkew
sqlite|read uncommitted|g1a|AbortedRead
sqlite|read uncommitted|g1b|IntermediateRead'
plan $(($(grep -c '|' <<<"$cases") * 3))

# Performs the script, and tells what was wrong with it.
tell() { # tell TARGET LEVEL SCRIPT
  rm -rf performed.jsonl told
  isostress steps "$3" "$1" -i "$2" --save-history=performed.jsonl >/dev/null 2>&1
  isostress check -l ser --explain=told performed.jsonl 2>/dev/null |
    sed -e 's/ ([0-9.]* s)\.$//' -e 's/^    [0-9.]* s: /    /' -e '/^report: /d'
}

declare -A target=([sqlite]=sqlite:$work/stories.db)
for kind in postgresql mariadb redis; do
  live_start "$kind"
  target[$kind]=${server_uri[0]}
done
while IFS='|' read -r kind level script anomaly; do
  [ -n "$kind" ] || continue
  name=$kind-${level// /-}-$script
  # A machine that is busy with something else can make a step look blocked that
  # is only slow: it counts if the story is told once in a few attempts.
  for _ in {1..10}; do
    got=$(tell "${target[$kind]}" "$level" "$script")
    [ "${STORIES:-}" != write ] || printf '%s\n' "$got" >"$stories/$name.txt"
    [ "$got" != "$(cat "$stories/$name.txt")" ] || break
  done
  is "$got" "$(cat "$stories/$name.txt")" "the story of $script on $kind at $level"
  like "$got" "^VIOLATION: serializability was broken by $anomaly( |\.)" "is called $anomaly"
  if command -v dot >/dev/null; then
    is "$(python3 "$TOP_SRCDIR/tests/lacking.py" told 2>&1)" "" "and both pictures show it"
  else
    skip "and both pictures show it" "no Graphviz"
  fi
done <<<"$cases"
