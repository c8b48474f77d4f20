#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Several ranks make one run on an SQLite file: one history, one verdict.  Where
# the system lets a test have clocks of its own, each rank has another.
. "${TOP_SRCDIR:?}/tests/tap.sh"
case $(isostress list drivers) in
  *sqlite:*) ;;
  *)
    echo "1..0 # SKIP built without the driver sqlite: apt-get install libsqlite3-dev"
    exit 0
    ;;
esac
cd "$work" || exit 1
plan 35

# Nobody else listens there, and the kernel gives it to no client.
free_port() {
  local port
  while port=$((10000 + SRANDOM % 20000)); (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
  echo "$port"
}

other_clock=()
unshare -T --monotonic 5 true 2>/dev/null && other_clock=(unshare -T --fork --kill-child --monotonic)

# ranks N OPTION...: N ranks in the background, in $pids, with $clock or not;
# their outputs are out.R and err.R.
ranks() {
  local n=$1 r clock=()
  shift
  port=$(free_port)
  pids=()
  for ((r = 0; r < n; r++)); do
    [ -z "${clocks-}" ] || [ "${#other_clock[@]}" = 0 ] || clock=("${other_clock[@]}" $((r * 3600)))
    "${clock[@]}" isostress run --rank="$r/$n" --meet="127.0.0.1:$port" "$@" >"out.$r" 2>"err.$r" </dev/null &
    pids[r]=$!
  done
}

# awaited: waits for the ranks; sets $statuses.
awaited() {
  local pid
  statuses=
  for pid in "${pids[@]}"; do
    wait "$pid"
    statuses+="$? "
  done
  set=results/runs/latest/history.set
}

# ---- One history, one verdict

clocks=yes
ranks 3 -c 2 -t 150 --seed 7 sqlite:db
awaited
is "$statuses" "0 0 0 " "three ranks: $(head -n 1 err.0 err.1 err.2)"
like "$(cat out.0)" '^PASS: SQLite kept its promise' "rank 0 tells the verdict"
like "$(tr -s ' \n' ' ' <err.0)" ' 6 sessions, ' "it speaks of all sessions"
is "$(cat out.1 err.1 out.2 err.2)" "" "the others are silent"
is "$(cd results/runs/latest && echo history*)" "history.0 history.1 history.2 history.set" "each has recorded a part"
run isostress check -l ser results/runs/latest
is "$status" 0 "check reads the directory"
like "$out" ' in 6 sessions; ' "it is one history"
all=$(sed -n 2p <<<"$out")
run isostress check -l sser "$set"
like "$status $out" '^0 PASS: strict serializability' "by their clocks, too"
isostress convert "$set" one.iso
run isostress check -l ser one.iso
is "$(sed -n 2p <<<"$out")" "$all" "convert makes one file of it"
run isostress check -l sser one.iso
is "$status" 0 "with times that are as sound"
is "$(isostress stat one.iso | sed -n 's/^transactions *\([0-9]*\):.*/\1/p')" \
  "$(isostress stat "$set" | sed -n 's/^transactions *\([0-9]*\):.*/\1/p')" "no transaction is missing"
is "$(sed -n 's/^ *"clients": \([0-9]*\),.*/\1/p' results/runs/latest/report.json | head -n 1)" 6 "the report counts the clients of all"
like "$(cat results/runs/latest/report.txt)" '^ *rank 2 .*sessions 4 to 5' "and has a line for each rank"

# ---- Parts that are not there

cp -rL results/runs/latest parts
mv parts/history.1 away
run isostress check -l ser away
like "$status $err" '^255 isostress: away: is what one of several ranks recorded' "a part alone is refused"
run isostress check -l ser parts
like "$out" 'the part history.1, of rank 1 on .* is not there; [0-9]+ transactions of 6 sessions are usable' "a part that is missing is told"
is "$status" 0 "the others are checked"
head -c $(($(stat -c %s away) * 2 / 3)) away >parts/history.1
run isostress check -l ser parts
like "$(echo "$status" $out)" '^0 .*the part history.1, of rank 1 on .* was not closed, so that its end is missing' "one that was cut off is told"
cp parts/history.0 parts/history.1
run isostress check -l ser parts
like "$(echo "$status" $out)" '^0 .*history.1, of rank 1 on .* is of another run and left out' "one that is another's is left out"
echo nonsense >>parts/history.set
run isostress check -l ser parts/history.set
like "$status $err" '^25[0-9] .*history.set:7: this line of the list makes no sense' "a list with a mistake is refused"
rm parts/history.? parts/history.set
cp "$set" parts
run isostress check -l ser parts/history.set
like "$status $err" '^25[0-9] .*none of its parts is there' "a list without parts is refused"

# ---- A rank that is gone, one that stops

clocks=
before=$(readlink results/runs/latest)
ranks 3 -c 2 -T 60s --seed 7 sqlite:db
until [ "$(readlink results/runs/latest)" != "$before" ] &&
  [ "$(stat -c %s results/runs/latest/history.2 2>/dev/null || echo 0)" -gt 5000 ]; do
  sleep .1
  kill -0 "${pids[0]}" || break
done
kill -KILL "${pids[2]}"
sleep .3
kill -INT "${pids[1]}"
awaited
like "$(cat err.0)" 'rank 2 is gone: its connection was closed; what it recorded is there but for its last second' "a rank that is killed is told"
like "$(cat out.0 err.0)" 'history.2, of rank 2 .* was not closed' "its part was cut off"
is "${statuses#* }" "0 137 " "Ctrl-C at one rank stops all"
run isostress check -l ser results/runs/latest
is "$status" 0 "what is there is checked again"

# ---- Ranks that do not fit together

run isostress run --rank=0/2 --meet=127.0.0.1:"$(free_port)" --meet-timeout=100ms sqlite:db
like "$status $err" '^255 .*rank 1 of 2 did not come to rank 0 within 0 s' "a rank that never comes"
run isostress run --rank=1/2 --meet=127.0.0.1:"$(free_port)" --meet-timeout=100ms sqlite:db
like "$status $err" '^255 .*rank 0 does not answer at 127.0.0.1:' "a rank 0 that never comes"
run isostress run --rank=2/2 --meet=localhost:1 sqlite:db
like "$status $err" '^254 .*--rank=2/2: give R/N' "a rank beyond all"
run isostress run --rank=0/2 sqlite:db
like "$status $err" '^254 .*--meet=HOST:PORT says where' "no place to meet"
ranks 2 -t 5 --seed 1 memory:
awaited
like "$statuses$(cat err.0)" '^25[0-9] 25[0-9] .*the memory driver cannot tell that another process' "a database of one process"
ranks 2 -t 5 sqlite:none/db
awaited
like "$statuses$(cat err.0)" '^25[0-9] 25[0-9] .*none/db cannot be opened' "a database that is not there is told once"
is "$(cat err.1)" "" "by rank 0"
port=$(free_port)
isostress run --rank=0/2 --meet="127.0.0.1:$port" -t 5 -k 10 sqlite:db >out.0 2>err.0 &
run isostress run --rank=1/2 --meet="127.0.0.1:$port" -t 5 -k 11 sqlite:db
wait
like "$(cat err.0)" 'rank 1: it has "keys = 11", and rank 0 has "keys = 10": give all ranks the same settings' "other settings"
port=$(free_port)
isostress run --rank=0/2 --meet="127.0.0.1:$port" -t 5 sqlite:db >out.0 2>err.0 &
run isostress run --rank=1/3 --meet="127.0.0.1:$port" -t 5 sqlite:db
wait
like "$err" 'rank 1 is one of 3, and rank 0 is one of 2' "another number of ranks"

# ---- Histories of several hosts from elsewhere

stale=$TOP_SRCDIR/tests/histories/sser/n-stale-read.txt
is "$(isostress check -l sser --clock-skew=9ns "$stale" | head -n 1)" "VIOLATION: strict serializability was broken by StaleRead (realtime)." "a read is stale by more than clocks differ"
run isostress check -l sser --clock-skew=10ns "$stale"
like "$status $out" '^0 PASS: strict' "by as much it is not"
