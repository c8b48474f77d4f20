#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every file that a command is told to write appears as a whole or not at all,
# beside whatever may already have its name.
. "${TOP_SRCDIR:?}/tests/tap.sh"

cd "$work" || exit 1
isostress run --threads=1 --seed=1 -t 1k -c 4 -k 20 -i si --bug=LostUpdate --check=none -o runs memory: \
  >/dev/null 2>&1
isostress report runs/latest >/dev/null
cp runs/latest/history lost

# Writes to a path with each option that names one.
writers='witness report steps commands explore text native pages'
# shellcheck disable=SC2317  # called by its name
write() { # write WRITER PATH
  case $1 in
  witness) isostress check -l si --witness="$2" lost ;;
  report) isostress report runs/latest --compare "$2" ;;
  steps) isostress replay lost memory: -l si --repeat=1 --save-steps="$2" ;;
  commands) isostress replay lost sqlite:x.db -l si --repeat=1 --save-commands="$2" ;;
  explore) isostress explore -i rc-statement stock --save-steps="$2" ;;
  text) isostress convert lost "$2" --to=jsonl ;;
  native) isostress convert lost "$2" --to=isostress ;;
  pages) isostress convert lost "$2" --to=cobra ;;
  esac
}
true &
dead=$!
wait "$dead"

plan 45
for writer in $writers; do
  mkdir "$writer" && cd "$writer" || exit 1
  ln -s ../lost ../runs ../x.db .
  : >"out.tmp-$dead"
  : >"out.tmp-$$"
  mkdir "out.tmp-99999999" && : >out.tmp-99999999/0
  run write "$writer" out
  like "$status" '^[01]$' "$writer: a file that is not there yet"
  is "$(echo out*)" "out out.tmp-$$" "$writer: what killed processes left goes, what others write stays"
  rm -r out*
  [ "$writer" = pages ] || : >behind
  [ "$writer" != pages ] || mkdir behind
  ln -s behind link
  run write "$writer" link
  is "$(readlink link) $(find behind -size +0 | head -n 1 | cut -d / -f 1)" "behind behind" \
    "$writer: a symbolic link stays"
  mkdir -p full/of
  run write "$writer" full
  is "$status $(echo full*)" "255 full" "$writer: a directory stays"
  run write "$writer" absent/out
  like "$status $(tail -n 1 <<<"$err")" '^255 isostress: .*absent/out: .*No such file' \
    "$writer: a directory that is not there"
  cd ..
done
for writer in witness report steps commands explore; do
  mkfifo pipe
  timeout 60 cat pipe >piped &
  write "$writer" pipe >/dev/null 2>&1
  wait $!
  is "$(stat -c %F pipe) $(($(wc -c <piped) > 0))" "fifo 1" "$writer: a pipe stays and is written to"
  rm pipe
done
