# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# isostress, recording and not, against a database's own load generator with
# the same SQL, sessions and prepared statements on one server, whose files
# are in memory where there is room.  Two things would hide a difference of a
# few per cent.  The speed of machines drifts within seconds; so the three run
# by turns of a fraction of a second: all are started, each on a table of its
# own, and stand still (SIGSTOP) except for the one whose turn it is.  So no
# turn contains a start, and the caches of the server are warm.  And a message
# costs its sender twice as much if the session's thread and the server's side
# of it are on different processors.  Where they are is chance when a program
# starts; within a second of running alone Linux puts nearly all pairs
# together.  So each program does that before its turns, and each round starts
# all three anew, in its order.  What a turn has committed the server says;
# the processor time is the kernel's count for the threads.  Each round has
# all three in one of their six orders, then in the opposite order, so that
# what drifts steadily meets all of them alike, and all that once more.  What
# counts is the center of the rounds' ratios after Hodges and Lehmann, the
# median of the means of all pairs, with its 95 % confidence interval after
# Wilcoxon, of the logarithms.  Instructions of the client, which other load
# on the machine does not change, are those that perf counts in all turns
# together, where it can.  ROUNDS and SECONDS_EACH change the length.  On an
# idle machine, from the top of a checkout that was configured in build/,
#
#   make -C build bench-live WRITE=yes
#
# writes results/live_postgresql.txt and results/live_mysql.txt anew.
#
# To be sourced by a script that starts a server, says in $uri where it is,
# defines run_rival, which becomes the rival on the table `rival` for $longest
# seconds, and ask_server, which reads lines and answers each with the number of
# transactions that were committed so far; and calls report with the name of the
# rival, that of the file and the version of the server.  It may say what the
# load is (load, loaded), what the three programs are, and make the tables of
# rivals in another way (prepare_rivals); run_rival is told the program's name.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
work=$(mktemp -d "${TMPDIR:-/tmp}/isostress-bench.XXXXXX")
# Apart from the servers of users, who may stop theirs at any time.
if [ -z "${ISOSTRESS_SERVERS:-}" ]; then
  ISOSTRESS_SERVERS=${TMPDIR:-/tmp}
  [ "$(stat -f -c %T /dev/shm 2>/dev/null)" != tmpfs ] || ISOSTRESS_SERVERS=/dev/shm
  ISOSTRESS_SERVERS+=/isostress-bench-servers-$(id -u)
fi
. servers/servers.sh
trap 'leave' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
rounds=${ROUNDS:-60} seconds=${SECONDS_EACH:-.125} sessions=8 keys=10000
longest=3600 settling=1.2
# The shape rmw2: two keys are read, then both are written.
load=(--shares rmw2:1 --keys "$keys" --distribution uniform) # options of isostress
loaded="$keys keys" # for the reader
options=            # of the target, behind ?table=
warm=1000           # transactions of a program before its first turn
programs=()         # unless said otherwise: recorded, the rival, unrecorded
isostress=${TOP_BUILDDIR:-.}/isostress
declare -A pids=() # of the programs
counters=()        # perf, one for each

stop_programs() {
  if ((${#counters[@]})); then
    kill -INT "${counters[@]}" 2>/dev/null
    wait "${counters[@]}"
  fi
  kill -KILL "${pids[@]}" 2>/dev/null
  pids=() counters=()
}

leave() {
  stop_programs
  server_stop_started
  rm -rf "$work"
}

# ---- The programs

stress() { # stress TABLE OPTION...
  exec "$isostress" run "${uri:?}?table=$1$options" "${load[@]}" -c "$sessions" \
    --check none -o "$work/runs" "${@:2}"
}

# Before the programs of each round start.
prepare_rivals() { (stress rival -t 1) >/dev/null 2>&1; }

run_program() { # run_program NAME
  case $1 in
    recorded) stress recorded -T "${longest}s" ;;
    unrecorded) stress unrecorded -T "${longest}s" --record=off ;;
    *) run_rival "$1" ;;
  esac
}

