#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# examples/elle-cli: the options, the lines and the exit status of elle-cli.
. "${TOP_SRCDIR:?}/tests/tap.sh"

elle=$TOP_SRCDIR/examples/elle-cli
cd "$work" || exit 1
plan 85

# Two transactions skip each other's write: a write skew.
cat >skew.edn <<'END'
{:index 0, :type :invoke, :process 0, :f :txn, :value [[:r :x nil] [:append :y 1]]}
{:index 1, :type :invoke, :process 1, :f :txn, :value [[:r :y nil] [:append :x 1]]}
{:index 2, :type :ok, :process 0, :f :txn, :value [[:r :x nil] [:append :y 1]]}
{:index 3, :type :ok, :process 1, :f :txn, :value [[:r :y nil] [:append :x 1]]}
{:index 4, :type :invoke, :process 2, :f :txn, :value [[:r :x nil] [:r :y nil]]}
{:index 5, :type :ok, :process 2, :f :txn, :value [[:r :x [1]] [:r :y [1]]]}
END
# A session misses its own append; nobody else's order is hurt.
cat >session.edn <<'END'
[{:index 0, :type :invoke, :process 0, :f :txn, :value [[:append :x 1]]}
 {:index 1, :type :ok, :process 0, :f :txn, :value [[:append :x 1]]}
 {:index 2, :type :invoke, :process 0, :f :txn, :value [[:r :x nil]]}
 {:index 3, :type :ok, :process 0, :f :txn, :value [[:r :x nil]]}
 {:index 4, :type :invoke, :process 1, :f :txn, :value [[:r :x nil]]}
 {:index 5, :type :ok, :process 1, :f :txn, :value [[:r :x [1]]]}]
END
# Another session than the writer's misses the append after it had returned.
sed 's/:process 0, :f :txn, :value \[\[:r/:process 2, :f :txn, :value [[:r/' session.edn >stale.edn
# The last transaction sees the second append of y, and the first one of x alone.
cat >monotonic.edn <<'END'
{:index 0, :type :invoke, :process 0, :f :txn, :value [[:append :x 1] [:append :y 1]]}
{:index 1, :type :ok, :process 0, :f :txn, :value [[:append :x 1] [:append :y 1]]}
{:index 2, :type :invoke, :process 1, :f :txn, :value [[:append :x 2] [:append :y 2]]}
{:index 3, :type :invoke, :process 2, :f :txn, :value [[:r :y nil] [:r :x nil]]}
{:index 4, :type :ok, :process 1, :f :txn, :value [[:append :x 2] [:append :y 2]]}
{:index 5, :type :ok, :process 2, :f :txn, :value [[:r :y [1 2]] [:r :x [1]]]}
{:index 6, :type :invoke, :process 2, :f :txn, :value [[:r :x nil]]}
{:index 7, :type :ok, :process 2, :f :txn, :value [[:r :x [1 2]]]}
END
cat >dirty.edn <<'END'
{:index 0, :type :invoke, :process 0, :f :txn, :value [[:append :x 1]]}
{:index 1, :type :fail, :process 0, :f :txn, :value [[:append :x 1]]}
{:index 2, :type :invoke, :process 1, :f :txn, :value [[:r :x nil]]}
{:index 3, :type :ok, :process 1, :f :txn, :value [[:r :x [1]]]}
END
# Registers: an update that is lost, and a value that nobody wrote.
cat >lost.edn <<'END'
{:index 0, :type :invoke, :process 0, :f :txn, :value [[:w :x 1]]}
{:index 1, :type :ok, :process 0, :f :txn, :value [[:w :x 1]]}
{:index 2, :type :invoke, :process 1, :f :txn, :value [[:r :x nil] [:w :x 2]]}
{:index 3, :type :invoke, :process 2, :f :txn, :value [[:r :x nil] [:w :x 3]]}
{:index 4, :type :ok, :process 1, :f :txn, :value [[:r :x 1] [:w :x 2]]}
{:index 5, :type :ok, :process 2, :f :txn, :value [[:r :x 1] [:w :x 3]]}
END
cat >lost.json <<'END'
[{"index":0,"type":"ok","f":"txn","process":0,"value":[["w","x",1]]},
 {"index":1,"type":"ok","f":"txn","process":1,"value":[["r","x",1],["w","x",2]]},
 {"index":2,"type":"ok","f":"txn","process":2,"value":[["r","x",1],["w","x",3]]}]
