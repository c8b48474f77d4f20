#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Figures 6 and 7 and experiment 3 of "On the Complexity of Checking Mixed
# Isolation Levels for SQL Transactions" on histories of our own: Twitter, TPC-C
# and TPC-C PC on a throw-away PostgreSQL, each history checked by the engine, by
# the paper's algorithm 3 (--method=sobound) and in experiment 3 by its baseline
# (naive).  From the top of a checkout that was configured in build/,
#
#   TOP_BUILDDIR=build WRITE=yes bench/sobound.sh
#
# writes results/sobound.txt anew.  HISTORIES of each kind (3; 5 in the paper)
# and the LIMIT of each check (10s; 60s in the paper) change how long it takes:
# seven minutes with 3 and 2s.  The seconds are processor time of the whole
# process, so they include the reading of the file.
#
# A history of s sessions and n transactions has s n transactions that were begun,
# of which those that PostgreSQL aborted are left out, and the closing ones, in
# which the sessions read all tables.
. "$(dirname "${BASH_SOURCE[0]}")/throwaway.sh"
histories=${HISTORIES:-3} limit=${LIMIT:-10s}
TIMEFORMAT='%U %S'

# levels_of APPLICATION CONFIGURATION: options of a run; the transactions that
# the paper gives a level of their own are New-Order and Payment, or the tweets
# that are published.
levels=()
levels_of() {
  local own=${2%+*} strong
  case $own in
    SER) strong=serializable ;;
    SI) strong="repeatable read" ;;
    *) strong="read committed" ;;
  esac
  case $1:$2 in
    twitter:*+*) levels=(--level-of="publish:$strong,*:read committed") ;;
    *+*) levels=(--level-of="new-order:$strong,payment:$strong,*:read committed") ;;
    *) levels=(-i "$strong") ;;
  esac
}

record() { # record APPLICATION CONFIGURATION SESSIONS TRANSACTIONS SEED
  levels_of "$1" "$2"
  rm -rf "$work/runs"
  "$isostress" run -w "$1" "$uri" "${levels[@]}" -c "$3" -t "$4" --seed "$5" --check=none \
    -P 0 -o "$work/runs" >"$work/out" 2>&1 || {
    tail -n 3 "$work/out" >&2
    exit 1
  }
  history=$work/runs/latest/history
}

# Prints METHOD, its verdict, its seconds and the extensions that it looked at.
ask() { # ask METHOD LEVEL
  local seconds word extensions
  seconds=$({ time "$isostress" check -j 1 --method="$1" -l "$2" --rc=mixed --timeout="$limit" \
    --output=json "$history" >"$work/answer" 2>/dev/null; } 2>&1 | awk 'NF == 2 { print $1 + $2 }')
  word=$(sed -n 's/^ *"\(verdict\|result\)": "\(.*\)",*$/\2/p' "$work/answer" | head -n 1)
  # Said of a history in which nothing was written: there is nothing to be late for.
  grep -q '"why": "no transaction that committed wrote anything' "$work/answer" && word=idle
  extensions=$(sed -n 's/^ *"extensions": \([0-9]*\),*$/\1/p' "$work/answer")
  echo "$1 ${word:-nothing} $seconds ${extensions:-0}"
}

# Lines APPLICATION CONFIGURATION SIZE METHOD VERDICT SECONDS EXTENSIONS.
measure() { # measure FIGURE APPLICATION CONFIGURATION SESSIONS TRANSACTIONS SIZE LEVEL METHOD...
  local figure=$1 i method
  for ((i = 1; i <= histories; i++)); do
    record "$2" "$3" "$4" "$5" "$((i + 100 * $6))"
    for method in "${@:8}"; do
      echo "$2 $3 $6 $i $(ask "$method" "$7")" >>"$work/$figure"
    done
  done
}

