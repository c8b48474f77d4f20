# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# isostress, recording and not, against a database's own load generator with the
# same SQL, sessions and prepared statements on one server.  Machines drift, so
# only neighbours are compared: each round runs all three in one of their six
# orders, for a short time, and then once more in the opposite order, so that
# what drifts steadily meets all of them alike.  What counts is the center of
# the rounds' ratios after Hodges and Lehmann, the median of the means of all
# pairs, with its 95 % confidence interval after Wilcoxon, of the logarithms.
# ROUNDS and SECONDS_EACH change the length.  On an idle machine, from the top of
# a checkout that was configured in build/,
#
#   make -C build bench-live WRITE=yes
#
# writes results/live_postgresql.txt and results/live_mysql.txt anew.
#
# To be sourced by a script that starts a server, says in $uri where it is,
# defines run_rival, which runs the rival for $seconds and calls count with what
# it says, and calls report with the name of the rival, that of the file and the
# version of the server.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
# Apart from the servers of users, who may stop theirs at any time.
: "${ISOSTRESS_SERVERS:=${TMPDIR:-/tmp}/isostress-bench-servers-$(id -u)}"
. servers/servers.sh
work=$(mktemp -d "${TMPDIR:-/tmp}/isostress-bench.XXXXXX")
trap 'server_stop_started; rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
rounds=${ROUNDS:-15} seconds=${SECONDS_EACH:-2} sessions=8 keys=10000
isostress=${TOP_BUILDDIR:-.}/isostress
TIMEFORMAT='%U %S'

# Prints transactions per second, as the program measured them for itself, and
# microseconds of client CPU for each.
count() { # count FILE-OF-TIMES COMMITTED PER-SECOND
  awk -v n="$2" -v tps="$3" 'END { printf "%.0f %.2f\n", tps, ($1 + $2) / n * 1e6 }' "$1"
}

said() { # said EXPRESSION: what a line of the program's output has in its group
  sed -nE "s/$1.*/\1/p" "$work/out"
}

# The shape rmw2: two keys are read, then both are written.
stress() { # stress OPTION...
  "$isostress" run "$uri" --shares rmw2:1 --keys "$keys" \
    --distribution uniform -c "$sessions" --check none -o "$work/runs" "$@" \
    >"$work/out" 2>"$work/err"
}

run_isostress() { # run_isostress on|off
  { time stress -T "${seconds}s" --record="$1"; } 2>"$work/times"
  count "$work/times" "$(said '^attempts.* = ([0-9]+) committed')" \
    "$(said '^throughput +([0-9]+) committed')"
}

measure() { # measure recorded|unrecorded|RIVAL
  case $1 in
    recorded) run_isostress on ;;
    unrecorded) run_isostress off ;;
    *) stress -t 1 && run_rival ;; # on tables as fresh as isostress makes them
  esac
}

# Both turns of a round count together; 1.96 is the normal distribution's.
center() { # center COLUMN ONE OTHER
  awk -v column="$1" -v one="$2" -v other="$3" '
    $2 == one { a[$1] += $column }
    $2 == other { b[$1] += $column }
    END {
      for (i in a) r[++n] = log(a[i] / b[i])
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

# The six turns of a round: an order of the three, there and back.
turns() { # turns ROUND
  local i there='' back=''
  for i in 0 1 2; do
    i=$((($1 / 2 + ($1 % 2 ? 2 - i : i)) % 3))
    there+=" ${names[i]}" back=" ${names[i]}$back"
  done
  echo "$there$back"
}

compare() { # compare RIVAL
  local rival=$1 names=(recorded "$1" unrecorded) round i what tps cpu
  printf '%-6s %-11s %9s %14s\n' round what tps 'CPU us/txn'
  for ((round = 0; round < rounds; round++)); do
    for what in $(turns "$round"); do
      read -r tps cpu < <(measure "$what")
      printf '%-6s %-11s %9s %14s\n' "$round" "$what" "$tps" "$cpu"
    done
  done | tee "$work/rounds"
  echo "centers of $rounds rounds of twice $seconds s each, and their 95 %" \
    "confidence intervals; $sessions sessions, $keys keys:"
  for i in "throughput 3" "client-CPU 4"; do
    for what in "recorded $rival" "unrecorded $rival" "recorded unrecorded"; do
      printf '  %-10s %-23s %s\n' "${i% *}" "${what/ //}" \
        "$(center "${i#* }" "${what% *}" "${what#* }")"
    done
  done
}

# With the command and the machine, and into results/ if WRITE=yes.
report() { # report RIVAL NAME VERSION
  local cpu compiler
  cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
  compiler=$("${CC:-gcc}" --version | head -n 1)
  {
    echo "\$ ROUNDS=$rounds SECONDS_EACH=$seconds bench/$2.sh"
    echo "# $(nproc) cores of $cpu; $compiler; $3; load before $(cut -d ' ' -f 1 /proc/loadavg)"
    compare "$1"
  } | tee "$work/result"
  if [ "${WRITE:-}" = yes ] && grep -q '^  client-CPU recorded/unrecorded ' "$work/result"; then
    cp "$work/result" "results/$2.txt"
  fi
}
