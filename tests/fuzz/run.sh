#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Builds fuzzers and runs each for a while under the sanitizers.
#
#   FUZZ_SECONDS=60 tests/fuzz/run.sh NAME...
#
# Fuzzer NAME is tests/fuzz/fuzz_NAME.c, and NAME:FORMAT the same for one format
# of histories (FUZZ_FORMAT in its environment); its comment says what it is built from
# (fuzz-sources, relative to the top), its libraries (fuzz-libs) and where files
# to start from are (fuzz-seeds).  Run it where config.h is; it works in fuzz/.
set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
seconds=${FUZZ_SECONDS:-60}
CC=${FUZZ_CC:-clang}

command -v "$CC" >/dev/null || {
  echo "SKIP: fuzzers need $CC: apt-get install clang" >&2
  exit 77
}

said() { sed -n "s|^// $1: ||p" "$top/tests/fuzz/fuzz_$2.c"; }

build() { # build NAME: once
  local sources
  [ ! -e "fuzz/$1/fuzz" ] || return 0
  # The patterns are to be expanded, relative to the top.
  # shellcheck disable=SC2046
  sources=$(cd "$top" && printf "$top/%s\n" $(said fuzz-sources "$1"))
  # shellcheck disable=SC2046,SC2086
  "$CC" -std=gnu11 -D_GNU_SOURCE -g -O1 -pthread \
    -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
    -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION -I. -I"$top" \
    -o "fuzz/$1/fuzz" "$top/tests/fuzz/fuzz_$1.c" $sources \
    $(said fuzz-libs "$1")
}

run() { # run NAME[:FORMAT]
  local name=${1%%:*} format=
  [ "$name" = "$1" ] || format=${1#*:}
  local place=fuzz/$name${format:+/$format}
  mkdir -p "$place/corpus" "fuzz/$name/seeds"
  build "$name"
  for seeds in $(said fuzz-seeds "$name"); do
    find "$top/$seeds" -type f -size -64k \
      -exec cp --backup=numbered -t "fuzz/$name/seeds" {} +
  done
  echo "fuzzing $1 for $seconds s"
  if ! FUZZ_FORMAT=$format "fuzz/$name/fuzz" -max_total_time="$seconds" \
    -timeout=10 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
    -artifact_prefix="$place/" "$place/corpus" "fuzz/$name/seeds" \
    >"$place/log" 2>&1; then
    tail -n 40 "$place/log" >&2
    echo "not ok - fuzzing $1 (see $place)"
    return 1
  fi
  grep -E '^stat::(number_of_executed_units|peak_rss_mb)' "$place/log"
  echo "ok - fuzzing $1"
}

rm -f fuzz/*/fuzz # of other sources, perhaps
failed=0
for name in "$@"; do
  run "$name" || failed=1
done
exit $failed