commits=0
read_commits() {
  echo >&"${server_says[1]}"
  read -r commits <&"${server_says[0]}"
}

# Starts a program, and stops it when it has settled.
start_program() { # start_program NAME
  local before tries=1200
  read_commits
  before=$commits
  run_program "$1" >"$work/$1.out" 2>"$work/$1.err" </dev/null &
  pids[$1]=$!
  disown # nobody is told when it is killed
  while ((commits < before + warm)); do
    sleep .05
    read_commits
    kill -0 "${pids[$1]}" 2>/dev/null && ((tries-- > 0)) || {
      echo "$1 does not run:" >&2
      tail -n 3 "$work/$1.err" >&2
      exit 1
    }
  done
  sleep "$settling"
  kill -STOP "${pids[$1]}"
}

# perf counts what its process does until it is interrupted.
count_instructions() { # count_instructions NAME
  perf stat -x , -e instructions:u,instructions:k -p "${pids[$1]}" \
    --append -o "$work/$1.perf" 2>/dev/null &
  counters+=($!)
}

can_count_instructions() {
  perf stat -x , -e instructions:u true 2>&1 | grep -q '^[0-9]'
}

# Processor time of its threads, in nanoseconds.
cpu=0
read_cpu() { # read_cpu NAME
  local thread ns
  cpu=0
  for thread in "/proc/${pids[$1]}/task"/*/schedstat; do
    read -r ns _ <"$thread"
    cpu=$((cpu + ns))
  done
}

# Prints transactions, microseconds, and nanoseconds of processor time.
take_turn() { # take_turn NAME
  local commits_before cpu_before begun ended
  read_commits
  commits_before=$commits
  read_cpu "$1"
  cpu_before=$cpu
  begun=${EPOCHREALTIME/./}
  kill -CONT "${pids[$1]}"
  sleep "$seconds"
  kill -STOP "${pids[$1]}"
  ended=${EPOCHREALTIME/./}
  sleep .01 # what was sent is executed
  read_commits
  read_cpu "$1"
  echo "$((commits - commits_before)) $((ended - begun)) $((cpu - cpu_before))"
}

# ---- Figures

# All turns of a round count together; prints ROUND NAME TPS CPU.
figures_of_rounds() {
  awk '{ n[$1 " " $2] += $3; us[$1 " " $2] += $4; cpu[$1 " " $2] += $5 }
    END { for (i in n) printf "%s %.1f %.3f\n", i, n[i] / us[i] * 1e6,
        cpu[i] / n[i] / 1e3 }' "$work/turns" | sort -n
}

# 1.96 is the normal distribution's.
center() { # center COLUMN ONE OTHER
  awk -v column="$1" -v one="$2" -v other="$3" '
    $2 == one { a[$1] = $column }
    $2 == other { b[$1] = $column }
    END {
      for (i in a) if (a[i] > 0 && b[i] > 0) r[++n] = log(a[i] / b[i])
      for (i = 1; i <= n; i++)
        for (j = i; j <= n; j++)
          printf "%.9f %d\n", (r[i] + r[j]) / 2, n
    }' "$work/rounds" | sort -n | awk '
    { mean[NR] = $1; n = $2 }
    END {
      out = int(NR / 2 - 1.96 * sqrt(n * (n + 1) * (2 * n + 1) / 24))
      if (out < 0) out = 0
      middle = (mean[int((NR + 1) / 2)] + mean[int(NR / 2) + 1]) / 2
      printf "%.3f (%.3f to %.3f)", exp(middle), exp(mean[out + 1]),
        exp(mean[NR - out])
    }'
}

median() { # median COLUMN NAME: of the rounds
  awk -v column="$1" -v name="$2" '$2 == name { print $column }' "$work/rounds" |
    sort -n | awk '{ a[NR] = $1 } END { print a[int((NR + 1) / 2)] }'
}

# By transaction over all turns: of the program, of the kernel for it, and both.
instructions_of() { # instructions_of NAME
  awk -F, -v name="$1" '
    FNR == NR { split($0, f, " "); if (f[2] == name) n += f[3]; next }
    /^[0-9]/ && /instructions:u/ { user += $1 / n }
    /^[0-9]/ && /instructions:k/ { kernel += $1 / n }
    END { if (kernel) printf "%.0f %.0f %.0f", user, kernel, user + kernel }
  ' "$work/turns" "$work/$1.perf"
}

# One of the six orders of the three.
order() { # order ROUND
  local i
  for i in 0 1 2; do
    i=$((($1 / 2 + ($1 % 2 ? 2 - i : i)) % 3))
    echo "${names[i]}"
  done
}

# The order there and back, twice.
turns() { # turns NAME...
  local name back=''
  for name; do back="$name $back"; done
  echo "$* $back $* $back"
}

start_programs() { # start_programs NAME...
  local name
  rm -rf "$work/runs"
  prepare_rivals
  for name; do start_program "$name"; done
  if can_count_instructions; then
    for name; do count_instructions "$name"; done
    sleep .5 # perf finds the threads
  fi
}

run_rounds() {
  local round name ordered
  for ((round = 0; round < rounds; round++)); do
    mapfile -t ordered < <(order "$round")
    start_programs "${ordered[@]}"
    for name in $(turns "${ordered[@]}"); do
      echo "$round $name $(take_turn "$name")" >>"$work/turns"
    done
    stop_programs
  done
}

show_programs() {
  local name
  printf '%-11s %9s %14s   %s\n' program tps 'CPU us/txn' \
    'instructions/txn: user, kernel, sum'
  for name in "${names[@]}"; do
    printf '%-11s %9.0f %14.2f   %s\n' "$name" "$(median 3 "$name")" \
      "$(median 4 "$name")" "$(instructions_of "$name")"
  done
}

# Each with the second, and the first with the third.
compare() {
  local names=("${programs[@]}") name what i
  local pairs=("${names[0]} ${names[1]}" "${names[2]} ${names[1]}" "${names[0]} ${names[2]}")
  for name in "${names[@]}"; do : >"$work/$name.perf"; done
  run_rounds
  figures_of_rounds >"$work/rounds"
  show_programs
  echo "centers of $rounds rounds of four times $seconds s each, and their 95 %" \
    "confidence intervals; $sessions sessions, $loaded:"
  for i in "throughput 3" "client-CPU 4"; do
    for what in "${pairs[@]}"; do
      printf '  %-12s %-23s %s\n' "${i% *}" "${what/ //}" \
        "$(center "${i#* }" "${what% *}" "${what#* }")"
    done
  done
  for what in "${pairs[@]}"; do
    ratio_of_instructions "${what% *}" "${what#* }"
  done
}

# Nothing where perf cannot count.
ratio_of_instructions() { # ratio_of_instructions ONE OTHER
  echo "$(instructions_of "$1") $(instructions_of "$2")" |
    awk -v what="$1/$2" 'NF == 6 { printf "  %-12s %-23s %.3f\n", "instructions",
        what, $3 / $6 }'
}

# With the command and the machine, and into results/ if WRITE=yes.
report() { # report RIVAL NAME VERSION
  local cpu compiler
  cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
  compiler=$("${CC:-gcc}" --version | head -n 1)
  ((${#programs[@]})) || programs=(recorded "$1" unrecorded)
  coproc server_says { ask_server 2>/dev/null; }
  {
    echo "\$ ROUNDS=$rounds SECONDS_EACH=$seconds bench/$2.sh"
    echo "# $(nproc) cores of $cpu; $compiler; $3; load before $(cut -d ' ' -f 1 /proc/loadavg)"
    compare
  } >"$work/result"
  cat "$work/result"
  if [ "${WRITE:-}" = yes ] && grep -qE "^  client-CPU +${programs[0]}/${programs[2]} " "$work/result"; then
    cp "$work/result" "results/$2.txt"
  fi
}
