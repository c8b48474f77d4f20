#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Abort rates as pgbench measures them: the same statements, sessions, pauses and
# --max-tries on one server.  The pauses decide how much transactions overlap, and
# not the machine.  REPETITIONS makes more runs of each, whose rates stand in the
# comments: for results/sweeps/pgbench.txt.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs postgresql
live_start postgresql autovacuum=off
uri=${server_uri[0]} repetitions=${REPETITIONS:-2}
cd "$work" || exit 1
plan 7

cat >same.ini <<END
[same]
shares = rmw1:1
distribution = uniform
isolation = repeatable read
keys = 20
clients = 8
op-delay = 2ms
transactions = 200
warmup = 0
max-tries = 1,3
repetitions = 1
END
cat >same.sql <<'SQL'
\set k random(0, :keys - 1)
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT v FROM isostress WHERE k = :k;
\sleep 2 ms
UPDATE isostress SET v = :client_id WHERE k = :k;
\sleep 2 ms
COMMIT;
SQL

# In turns, so that both meet the same machine.
worst=0
for ((i = 1; i <= repetitions; i++)); do
  run isostress sweep same.ini "$uri" "--seed=$i" -o "$i"
  [ "$status" = 0 ] || worst=$status
  for tries in 1 3; do
    PGOPTIONS='-c enable_seqscan=off' "$(postgresql_program pgbench)" -n -M prepared \
      -c 8 -j 8 -t 200 "--max-tries=$tries" -D keys=20 -f same.sql "$uri" 2>&1 |
      sed -nE "s/^number of transactions actually processed: ([0-9]+).*/tries $tries \1/p
        s/^number of failed transactions: ([0-9]+).*/failed \1/p
        s/^total number of retries: ([0-9]+).*/retries \1/p" >>pgbench.out
  done
done
is "$worst" 0 "the sweeps"

# Rates per attempt and per transaction, each with its 95 % interval where there
# are enough runs for one.
cat >rates.py <<'END'
import csv, glob, math, statistics
T = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262,
     11: 2.228, 12: 2.201, 15: 2.145, 16: 2.131, 20: 2.093}
ours, theirs = {}, {}
for row in (row for name in glob.glob("*/same-same/runs.csv") for row in csv.DictReader(open(name))):
    ours.setdefault(int(row["max-tries"]), []).append((float(row["abort_rate"]), float(row["given_up_rate"])))
runs = []
for line in open("pgbench.out"):
    words = line.split()
    if words[0] == "tries":
        runs.append({"tries": int(words[1]), "done": int(words[2]), "failed": 0, "retries": 0})
    else:
        runs[-1][words[0]] = int(words[1])
for r in runs:
    attempts = r["done"] + r["failed"] + r["retries"]
    theirs.setdefault(r["tries"], []).append(((r["failed"] + r["retries"]) / attempts,
                                              r["failed"] / (r["done"] + r["failed"])))
def interval(values):
    n = len(values)
    return statistics.mean(values), T.get(n, 1.96) * statistics.stdev(values) / math.sqrt(n)
for tries in sorted(ours):
    for i, what in enumerate(["attempts", "transactions"]):
        a, ha = interval([v[i] for v in ours[tries]])
        b, hb = interval([v[i] for v in theirs[tries]])
        print(tries, what, f"{a:.4f} {ha:.4f} {b:.4f} {hb:.4f}")
END
python3 rates.py >rates
while read -r tries what ours half theirs their_half; do
  awk -v t="$tries" -v w="$what" -v a="$ours" -v ha="$half" -v b="$theirs" -v hb="$their_half" 'BEGIN {
    printf "# max-tries %d, aborted %s: isostress %.2f +- %.2f %%, pgbench %.2f +- %.2f %%\n",
      t, w, 100 * a, 100 * ha, 100 * b, 100 * hb }'
done <rates
is "$(wc -l <rates)" 4 "rates of both"

# A tenth is ten times what chance makes of so many attempts.
near() { # near TRIES attempts|transactions WITHIN
  awk -v t="$1" -v w="$2" -v within="$3" '$1 == t && $2 == w {
    d = $3 - $5; print (d < 0 ? -d : d) <= within ? "near" : $0 }' rates
}
is "$(near 1 attempts 0.1)" near "both programs have nearly as many aborted attempts"
is "$(near 3 attempts 0.1)" near "both programs have nearly as many aborted attempts with retries"
is "$(near 3 transactions 0.05)" near "both programs give up nearly as many transactions"
is "$(awk '$1 == 1 && $3 > 0.05 && $5 > 0.05' rates | wc -l)" 2 "both programs have aborts"
is "$(awk '$2 == "transactions" { ours[$1] = $3; theirs[$1] = $5 }
  END { print (ours[3] < ours[1] / 2 && theirs[3] < theirs[1] / 2) }' rates)" 1 "retries help both"