END
cat >air.edn <<'END'
{:index 0, :type :invoke, :process 0, :f :txn, :value [[:r :x nil]]}
{:index 1, :type :ok, :process 0, :f :txn, :value [[:r :x 7]]}
END
# The outcome of the first transaction is not known; a read shows that it committed.
cat >fine.edn <<'END'
{:index 0, :type :invoke, :process 0, :f :txn, :value [[:append :x 1]]}
{:index 1, :type :info, :process 0, :f :txn, :value [[:append :x 1]]}
{:index 2, :type :invoke, :process 1, :f :txn, :value [[:r :x nil] [:append :x 2]]}
{:index 3, :type :ok, :process 1, :f :txn, :value [[:r :x [1]] [:append :x 2]]}
END

# answers MODEL OPTIONS FILE TRUE|FALSE|UNKNOWN: two checks, the line and the status.
answers() {
  # shellcheck disable=SC2086  # options are words
  run "$elle" --model "$1" $2 "$3"
  is "$out" "$3 "$'\t'" $4" "$1 $2 $3 is $4"
  is "$status" "$([ "$4" = false ] && echo 1 || echo 0)" "and the status says so"
}
while IFS='|' read -r model options file answer; do
  answers "$model" "$options" "$file" "$answer"
done <<'END'
list-append||fine.edn|true
list-append||skew.edn|false
list-append|-c serializable|skew.edn|false
list-append|-c repeatable-read|skew.edn|false
list-append|--consistency-models=snapshot-isolation|skew.edn|true
list-append|-cstrong-snapshot-isolation|skew.edn|true
list-append|-c snapshot-isolation,serializable|skew.edn|false
list-append|-c strong-session-serializable|session.edn|false
list-append|-c strong-session-snapshot-isolation|session.edn|false
list-append|-c serializable|session.edn|true
list-append|-c snapshot-isolation|session.edn|true
list-append|-c strict-serializable|stale.edn|false
list-append|-c strong-snapshot-isolation|stale.edn|false
list-append|-c strong-session-serializable|stale.edn|true
list-append|-c read-atomic|monotonic.edn|false
list-append|-c read-committed|monotonic.edn|unknown
list-append|-c read-committed,read-atomic|monotonic.edn|false
list-append|-c read-committed|dirty.edn|false
list-append|-c read-committed|skew.edn|true
rw-register|-f edn|lost.edn|false
rw-register|-f json --consistency-models conflict-serializable|lost.json|false
rw-register|-c read-atomic|lost.edn|true
rw-register||air.edn|false
list-append|-a G0 -s 1000 -p svg -t 5000 -b 65536 -g 3 --max-transfer 5|fine.edn|true
END
run "$elle" -m list-append -c read-committed monotonic.edn
like "$err" "read committed was broken by NonMonotonicRead, which Elle's allows" "a sentence says why the answer is not known"

# ---- Other models