# For each size the means of those that ended in time, and how many did not.
show() { # show FIGURE SIZE
  python3 - "$work/$1" "$2" <<'PYTHON'
import collections, sys
rows = [line.split() for line in open(sys.argv[1])]
methods = list(dict.fromkeys(row[4] for row in rows))
cells, verdicts = collections.defaultdict(list), collections.defaultdict(dict)
for app, config, size, i, method, verdict, seconds, extensions in rows:
    cells[app, config, int(size), method].append((verdict, float(seconds), int(extensions)))
    verdicts[app, config, size, i][method] = verdict
print(f"{'application':<11} {'levels':<7} {sys.argv[2]:>12}" +
      "".join(f"  {m + ' s':>10} {'late':>4} {'broken':>6}" for m in methods) + "   extensions")
for app, config, size in dict.fromkeys((r[0], r[1], int(r[2])) for r in rows):
    line, extensions = f"{app:<11} {config:<7} {size:>12}", 0
    for m in methods:
        all_ = cells[app, config, size, m]
        done = [s for v, s, _ in all_ if v != "undecided"]
        extensions = max([extensions] + [e for _, _, e in all_])
        mean = f"{sum(done) / len(done):.3f}" if done else "-"
        line += f"  {mean:>10} {len(all_) - len(done):>4} {sum(v == 'violation' for v, _, _ in all_):>6}"
    print(f"{line} {extensions:>12}")
differ = [k for k, v in verdicts.items() if len({x for x in v.values() if x not in ("undecided", "idle")}) > 1]
print(f"{len(verdicts)} histories; verdicts differ where both ended: {len(differ)}",
      *(" ".join(k) for k in differ), sep="\n  " if differ else "")
for m in methods:
    every = [c for k, v in cells.items() if k[3] == m for c in v]
    done = [s for v, s, _ in every if v != "undecided"]
    print(f"{m}: {len(every) - len(done)} of {len(every)} not decided in time ({100 * (len(every) - len(done)) / len(every):.1f} %);"
          f" the others took {sum(done) / max(1, len(done)):.3f} s on average, {max(done, default=0):.3f} at most")
PYTHON
}

applications=(twitter tpcc tpcc-pc)
figure_6() {
  local application configuration sessions
  for application in "${applications[@]}"; do
    for configuration in SER SI RC SER+RC SI+RC; do
      for sessions in 1 2 3 4 5; do
        measure 6 "$application" "$configuration" "$sessions" 10 "$sessions" recorded engine sobound
      done
    done
  done
}
figure_7() {
  local application configuration transactions
  for application in "${applications[@]}"; do
    for configuration in SER SI RC SER+RC SI+RC; do
      for transactions in ${TRANSACTIONS:-2 6 10 14 18}; do
        measure 7 "$application" "$configuration" 3 "$transactions" "$transactions" recorded engine sobound
      done
    done
  done
}
experiment_3() {
  local application transactions
  for application in twitter tpcc; do
    for transactions in ${TRANSACTIONS:-2 6 10 14 18}; do
      measure 3 "$application" RC 3 "$transactions" "$transactions" ser engine sobound naive
    done
  done
}

start postgresql
{
  echo "\$ HISTORIES=$histories LIMIT=$limit bench/sobound.sh"
  echo "# $(nproc) cores of $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)${SHARED:+, $SHARED};" \
    "load before $(cut -d ' ' -f 1 /proc/loadavg); PostgreSQL, one warehouse or 500 users"
  echo
  echo "## Figure 6: more sessions, 10 transactions each, each at its own level"
  figure_6
  show 6 sessions
  echo
  echo "## Figure 7: 3 sessions, more transactions each, each at its own level"
  figure_7
  show 7 transactions
  echo
  echo "## Experiment 3: run at read committed, checked at serializability"
  experiment_3
  show 3 transactions
} > >(tee "$work/result")
wait $! # for tee
[ "${WRITE:-}" != yes ] || cp "$work/result" "$top/results/sobound.txt"
