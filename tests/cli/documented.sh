#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The manual page and the completion know every command and option that the
# program knows, and the lists are complete.
. "${TOP_SRCDIR:?}/tests/tap.sh"

page=$TOP_SRCDIR/isostress.1
commands=$(isostress help | sed -n 's/^  isostress \([a-z]*\) .*/\1/p')

# options COMMAND: the long options that its help shows.
options() { isostress help "$1" | sed -n 's/^  \(-.,\|   \) --\([a-z-]*\).*/\2/p'; }
letters() { isostress help "$1" | sed -n 's/^  -\(.\), --.*/\1/p'; }

missing() { # missing TEMPLATE WORD...: the words for which the page lacks it
  local template=$1 word
  shift
  for word; do
    grep -qE -- "${template//WORD/$word}" "$page" || echo "$word"
  done
}

plan 77
is "$(echo "$commands" | xargs)" "run check verify report results stat convert steps explore replay sweep repro scorecard clean server list help" "help lists the commands"
# shellcheck disable=SC2046,SC2086  # lists of words
{
  is "$(missing '^\.Cm WORD$' $commands)" "" "the page names every command"
  for command in run check verify report results stat convert steps explore replay sweep repro scorecard clean; do
    is "$(missing 'Fl -WORD( |$)' $(options $command))" "" \
      "the page names every option of $command"
    is "$(missing '^\.It Fl WORD ' $(letters $command))" "" \
      "the page names every letter of $command"
  done
  is "$(missing 'Pa WORD' $(basename -a "$TOP_SRCDIR"/configs/*.ini))" "" \
    "the page names every job file"
}
if command -v mandoc >/dev/null; then
  run mandoc -T lint -W warning "$page"
  is "$status:$out" "0:" "mandoc finds nothing to complain about"
else
  skip "mandoc finds nothing to complain about" "no mandoc"
fi

# shellcheck source=completion/isostress.bash
. "$TOP_SRCDIR/completion/isostress.bash"
complete_words() { # complete_words WORD...: what the last one can become
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
  _isostress
  printf '%s\n' "${COMPREPLY[@]}"
}
is "$(complete_words isostress '' | grep -v '^--')" "$commands" "completion of commands"
is "$(complete_words isostress run -)" "$(options run | sed 's/^/--/'; echo --help)" \
  "completion of options"
is "$(complete_words isostress run --workload = mt)" mt "completion of a value after ="
is "$(complete_words isostress check -l s | xargs)" "si ser sser" "completion of a level"

export ISOSTRESS_FILES=$TOP_SRCDIR
is "$(complete_words isostress repro galera-st)" galera-stale-read "completion of recipes"
is "$(complete_words isostress steps g-single | xargs)" "$(cd "$TOP_SRCDIR/configs/steps" && basename -s .steps g-single*.steps | xargs)" \
  "completion of step scripts"
is "$(complete_words isostress sweep memory-s | xargs)" "memory-ser memory-si memory-sser" "completion of sweeps"
is "$(complete_words isostress explore st)" stock "completion of programs"
is "$(complete_words isostress run q)" quick "completion of job files"
is "$(complete_words isostress run sql)" sqlite: "completion of databases"
is "$(complete_words isostress run sqlite : '/tmp/t.db?instrument' = | xargs)" "full reads" "completion of values of a target's option"
is "$(complete_words isostress server start mariadb)" mariadb "completion of kinds of servers"
is "$(complete_words isostress server stop a | xargs)" all "completion of servers that run"
is "$(complete_words isostress check --model = long)" long-fork "completion of a value that the help has"
is "$(complete_words isostress run --backoff = | xargs)" "none fixed: exponential:" "completion of values that go on"
is "$(complete_words isostress explore --tables ro)" rows "completion of a value of explore"
is "$(complete_words isostress run --seed = 1)" "" "a number has no completion"
is "$(isostress list recipes | grep -c "^[^ ]")" "$(find "$TOP_SRCDIR/configs/repro" -name '*.ini' | wc -l)" "list recipes has all"
for list in drivers workloads levels anomalies aims formats bugs models jobs sweeps programs recipes \
  scripts; do
  is "$(isostress list "$list" | awk 'length > 80')" "" "the list of $list has 80 columns"
done
is "$(isostress list anomalies drivers | grep -cE '^(LostUpdate|mysql) ')" 2 "and each entry begins with its name"
like "$(isostress list programs)" '^stock  *Oversold stock: ' "with their titles"

for topic in scripts ci levels; do
  run isostress help "$topic"
  like "$status:$out" "^0:isostress help $topic: " "help $topic"
  is "$(awk 'length > 80' <<<"$out")" "" "in 80 columns"
done
is "$(comm -23 <(isostress run -h | grep -E '^  (-.,|   ) --' | sort) <(isostress help run | grep -E '^  (-.,|   ) --' | sort))" "" \
  "-h has some of the options of help run"
is "$(($(isostress run -h | wc -l) < $(isostress help run | wc -l) / 2))" 1 "and by far not all"
like "$(isostress run -h)" '.isostress help run. has all options' "and says where they are"
# The statements that the topic scripts allows do run.
isostress help scripts | sed -n 's/^  \(CREATE TABLE[^;]*;\).*/\1/p; s/^  \(INSERT INTO t VALUES[^;]*;\).*/\1/p' >"$work/s.sql"
cat >"$work/a.pgbench" <<'SCRIPT'
BEGIN; -- a comment
SELECT n AS c FROM t WHERE id = 0 FOR UPDATE \gset
SELECT COUNT(*), SUM(n), MIN(n), MAX(n) FROM t WHERE n > 1;
\set v :client_id + 5
\if :c > 50
UPDATE t SET n = :v WHERE id = 1;
\else
DELETE FROM t WHERE id = 7;
\endif
INSERT INTO t (id, n) VALUES (:client_id + 10, 5) ON CONFLICT DO NOTHING;
COMMIT;
SCRIPT
cd "$work" || exit 1
run isostress run --schema s.sql -w a.pgbench -t 5 memory:
is "$status" 0 "run takes the SQL that help scripts allows"
run isostress explore --schema s.sql a.pgbench@2 -i ser
is "$status" 0 "so does explore"

run isostress --version
like "$status:$out" '^0:isostress [0-9]' "--version"
