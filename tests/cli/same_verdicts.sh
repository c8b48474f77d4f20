#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The comparison of two programs' verdicts notices each way in which they differ.
. "${TOP_SRCDIR:?}/tests/tap.sh"

cd "$work" || exit 1
# This program names another anomaly, refuses a history, writes no proof, is
# undecided and tells more transactions, each on one history.
cat >other <<'END'
#!/bin/bash
altered() { isostress "$@" | sed "$expression"; exit "${PIPESTATUS[0]}"; }
case "$*" in
*y-touching-instants.txt) exit 255 ;;
*n-stale-read.txt) set -- "${@/--witness=*/--all}" ;;
*n-write-skew.txt) expression='s/"anomaly": "WriteSkew"/"anomaly": "LongFork"/' altered "$@" ;;
*y-cas.txt) expression='s/"verdict": "pass"/"verdict": "undecided"/' altered "$@" ;;
*/n-lost-update.txt) expression='s/"transactions": \[/&0, 0, 0,/' altered "$@" ;;
esac
exec isostress "$@"
END
chmod +x other

# The script over fewer histories.
mkdir tests
cp "$TOP_SRCDIR/tests/same_verdicts.sh" tests
for name in sser/{y-touching-instants,n-stale-read,y-cas} ser/n-write-skew si/n-lost-update pc/n-long-fork; do
  mkdir -p "tests/histories/${name%/*}"
  cp "$TOP_SRCDIR/tests/histories/$name.txt" "tests/histories/${name%/*}"
done

plan 8
run tests/same_verdicts.sh "$TOP_BUILDDIR/isostress" other
is "$status" 1 "programs that differ"
like "$out" "n-write-skew.txt at ser: \('violation', 'ser', 'LongFork', 'ser'\), was .*'WriteSkew'" "programs that differ in an anomaly are told apart"
like "$out" "y-touching-instants.txt at rc: exit status 255, was 0" "programs that differ in a refusal are told apart"
like "$out" "n-stale-read.txt at sser: NEW wrote no proof" "programs that differ in a proof are told apart"
like "$out" "y-cas.txt at rc: \('undecided'.*was \('pass'" "programs that differ in a verdict are told apart"
like "$out" "n-lost-update.txt: counterexamples are larger by 3, 3" "programs that differ in the size of counterexamples are told apart"
unlike "$out" "n-long-fork.txt" "are told apart only where they differ"
run tests/same_verdicts.sh "$TOP_BUILDDIR/isostress"
is "$status" 1 "both programs have to be named"
