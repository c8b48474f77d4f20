#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Limits of memory and time: undecided, with what is known by then.
. "${TOP_SRCDIR:?}/tests/tap.sh"

cd "$work" || exit 1
isostress run -c 4 -t 2k -k 20 -w general --threads=1 --seed=1 -i si memory: >/dev/null 2>&1
mv results/runs/latest/history history

plan 15
run isostress check --memory=100k history
is "$status" 2 "a check that needs more memory than it may"
like "$out" '^UNDECIDED: whether snapshot isolation was kept' "is undecided"
like "$out" '^  Why: memory limit: it needs more than 100000 bytes' "and says why"
like "$out" '^  [1-9][0-9]* committed' "of how many transactions"
is "$err" "" "in good order"
run isostress check --memory=64G history
is "$status" 0 "a check that may have enough"
run isostress check --memory=100k -l auto history
is "$status" 2 "a scorecard without memory"
is "$(grep -c ' undecided  memory limit' <<<"$out")" 7 "has no level decided"
run isostress check --memory=100k -l recorded --witness=proof history
is "$status" 2 "what each was recorded at"
like "$err" 'proof was not written: what is undecided has no proof' "has no witness then"
run isostress check --memory=100k -l rc,si -j 2 history
is "$status" 2 "several levels at once"
is "$(cut -f 2,3 <<<"$out" | xargs)" "rc undecided si undecided" "each has its limit"
run isostress run -t 1k -k 20 --threads=1 --memory=100k memory:
is "$status" 2 "a run whose check may not have enough"
like "$(cat results/runs/latest/report.txt)" 'Why: memory limit' "leaves its report"

# However fast it is, the alarm may come late.
for ((i = 0; i < 100; i++)); do
  run isostress check --timeout=1ns history
  [ "$status" = 0 ] || break
done
like "$out" '^  Why: time limit: stopped before it was decided' "a time limit is named"
