#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs as transactions, on PostgreSQL: a race of the example is found and named by
# its statements, and kept away by a level; programs that end well, or badly.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs postgresql
live_needs_driver postgresql libpq-dev
plan 17

live_start postgresql
uri=${server_uri[0]}
example=$TOP_SRCDIR/examples/programs
own() { # own PROGRAM OPTIONS...: a run of it on the example's tables
  run isostress run "$uri" -w "$1" --schema "$example/schema.sql" -c 4 -T 0 -t 60 -P 0 --op-delay=1ms -o "$work/runs" "${@:2}"
  flat=$(tr -s ' \n' ' ' <<<"$out")
}
sum=(--invariant "SELECT sum(balance) FROM account" --equals 400)

# ---- The example

for ((i = 0; i < 5; i++)); do
  own "$example/transfer.py" -i "read committed" "${sum[@]}"
  [ "$status" = 0 ] || break
done
is "$status" 1 "the race of the example is found at READ COMMITTED"
like "$flat" 'transfer.py:"UPDATE account SET balance = \? WHERE id = \?": lost update' "and named by its statement"
like "$flat" 'judged 3 of 3 statements in full' "which are known without their numbers"
own "$example/transfer.py" -i "repeatable read" "${sum[@]}" --check=auto
is "$status" 0 "at REPEATABLE READ the program tries again what was refused"
unlike "$flat" 'lost update, none' "and the race is gone"
printf 'SELECT sum(balance) FROM account;\n' >"$work/look.sql"
own "$example/transfer.py@3,$work/look.sql" -i serializable "${sum[@]}" --check=sser
is "$status" 0 "programs and scripts are mixed"

# ---- Programs that end

program() { # program BODY: a shell script as a program
  printf '#!/bin/sh\nask() { printf "%%s\\n" "$1"; read -r answer; }\n%s\n' "$1" >"$work/app.sh"
  chmod +x "$work/app.sh"
}
program "for i in 1 2 3; do
  ask '{\"sql\": \"BEGIN;\"}'
  ask '{\"sql\": \"UPDATE account SET balance = balance + 1 WHERE id = 1\"}'
  case \$answer in *'\"count\": 1'*|*'\"count\":1'*) ask '{\"commit\": 1}' ;; *) ask '{\"rollback\": 1}' ;; esac
  ask '{\"sql\": \"SELECT balance, NULL AS nothing FROM account WHERE id = 2\"}'
  case \$answer in *'[\"100\", null]'*|*'[\"100\",null]'*) ;; *) exit 4 ;; esac
done"
own "$work/app.sh" -i "read committed"
is "$status" 0 "a program that has done its work ends its session"
like "$flat" ' 24 committed' "with its transactions, of several statements and of one"

fails() { # fails BODY SENTENCE NAME
  program "$1"
  own "$work/app.sh" -i "read committed"
  like "$status $(tr -s ' \n' ' ' <<<"$err")" "^255 .*the program [^ ]*/app.sh of session [0-3] $2" "$3"
  verdicts+=$(grep -cE '^(PASS|VIOLATION)' <<<"$out")
}
verdicts=
fails "ask '{\"begin\": 1}'; exit 3" 'ended with status 3' "a program that fails"
fails "ask '{\"begin\": 1}'; exit 0" 'ended in the middle of a transaction' "one that leaves a transaction open"
fails "ask '{\"begin\": 1}'; kill -9 \$\$" 'was ended by signal 9' "one that is killed"
fails "echo starting up; sleep 1000" 'wrote a line that is no request: "starting up"' "one that prints something else"
fails "ask '{\"select\": 1}'" 'wrote an object without "sql", "begin", "commit" or "rollback"' "one that asks for something else"
is "$verdicts" 00000 "have no verdict"
program "ask '{\"sql\": \"TRUNCATE account\"}'; echo \"\$answer\" >>$work/answers; ask '{\"begin\": 1}'; ask '{\"begin\": 1}'
  echo \"\$answer\" >>$work/answers; ask '{\"sql\": \"SELEC\"}'; echo \"\$answer\" >>$work/answers; ask '{\"rollback\": 1}'"
own "$work/app.sh" -i "read committed" -c 1
like "$(sed -n 1p "$work/answers")" '"refused".*TRUNCATE changes rows that no trigger sees' "what a run refuses is told to the program"
like "$(sed -n 2p "$work/answers")" 'a transaction is open already' "and a second BEGIN"
like "$(sed -n 3p "$work/answers")" '"42601"' "and what the database refuses"
