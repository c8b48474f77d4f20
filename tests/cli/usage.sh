#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Wrong usage: one sentence on stderr that says what to do, nothing on stdout,
# status 254.
. "${TOP_SRCDIR:?}/tests/tap.sh"

cd "$work" || exit 1
db=sqlite:$work/x.db

# wrong NAME REGEX WORD...: the words after isostress are wrong, as said.
wrong() {
  local name=$1 regex=$2 lines
  shift 2
  run isostress "$@"
  lines=$(wc -l <"$work/.err")
  is "$status $lines ${#out}" "254 1 0" "$name: status 254, one line, no result"
  like "$err" "^isostress: $regex" "$name: the sentence"
}

plan 193
wrong "no command" "say what to do"
wrong "unknown command" 'there is no command "rum", did you mean isostress run\?' rum
wrong "a command like none" 'there is no command "zzzzzzz"; .isostress help' zzzzzzz
wrong "unknown command for help" 'there is no command "rnu", did you mean' help rnu
wrong "unknown list" 'there is no list of "drivrs", did you mean drivers\?' list drivrs
wrong "a list like none" 'there is no list of "zzzzzzzzz", only of drivers' list zzzzzzzzz
wrong "unknown option" 'isostress run has no option "--sed", did you mean --seed\?' run --sed=1 "$db"
wrong "an option like none" 'isostress run has no option "--zzzzzzzzzzzzzz"; ' run --zzzzzzzzzzzzzz "$db"
wrong "unknown letter" 'isostress run has no option "-Z"' run -Z "$db"
wrong "option of another command" 'isostress check has no option "--clients"' check --clients=2 x
wrong "option without a value" '--clients needs a value: --clients=N' run "$db" --clients
wrong "letter without a value" '--time needs a value: --time=TIME' run "$db" -T
wrong "no number" '--clients: "many" is not a number such as' run -c many "$db"
wrong "hexadecimal" '--keys: "0x10" is not a number' run -k 0x10 "$db"
wrong "half a client" '--clients: must be a whole number, not 1.5' run -c 1.5 "$db"
wrong "no clients" '--clients: must be between 1 and 4194304, not 0' run -c 0 "$db"
wrong "less than none" '--keys: must be between 1 and 4000000000, not -5' run -k -5 "$db"
wrong "too many operations" '--ops: must be between 1 and 1024, not 1025' run --ops=1025 "$db"
wrong "no time" '--time: "soon" is not a time such as' run -T soon "$db"
wrong "unknown unit" '--time: "5x" is not a time' run -T 5x "$db"
wrong "share above one" '--read-ratio: must be between 0 and 1, not 110%' run --read-ratio 110% "$db"
wrong "more twins than transactions" '--twins: must be between 0 and 1, not 2' run --twins 2 "$db"
wrong "no share" '--warmup: "some" is not a share such as' run --warmup some "$db"
wrong "no seed" '--seed: must be a whole number between 0 and 18446744073709551615' run --seed 1e9 "$db"
wrong "seed too large" '--seed: must be a whole number between' run --seed 18446744073709551616 "$db"
wrong "no switch" '--record: must be on or off, not "maybe"' run --record=maybe "$db"
wrong "no output" '--output: must be text or json, not "xml"' run --output=xml "$db"
wrong "the page of a check" 'isostress check has no option "--page", did you mean --explain\?' check --page=x h.txt
wrong "the page of steps" 'isostress steps has no option "--explain", did you mean --page\?' steps --explain=x p4 "$db"
wrong "unknown workload" '--workload: unknown workload "genral", did you mean "general"' run -w genral "$db"
wrong "unknown distribution" '--distribution: unknown distribution "zipfan", did you mean' run --distribution zipfan "$db"
wrong "theta out of range" '--distribution: theta must be between 0.01 and 10, not 11' run --distribution zipfian:11 "$db"
wrong "a parameter too much" '--distribution: does not allow ":1" at its end' run --distribution uniform:1 "$db"
wrong "unknown level to check" '--check: there is no level "sre", did you mean "ser"' run --check=sre "$db"
wrong "a level like none" '--level: there is no level "zzzzzzzzzzzz", only rc' check -l zzzzzzzzzzzz x
wrong "empty value" '--clients: needs a value' run --clients= "$db"
wrong "control character" '--out: cannot hold a control character' run --out=$'a\nb' "$db"
wrong "no target" 'no target: name the database' run
wrong "two targets" 'more than one target' run "$db" "$db"
wrong "two job files" 'more than one job file' run a.ini b.ini
wrong "two sweeps" 'a.ini and b.ini: name one of them' sweep a.ini "$db" b.ini
wrong "two recipes" 'a and b: name one of them' repro a b
wrong "two counterexamples" 'a and b: name one of them' replay a "$db" b
wrong "a recipe on two targets" 'more than one target: memory: and memory:' repro a memory: memory:
wrong "a job file that is not there" '"quick.in" is neither a target' run quick.in "$db"
wrong "a target without its scheme" '.*did you mean sqlite:x.db' run x.db
wrong "unknown scheme" 'there is no driver "sqlit"; did you mean sqlite:\?' run sqlit:x.db
wrong "unknown option of a driver" 'sqlite has no option "bussy"; did you mean "busy"' run "$db?bussy=1s"
wrong "a wrong value of a driver's option" 'busy=abc is not a time up to 1 h' run "$db?busy=abc"
wrong "a value that is none of the option's" 'begin=deffered is not possible; did you mean begin=deferred' run "$db?begin=deffered"
wrong "a number out of its range" "unknown .*0 .*1" run "memory:?unknown=2"
wrong "a bug in the target" "memory: cannot show a bug 'Lon'" run "memory:?bug=Lon"
wrong "a place in memory:" 'memory: is inside this program' run memory:/tmp
wrong "unknown isolation level" 'sqlite has no isolation level "weird"; it has' run -i weird "$db"
wrong "unknown shape" 'shares: the workload mt has no shape "rmw3", did you mean rmw1' run --shares=rmw3:1 "$db"
wrong "a shape without its share" 'shares: ro needs a share, such as ro:0.5' run --shares=ro "$db"
wrong "no share above zero" 'shares: at least one must be above zero' run --shares=ro:0 "$db"
wrong "a share below zero" 'shares: .* must be between 0 and 1' run --shares=ro:-1,rmw1:2 "$db"
wrong "unknown bug" '--bug: .*LostUpdte.*LostUpdate' run --bug=LostUpdte memory:
wrong "a bug of another driver" 'sqlite has no option "bug"' run --bug=LostUpdate "$db"
wrong "a warm-up of nothing" 'warmup is a share of the run' run --warmup=10% -T 0 "$db"
wrong "a rate and pauses" 'rate and think-time' run -R 10 --think-time=1s "$db"
wrong "a check of what is not recorded" 'check=ser needs a recorded history' run --check=ser --record=off "$db"
# idle OPTION WORKLOADS WORD...: an option that the workload does not use.
idle() {
  local option=$1 workloads=$2
  shift 2
  wrong "--$option of a workload without it" "$option is for .*$workloads.*, and the workload is [a-z]*: leave $option out" \
    run "$@" -t 1 memory:
}
idle ops "workloads general, append" --ops 20
idle read-ratio "workloads general, append" --read-ratio .5
idle scale "workloads tpcc, tpcc-pc, twitter, bank" --scale 2
idle max-length "append" --max-length 5
idle long-share "the workload general" --long-share .1
idle statements "the workload predicate" --statements 3
idle predicates "predicate" --predicates eq:1,range:0,mod:0
idle reuse-keys "predicate" --reuse-keys
idle items-only "workloads with tables" --items-only
idle reads "workloads with tables" --reads plain
idle keys "mt, general" -k 5 -w tpcc
idle distribution "mt, general" --distribution uniform -w bank
printf '[a]\ntransactions=5\nops=4\n' >a.ini
wrong "an idle option of a job file" 'ops is for the workloads general, append' run a.ini memory:
printf '[a]\nops=4,6\ntransactions=5\n' >a.ini
run isostress sweep a.ini memory:
is "$status:$(grep -c 'impossible: ops=.: ops is for the workloads' <<<"$err")" 254:2 "a sweep of an idle option is refused"
printf '[global]\nops=4\ntransactions=5\n[a]\nworkload=mt\n[b]\nworkload=general\n' >a.ini
run isostress run a.ini memory:
is "$status" 0 "[global] holds for the workloads that use it"
run isostress run results/runs/latest/job.ini
is "$status" 0 "a recorded job file names all options, and is run"
run isostress run --ops 8 -t 1 memory:
is "$status" 0 "an option at its default says nothing"
wrong "another tool's word for an option" 'isostress run has no option "--duration", did you mean --time\?' run --duration 3 memory:
run isostress run --record off --check none -t 5 memory:
is "$status:$(head -n 1 <<<"$out" | cut -c 1-11)" "0:NOT CHECKED" "a flag takes its value as the next word"
run isostress run -w predicate --reuse-keys on -t 5 memory:
is "$status:$(sed -n 's/^reuse-keys = //p' results/runs/latest/job.ini)" 0:on "a flag may be told on"
run isostress run --level=si -t 50 memory:
is "$status:$(sed -n 's/^check = //p' results/runs/latest/job.ini)" 0:si "run takes --level for --check"
run isostress check --check=ra results/runs/latest
like "$status:$out" '^0:PASS: read atomic' "check takes --check for --level, and reports on one run"
run isostress check results/runs/latest
like "$out" '^PASS: snapshot isolation was kept' "without a level a run is checked as it was"
like "$err" 'checked for snapshot isolation, as the run was' "and check says so"
isostress run --output json -t 50 memory: 2>.pipe | head -n 1 >/dev/null
is "$(grep -c 'cannot write' .pipe)" 0 "a reader that has seen enough is no trouble"
wrong "an empty word" '"" is neither a target' run ""
wrong "nothing to describe" 'say which history to describe' stat
wrong "nothing to check" 'say which history to check' check