cat >cas.edn <<'END'
{:process 0, :type :invoke, :f :write, :value 1}
{:process 0, :type :ok, :f :write, :value 1}
{:process 1, :type :invoke, :f :cas, :value [1 2]}
{:process 1, :type :ok, :f :cas, :value [1 2]}
{:process 0, :type :invoke, :f :write, :value 1}
{:process 0, :type :ok, :f :write, :value 1}
{:process 1, :type :invoke, :f :read, :value nil}
{:process 1, :type :ok, :f :read, :value 1}
END
sed '$s/:value 1/:value 2/' cas.edn >stale-cas.edn
cat >bank.edn <<'END'
{:type :invoke, :f :read, :process 0, :time 1, :index 0}
{:type :ok, :f :read, :process 0, :time 2, :index 1, :value {0 10, 1 10}}
{:type :invoke, :f :transfer, :process 1, :time 3, :index 2, :value {:from 0, :to 1, :amount 12}}
{:type :ok, :f :transfer, :process 1, :time 4, :index 3, :value {:from 0, :to 1, :amount 12}}
{:type :invoke, :f :read, :process 0, :time 5, :index 4}
{:type :ok, :f :read, :process 0, :time 6, :index 5, :value {0 -2, 1 22}}
END
cat >mutex.edn <<'END'
{:process 0, :type :invoke, :f :acquire, :value nil}
{:process 0, :type :ok, :f :acquire, :value nil}
{:process 1, :type :invoke, :f :acquire, :value nil}
{:process 1, :type :ok, :f :acquire, :value nil}
END
head -2 mutex.edn >lock.edn
while IFS='|' read -r model options file answer; do
  answers "$model" "$options" "$file" "$answer"
done <<'END'
cas-register||cas.edn|true
cas-register|-c read-committed|stale-cas.edn|false
bank||bank.edn|false
bank|-n|bank.edn|true
bank|-no20|bank.edn|true
bank|--allow-negative-balances --total-amount=30|bank.edn|false
mutex||mutex.edn|false
mutex|-d nowhere|lock.edn|true
END

# ---- Several files, what is written, and trouble

run "$elle" -m list-append fine.edn skew.edn -d pages
is "$status:$out" $'1:fine.edn \t true\nskew.edn \t false' "several files: a line each, and one is invalid"
is "$(ls pages/1/report.html pages/2/report.html pages/2/*.svg | wc -l)" 3 "each has its page"
run "$elle" -m list-append --directory 'one page' -- skew.edn
is "$status:$(ls 'one page'/report.html)" "1:one page/report.html" "a single one has the directory itself"
run "$elle" -vm list-append skew.edn
is "$status:$(python3 -c 'import json, sys; print(json.load(sys.stdin)["verdict"]["verdict"])' <<<"$out")" \
  1:violation "--verbose prints JSON"
run "$elle" --help -m nothing
is "$status:$(head -1 <<<"$out")" "0:Usage: elle-cli -m MODEL [OPTION]... FILE..." "--help"

wrong() { # wrong SENTENCE ARGUMENT...
  local sentence=$1
  shift
  run "$elle" "$@"
  is "$status:$out:$err" "255::elle-cli: $sentence" "$*"
}
wrong "there is no option '-x'; see --help" -x
wrong "there is no option '--models'; see --help" --models list-append
wrong "--model needs a value" -m
wrong "--verbose takes no value" --verbose=yes
wrong "no model is given: name it with --model" skew.edn
wrong "no history is given" -m list-append
wrong "the model 'list' is not known; see --help" -m list skew.edn
wrong "the consistency model 'cursor-stability' is not known; see --help" -m list-append -c cursor-stability skew.edn
wrong "--anomalies does not take 'G1a'; see --help" -m list-append -a G1a skew.edn
wrong "--format does not take 'xml'; see --help" -m list-append -f xml skew.edn
wrong "--total-amount does not take 'all'; see --help" -m bank -o all bank.edn
wrong "File not found: nosuch.edn" -m list-append nosuch.edn
wrong "pages: is a directory; name its files" -m list-append pages
run "$elle" -m rw-register skew.edn
is "$status:$out:$err" "255::isostress: skew.edn:1:69: expected r or w, with --model=register" \
  "a history of another model: isostress tells why"
run env PATH=nowhere "$elle" -m list-append skew.edn
is "$status" 255 "without isostress"
