#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The manual pages and the completion know every command and option that the
# program knows, and the lists are complete.
. "${TOP_SRCDIR:?}/tests/tap.sh"

pages=$TOP_SRCDIR/man
commands=$(isostress help | sed -n 's/^  isostress \([a-z-]*\) .*/\1/p')

# options COMMAND: the long options that its help shows.
options() { isostress help "$1" | sed -n 's/^  \(-.,\|   \) --\([a-z-]*\).*/\2/p'; }
letters() { isostress help "$1" | sed -n 's/^  -\(.\), --.*/\1/p'; }

missing() { # missing PAGE TEMPLATE WORD...: the words for which a page lacks it
  local page=$pages/$1 template=$2 word
  shift 2
  for word; do
    grep -qE -- "${template//WORD/$word}" "$page" || echo "$word"
  done
}

plan 123
is "$(echo "$commands" | xargs)" "run check verify report results stat convert generate steps explore rank replay sweep repro failover scorecard advise scaffold driver-test clean server list help" "help lists the commands"
# shellcheck disable=SC2046,SC2086  # lists of words
{
  is "$(missing isostress.1 '^\.Xr isostress-WORD 1 :$' $commands)" "" "isostress(1) names every command"
  for command in $commands; do
    is "$(missing isostress-$command.1 'Fl -WORD( |$)' $(options $command))" "" \
      "isostress-$command(1) has every option"
    is "$(missing isostress-$command.1 '^\.It Fl WORD ' $(letters $command))" "" \
      "and every letter"
    like "$(isostress help $command)" "isostress-$command\\(1\\) says more" "and help $command names the page"
  done
  is "$(cat "$pages/isostress-run.1" "$pages/isostress-sweep.1" |
    grep -oE '[a-z-]+\.ini' | sort -u | comm -13 - <(basename -a "$TOP_SRCDIR"/configs/*.ini | sort))" "" \
    "the pages of run and sweep name every job file"
}
# The lists of options are those that scripts/manual.sh makes, and every page is installed.
cp -r "$pages" "$work/man"
run bash "$TOP_SRCDIR/scripts/manual.sh" isostress "$work/man"
is "$status:$err" "0:" "manual.sh writes the lists of options"
is "$(diff -r "$pages" "$work/man")" "" "and they are those of the pages"
is "$(sed -n 's/^\.\\" option \([a-z-]*\).*/\1/p' "$pages/options.mdoc" | sort -u)" \
  "$(for command in $commands; do options "$command"; done | sort -u)" "every option has a paragraph"
is "$(grep -oE 'man/isostress[a-z-]*\.1' "$TOP_SRCDIR/Makefile.am" | sort)" \
  "$(cd "$TOP_SRCDIR" && ls man/*.1)" "every page is installed"
is "$(grep -nE '^\.Nm( [A-Z]|$)' "$pages"/isostress-*.1 "$pages/options.mdoc")" "" \
  "a page of a command does not take its own name for the program's"
if command -v mandoc >/dev/null; then
  run mandoc -T lint -W warning "$pages"/*.1
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
is "$(complete_words isostress run sqlite : '/tmp/t.db?instrument' = | xargs)" "full after reads" "completion of values of a target's option"
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
