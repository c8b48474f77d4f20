#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Step scripts with what rows of numbers cannot express, on SQLite.
. "$(dirname "${BASH_SOURCE[0]}")/../tap.sh"
case $(isostress list drivers) in
  *sqlite:*) ;;
  *)
    echo "1..0 # SKIP built without the driver sqlite"
    exit 0
    ;;
esac
plan 7

cat >"$work/key.steps" <<'END'
# an update moves a row to another key
table t (name, b): (1, 'one', 1) (2, 'two', NULL)
A: begin
A: select t where b is null            => "2,two,NULL"
A: update t set id = 3 where b is null => "3,two,NULL"
A: commit
B: begin
B: select t                            => "1,one,1 3,two,NULL"
B: sql "SELECT x.id, y.name FROM t x JOIN t y ON y.id = x.b" => "1,one"
B: commit
END
run isostress steps "$work/key.steps" "sqlite:$work/a.db" --save-history="$work/a.jsonl"
is "$status" 0 "SQLite changes a key, and has NULL and texts"
like "$out" 'history +keeps sser' "which is judged"
like "$out" '  A: update t set id = 3 where b is null +"3,two,NULL"' "and shown as the script has it"
run isostress check -l ser "$work/a.jsonl"
is "$status" 0 "the history is saved"
run isostress steps "$work/key.steps" "sqlite:$work/a.db" -i "read uncommitted"
is "$status" 254 "a level at which versions are not known is refused"
like "$err" 'key.steps:3: a script in SQL cannot be judged at read uncommitted of the sqlite driver' "with a sentence"
sed 's/^B: begin/B: begin read only/' "$work/key.steps" >"$work/only.steps"
run isostress steps "$work/only.steps" "sqlite:$work/a.db"
like "$err" 'only.steps:7: the sqlite driver has no transaction that is "read only"' "a mode that SQLite has not is refused"
