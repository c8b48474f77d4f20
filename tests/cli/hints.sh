#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Hints of messages, followed to their end: each message is provoked, the command
# or option that it names is taken from its words and run, and what comes of it
# is what the message promised: no refusal and no false verdict.
#
# Followed elsewhere: `explore --resume` (explore_left.sh), "did you mean"
# (usage.sh), steps by hand and advice about levels and settings, which need a
# live server (tests/live/).  Not followed: "unpack it first", "use a newer isostress", "build it again", and
# larger limits (--timeout, --memory, --jobs=1), of which nobody knows which
# ones are large enough.
. "${TOP_SRCDIR:?}/tests/tap.sh"
cd "$work" || exit 1

option_of() { # the first option with a value that stdin names
  grep -oE -- '--[a-z-]+=[^ ,.;:)]+' | head -n 1
}

# follow PROVOKED-BY WANTED COMMAND...: the command is refused with a hint at an
# option, and with this option its status is the wanted one.
follow() {
  local wanted=$1 name=$2 option
  shift 2
  run isostress "$@"
  option=$(option_of <<<"$err")
  like "$status $option" '^25[45] --' "$name: refused, with a hint at an option"
  run isostress "$@" "$option"
  is "$status" "$wanted" "$name: $option does it"
}

named() { # the commands that stand between ` and ` in stdin
  grep -oE '`isostress [^`]*`' | tr -d '`'
}

