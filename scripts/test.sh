#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs what the tests need and runs them all: the whole suite as built by
# gcc, the unit tests once more under the address and undefined behaviour
# sanitizers and those that use threads under the thread sanitizer, both with
# brief runs on real servers.  gcc, clang and gcc's static analyser have no
# warning of any file of the program.  The last line is "N passed, N failed, N
# skipped".  With CI=true a skip is a failure.
set -u
cd "$(dirname "$0")/.." || exit 1
. scripts/packages.sh
# shellcheck disable=SC2086  # lists of names
install_packages $build_packages $test_packages || exit 1
# shellcheck disable=SC2086  # lists of names
install_servers $server_packages || exit 1

passed=0 failed=0 skipped=0

# The share of the live tests that the sanitizers get, and the programs that these need;
# make check-long gives them more.
live="tests/live/brief.sh tests/live/postgresql_losses.sh
  tests/live/mysql_losses.sh"
live_programs="tests/live/postgresql_losses tests/live/mysql_losses"

# claim NAME COMMAND...: the command must succeed; counts as one test.
claim() {
  local name=$1
  shift
  if "$@"; then
    echo "PASS: $name"
    passed=$((passed + 1))
  else
    echo "FAIL: $name"
    failed=$((failed + 1))
  fi
}

# Shows the failed checks of a directory's tests with the lines behind them.
show_failures() { # show_failures DIRECTORY
  local log
  find "$1" -name '*.log' -exec grep -lE '^(not ok|Bail out)' {} + |
    while read -r log; do
      echo "== ${log#"$1"/}"
      awk '/^(not ok|Bail out)/ { said = 40; print; next }
        /^ok/ { said = 0 }
        said-- > 0' "$log" | cut -c 1-400
    done
}

# suite DIRECTORY [MAKE-ARGUMENT...]: runs make check there and adds up what
# came out.  Two tests for each processor, for those on real servers wait for
# much of their time.
suite() {
  local directory=$1 results
  shift
  find "$directory" -name '*.trs' -delete
  make -C "$directory" -s -j"$(($(nproc) * 2))" check "$@" 2>&1
  results=$(find "$directory" -name '*.trs' -exec grep -h '^:test-result:' {} +)
  passed=$((passed + $(grep -c ': PASS' <<<"$results")))
  failed=$((failed + $(grep -cE ': (FAIL|XPASS|ERROR)' <<<"$results")))
  skipped=$((skipped + $(grep -c ': SKIP' <<<"$results")))
}

claim "gcc builds without a warning" build_in build-gcc --enable-werror
suite build-gcc

claim "gcc's analyser finds nothing" \
  build_in build-analyzer --enable-werror --enable-analyzer

# Clang's warnings do not depend on how much it optimises.
claim "clang builds without a warning" \
  build_in build-clang --enable-werror CC=clang CFLAGS=-O0

# With -O1 the compiler takes half its time.
claim "gcc builds with the address and undefined sanitizers" \
  build_in build-asan --enable-werror --enable-sanitizers=address,undefined CFLAGS="-g -O1"
# Millions of histories take several times as long there, and find no more; of
# other random ones these builds take a share (tests/tap.h).
suite build-asan check_PROGRAMS="$live_programs" TESTS="$live $(
  make -s -C build-gcc print-unit-tests |
    sed -E 's#tests/agreement/test_(exhaustive|random)##g')"

claim "gcc builds with the thread sanitizer" \
  build_in build-tsan --enable-werror --enable-sanitizers=thread
suite build-tsan check_PROGRAMS="$live_programs" TESTS="$live $(
  make -s -C build-gcc print-thread-tests)"

for directory in build-gcc build-asan build-tsan; do
  show_failures "$directory"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && { [ "${CI:-}" != true ] || [ "$skipped" = 0 ]; }