# ---- The defaults that the help names are those that commands have

# defaults COMMAND: a line NAME=VALUE for each option with a default.
defaults() {
  isostress help "$1" | sed -n '/^Options/,$p' | tr -s ' \n' ' ' | sed 's/ \(--[a-z-]*=\)/\n\1/g' |
    sed -n 's/^--\([a-z-]*\)=.* \[\([^] ]*\)\].*$/\1=\2/p'
}
has() { is "$(defaults "$1" | grep "^$2=")" "$2=$3" "help $1: --$2 is $3"; }
# noted NAME: a setting of the last run.
noted() { sed -n "s/^$1 = *//p" results/runs/latest/job.ini; }
cd "$work" || exit 1
export ISOSTRESS_FILES=$TOP_SRCDIR

# job.ini has the settings of a run, as they were: -t for a run that is short
# takes --time away, and --progress is 10s where stderr is no terminal.
isostress run -t 5 memory: >/dev/null 2>&1
is "$(defaults run | grep -vE '^(time|transactions|progress)=' | while IFS='=' read -r name value; do
  [ "$(noted "$name")" = "$value" ] || echo "$name=$value"
done)" "" "run has the defaults of its help"
is "$(($(defaults run | wc -l) > 25))" 1 "there are such defaults"
is "$(noted progress)" 10s "where stderr is no terminal, a line of progress comes every 10 s"

