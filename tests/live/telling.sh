# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Anomalies of real servers that step scripts bring about: each is called by its
# name, told word for word as in tests/stories/live/, but for times, and drawn.
# After a deliberate change of the words, write them again with STORIES=write and
# read the difference.  To be sourced by tests.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
export ISOSTRESS_FILES=$TOP_SRCDIR ISOSTRESS_SERVERS
stories=$TOP_SRCDIR/tests/stories/live
cd "$work" || exit 1

# Two commits that wait for the same thing are answered in any order: then they
# are told in that of their sessions.
sort_commits() { # sort_commits SCRIPT
  if [ "$1" != galera-write-skew ]; then
    cat
    return
  fi
  awk '/^    T[0-9]+ committed\.$/ { fflush(); print | "sort"; next } { close("sort"); print }'
}

# Performs a script and tells what was wrong with it.
tell() { # tell TARGET LEVEL SCRIPT CHECK OPTION...
  local target=$1 level=$2 script=$3 check=$4
  shift 4
  rm -rf performed.jsonl told
  isostress steps "$script" "$target" -i "$level" --save-history=performed.jsonl "$@" \
    >performed.txt 2>&1
  # shellcheck disable=SC2086  # options
  isostress check -l $check --explain=told performed.jsonl 2>&1 |
    sed -E -e 's/ \([0-9.]* s\)\.$//' -e 's/^    [0-9.]* s: /    /' -e '/^report: /d' |
    sort_commits "$script"
}

# Three checks.  A machine that is busy with something else can make a step look
# blocked that is only slow: it counts if the story is told once in a few attempts.
tells() { # tells NAME ANOMALY TARGET LEVEL SCRIPT CHECK OPTION...
  local name=$1 anomaly=$2 attempt got file=$stories/$1.txt
  shift 2
  for attempt in {1..10}; do
    got=$(tell "$@")
    [ "${STORIES:-}" != write ] || [[ $got != VIOLATION* ]] || printf '%s\n' "$got" >"$file"
    [ "$got" != "$(cat "$file")" ] || break
    diff <(echo "$got") "$file" | sed "s/^/# $name, attempt $attempt: /"
  done
  is "$got" "$(cat "$file")" "the story of $name"
  like "$got" "^VIOLATION: .* was broken by $anomaly( |\.)" "is called $anomaly"
  is "$(python3 "$TOP_SRCDIR/tests/lacking.py" told 2>&1)" "" "the picture shows the story"
}