# --- How a file is to be read.
cat >bank.edn <<'END'
{:type :ok, :f :read, :process 0, :value {0 10, 1 10}, :time 1, :index 0}
{:type :ok, :f :transfer, :process 1, :value {:from 0, :to 1, :amount 5}, :time 2, :index 1}
{:type :ok, :f :read, :process 0, :value {0 5, 1 15}, :time 3, :index 2}
END
follow 0 "a bank's log" check bank.edn
cat >set.edn <<'END'
{:type :invoke, :f :add, :process 0, :value 1, :time 1}
{:type :ok, :f :add, :process 0, :value 1, :time 2}
{:type :invoke, :f :read, :process 1, :value nil, :time 3}
{:type :ok, :f :read, :process 1, :value #{1}, :time 4}
END
follow 0 "a set's log" check set.edn
cat >vector.edn <<'END'
{:process 0, :type :ok, :f :txn, :value [[:w :x [1 2]]]}
{:process 1, :type :ok, :f :txn, :value [[:r :x [1 2]]]}
END
follow 0 "a vector that is written" check -l ser vector.edn
sed 's/\[1 2\]/#{1 2}/' vector.edn >value.edn
follow 0 "a set that is written as a whole" check -l ser value.edn
cat >whole.edn <<'END'
{:process 0, :type :ok, :f :write, :value {:a 1}}
{:process 1, :type :ok, :f :read, :value {:a 1}}
END
follow 0 "a map that is written as a whole" check -l ser whole.edn
# A set that is read where single elements are written is no register's value.
cat >grows.edn <<'END'
{:process 0, :type :ok, :f :txn, :value [[:w :basket 5]]}
{:process 1, :type :ok, :f :txn, :value [[:r :basket #{5}]]}
END
run isostress check -l cc grows.edn
is "$status" 0 "a set that grows needs no option"
run isostress check -l cc --model=register grows.edn
is "$status $(grep -c 'line 2 reads a list, a set or a map' <<<"$err")" "255 1" \
  "--model=register is no way to a false violation"
like "$err" 'leave the option out$' "and says what to do"
# The sessions of a directory are one history.
mkdir sessions
sed -n 1p grows.edn >sessions/J0.log
sed -n 2p grows.edn >sessions/J1.log
cp sessions/J0.log sessions/J2.log
run isostress check -l cc --model=register sessions
is "$status $(grep -c 'J1.log: line 1 reads a list, a set or a map' <<<"$err")" "255 1" \
  "nor in a directory with a file for each session"
echo '{:process 2, :type :ok, :f :txn, :value [[:w :other #{5}]]}' >sessions/J2.log
run isostress check -l cc --model=register sessions
is "$(grep -c 'line 1 reads' <<<"$err")" 0 "unless one of its files writes a set as a whole"
cat >read.edn <<'END'
{:process 0, :type :ok, :f :write, :value 5}
{:process 1, :type :ok, :f :read, :value #{5}}
END
run isostress check -l cc read.edn
like "$err" '--model=register if one is written as a whole' "a log that reads a set and writes elements"
run isostress check -l cc --model=register read.edn
is "$status" 255 "is no violation with the option either"
printf '[x:=1] [x:=1]\n---\n[x==1]' >twice.hist
follow 0 "a value that is written twice" check -l ser twice.hist
printf '[x|=1]\n---\n[x|=1]\n---\n[x=={1}]' >added.hist
follow 0 "an element that is added twice" check -l ser added.hist
printf 'w(0,0,0,0)\nw(0,1,1,1)\nr(0,0,0,2)\n' >zero.plume
follow 0 "a 0 that is written" check -l rc --init=implicit zero.plume
run isostress check -l rc --init=implicit --duplicate-values=allow zero.plume
is "$status" 0 "the other hint of that message does it, too"
printf '{"session":0,"ops":[["w","x",1]]}\n' >plain.jsonl
cp plain.jsonl history
run isostress check plain.jsonl
like "$err" 'name the level to check with --level$' "no level was recorded"
run isostress check --level=ser plain.jsonl
is "$status" 0 "no level was recorded: --level does it"
run isostress convert plain.jsonl out
like "$err" 'name the format with --to' "no suffix"
isostress list formats >formats.list
for format in jsonl text edn; do
  run isostress convert --to="$format" plain.jsonl out
  is "$status $(grep -c "^ *$format " formats.list)" "0 1" "no suffix: --to does it"
done

# --- Examples of formats are whole files.
awk -v work="$work" '/^[^ ]/ { name = $1 } /^    / { print substr($0, 5) >work "/example." name }' formats.list
for format in text jsonl edn elle-json knossos closed-predicate porcupine porcupine-kv dbcop-json plume awdit \
  veristrong timekiller; do
  run isostress check --format="$format" -l ser "$work/example.$format"
  is "$status:$(grep -c '^PASS: serializability was kept\.$' <<<"$out")" 0:1 "the example of $format can be checked"
done

# --- What keys held at first.
printf '[x==7]\n---\n[x==7 x:=8]\n' >middle.hist
run isostress check -l ser middle.hist
option=$(grep -o 'check it with --init=[^ ]*' <<<"$out" | option_of)
is "$status $option" "1 --init=7" "a value that nobody wrote"
run isostress check -l ser "${option:-none}" middle.hist
is "$status" 0 "a value that nobody wrote: $option does it"
printf '[x==7 y==9]\n---\n[x==7 y:=8]\n' >middle2.hist
run isostress check -l ser middle2.hist
option=$(tr -s '\n ' ' ' <<<"$out" | grep -o 'check it with --init=[^ ]*' | option_of)
is "$status $option" "1 --init=first-read" "values that nobody wrote"
run isostress check -l ser "${option:-none}" middle2.hist
is "$status" 0 "values that nobody wrote: $option does it"
isostress check -l ser --witness=proof --init=7 middle.hist >/dev/null 2>&1
run isostress verify middle.hist proof
like "$err" 'give the same --init to verify$' "a proof of a history that starts in the middle"
run isostress verify --init=7 middle.hist proof
is "$status" 0 "a proof of a history that starts in the middle: --init does it"

# --- Lists and examples that messages name.
run isostress run -T 1s memory:
cat >stock.sql <<'END'
CREATE TABLE stock (sku int PRIMARY KEY, quantity int NOT NULL);
INSERT INTO stock VALUES (1, 10);
END
cat >buy.pgbench <<'SCRIPT'
BEGIN;
SELECT quantity FROM stock WHERE sku = 1 \gset
UPDATE stock SET quantity = :quantity - 1 WHERE sku = 1;
END;
SCRIPT
for command in 'run --aim=none memory:' 'run memory:?bug=none' \
  'run none:' 'repro nothing' 'convert plain.jsonl out' \
  check stat report convert explore none; do
  # shellcheck disable=SC2086  # words
  run isostress $command
  like "$status $err" '^254 .*`isostress [a-z]' "isostress $command is refused, with a command that helps"
  for said in $(named <<<"$err" | tr ' ' '~'); do
    # shellcheck disable=SC2086
    run ${said//\~/ }
    like "$status" '^[0-3]$' "and ${said//\~/ } is understood"
  done
done

# --- What runs and pages say.
few="-c 2 -t 400 -k 100000 --threads=1 --seed=1"
# shellcheck disable=SC2086  # words
run isostress run $few -o warned memory:
warned=$(tr -s '\n ' ' ' <<<"$out$err")
like "$warned" 'There was no chance of .* With --' "a run that could not show everything"
for aim in $(grep -oE -- '--aim=[A-Za-z]+' <<<"$warned" | sort -u); do
  # shellcheck disable=SC2086
  run isostress run $few "$aim" -o "aimed$aim" memory:
  like "$status" '^[01]$' "$aim is understood"
  name=$(sed 's/--aim=//; s/\([a-z]\)\([A-Z]\)/\1.\2/g; s/.*/\L&/' <<<"$aim")
  is "$(isostress check -l ser "aimed$aim/latest/history" | grep -E "^ +$name " | grep -vc 'no chance')" 1 \
    "and with it there is a chance"
done
run isostress run --check=none -t 10 -o unchecked memory:
run isostress check -l ser unchecked/latest
is "$status" 0 "a run that was not checked can be checked"
run isostress run -t 50 -i serializable -o again memory:
sed 's/&quot;/"/g; s/&amp;/\&/g' again/latest/report.html |
  grep -oE 'isostress check --level=ser --witness=proof [^<]*' | head -n 1 >proof.sh
is "$(wc -l <proof.sh)" 1 "a page says how to prove it again"
run bash proof.sh
is "$status" 0 "and so it is proved again"
run isostress run --schema stock.sql -w buy.pgbench@2 -c 2 -t 20 -o scripts sqlite:scripts.db
said=$(grep -o 'isostress explore --schema .*' <<<"$err" | head -n 1)
if [ -n "$said" ]; then
  # shellcheck disable=SC2086
  run $said
  like "$status" '^[01]$' "the scripts of a run are explored as it says"
else
  skip "the scripts of a run are explored as it says" "this run names no such command"
fi
run isostress run -w buy.pgbench memory:
like "$err" 'scripts need --schema=FILE' "scripts without tables"
run isostress run -c 4 -t 300 -k 5 -i serializable --aim=WriteSkew --seed=3 -o broken 'memory:?bug=WriteSkew'
is "$status" 1 "a broken promise"
sed 's/&#39;/'"'"'/g' broken/latest/report.html | grep -oE 'isostress replay [^<]* TARGET' | head -n 1 >replay.sh
is "$(wc -l <replay.sh)" 1 "its page says how to have it again"
sed -i "s/TARGET/'memory:?bug=WriteSkew'/" replay.sh
run bash replay.sh
like "$status $out" '^[01] .' "and so it is performed again"
plan "$tap_count"