run isostress repro postgresql-12.3-write-skew-in-memory
is "$status" 0 "a recipe is followed"
has repro seed "$(noted seed)"
has repro out "$(noted out)"
has repro budget 30s

printf '[a]\nclients=2,3\ntransactions=50\nkeys=2\nbug=LostUpdate:0.5\ncheck=claimed\n' >s.ini
run isostress sweep s.ini memory:
has sweep repetitions "$(($(grep -c '^[0-9]' results/sweeps/s-a/runs.csv) / 2))"
has sweep out "$(dirname results/sweeps/s-a)"
has sweep seed "$(sed -n 's/^seed = //p' results/sweeps/s-a/runs/*/job.ini | sort -n | head -1)"
printf '[a]\nclients=2,3\n' >s.ini
run isostress sweep s.ini memory: --dry-run --repetitions 1
like "$out" '2 runs, 0:10 of load' "a sweep's runs last 5 s"
has sweep time 5s

isostress run -t 100 -k 2 --seed=1 --threads=1 --bug=LostUpdate:0.5 memory: >/dev/null 2>&1
run isostress replay results/runs/latest memory:
has replay repeat "$(sed -n 's/.* of \([0-9]*\) performances.*/\1/p' <<<"$out" | head -1)"
run isostress steps --output=json g-single memory:
has steps repeat 1
run isostress explore -i rc-statement oncall memory:
has explore repeat "$(sed -n 's/.* of \([0-9]*\) performances.*/\1/p' <<<"$out" | head -1)"
has scorecard time 3s
has scorecard keys 100

# The content of files, scripts and paths is no command to the terminal.
esc=$(printf '\033[31m')
printf 'table t(b)\n[sel t{b = 1 AND %sX}:]\n' "$esc" >esc.hist
printf 'setting%s = 3\n' "$esc" >esc.ini
printf 'table t%s(b)\n' "$esc" >esc.steps
while IFS= read -r words; do
  eval "run isostress $words"
  [[ $err == *'\x1b[31m'* && $err != *"$esc"* ]] && is yes yes "escaped: $words" || is "$err" escaped "escaped: $words"
done <<'END'
check -l si esc.hist
run esc.ini
steps esc.steps memory:
check -l si "no$esc"
convert results/runs/latest/history "out$esc.plume"
END
