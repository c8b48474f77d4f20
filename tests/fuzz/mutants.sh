#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Changes good histories of every format by chance (tests/fuzz/mutate.c) and
# gives them to the program under options drawn by chance, in one thread and in
# several.  Whatever a file says, the program ends with an exit status that the
# manual page knows, a sentence where it refuses the file, the same answer
# whatever the number of threads, and a proof that `verify` believes; a level is
# not broken while a stronger one is kept.
#
#   FUZZ_SECONDS=60 FUZZ_SEED=1 tests/fuzz/mutants.sh DIRECTORY
#
# DIRECTORY is a build directory with isostress and tests/fuzz/mutate in it.
# Files that show a fault stay in fuzz/mutants, with the command beside them.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
built=$(cd "${1:?usage: mutants.sh DIRECTORY}" && pwd)
seconds=${FUZZ_SECONDS:-60}
seed=${FUZZ_SEED:-$(date +%s)}
RANDOM=$((seed % 32768))
work=fuzz/mutants
rm -rf "$work/now"
mkdir -p "$work/good" "$work/now"
runs=0 faults=0

one_of() { # one_of WORD...: one of them, by chance, in $chosen
  shift $((RANDOM % $#))
  chosen=$1
}

isostress() { # its status, stdout and stderr
  timeout -s ABRT 60 "$built/isostress" "$@" >"$work/now/out" \
    2>"$work/now/err" </dev/null
  status=$?
  runs=$((runs + 1))
}

fault() { # fault WHAT COMMAND...: keeps the files
  local kept
  faults=$((faults + 1))
  kept=$work/fault-$seed-$runs
  cp -r "$work/now" "$kept"
  printf '%s\n' "$*" >"$kept/command"
  echo "not ok - $* (see $kept)"
}

# isostress COMMAND... is to end as the manual page says.
ends_well() {
  isostress "$@"
  if grep -qE 'Sanitizer|runtime error|Assertion' "$work/now/err"; then
    fault "reported by a sanitizer or an assertion" "$@"
  elif [ "$status" = 134 ]; then
    fault "took more than 60 s, or aborted" "$@"
  elif [ "$status" -gt 2 ] && [ "$status" -lt 254 ]; then
    fault "exit status $status" "$@"
  elif [ "$status" -ge 254 ] && [ ! -s "$work/now/err" ]; then
    fault "no sentence" "$@"
  elif [ "$1" = check ] && grep -q 'that was found is wrong' "$work/now/err"; then
    fault "a verdict without proof" "$@"
  fi
}

# --- Good files.

record() { # record NAME OPTION...: a run of the memory store
  local name=$1
  shift
  rm -rf "$work/now/run"
  isostress run -t 25 --threads=1 --seed="$seed" --out="$work/now/run" "$@"
  find "$work/now/run" -name history -exec cp {} "$work/good/$name.iso" \; -quit
  [ -s "$work/good/$name.iso" ] ||
    echo "# no recording $name: $(cat "$work/now/err")"
  rm -rf "$work/now/run"
}

make_good_files() {
  local recording format file
  record mt -c 3 -k 4 -w mt -i ser memory:
  record append -c 3 -k 3 -w append -i ser memory:
  record general -c 3 -k 4 -w general -i ser memory:
  record skew -c 3 -k 4 -w mt -i ser --bug=WriteSkew memory:
  record fork -c 3 -k 4 -w append -i si --bug=LongFork memory:
  record rows -c 3 -k 24 -w predicate -i ser memory:
  record phantom -c 3 -k 24 -w predicate -i ser --bug=PhantomRead memory:
  record lost -c 3 -k 4 -w general -i si --bug=LostUpdate memory:
  for recording in "$work"/good/*.iso; do
    for format in $(isostress list formats; cut -d' ' -f1 "$work/now/out"); do
      [ "$format" = isostress ] ||
        isostress convert --to="$format" "$recording" "${recording%.iso}.$format"
    done
  done
  for file in "$top"/tests/histories/*/*; do
    cp -r "$file" "$work/good/$(basename "$(dirname "$file")")-${file##*/}"
  done
  chmod -R u+w "$work/good"
}

# --- Changed ones.

# Changes $1, a file or a directory of which one file is changed, into $2.
change() {
  local victim files
  rm -rf "$2"
  cp -r "$1" "$2"
  victim=$2
  if [ -d "$2" ]; then
    mapfile -t files < <(find "$2" -type f | sort)
    one_of "${files[@]}"
    victim=$chosen
  fi
  "$built/tests/fuzz/mutate" "$((RANDOM * 32768 + RANDOM))" "$victim" \
    "$work/changed" || exit 1
  mv "$work/changed" "$victim"
}

reading_options() {
  options=()
  one_of auto implicit explicit first-read
  [ $((RANDOM % 3)) = 0 ] && options+=("--init=$chosen")
  one_of auto register list cas
  [ $((RANDOM % 8)) = 0 ] && options+=("--model=$chosen")
  one_of allow allow refuse
  [ $((RANDOM % 2)) = 0 ] && options+=("--duplicate-values=$chosen")
}

checking_options() {
  reading_options
  one_of rc ra cc pc si ser sser auto recorded ra,si rc,ra,cc,pc,si,ser
  [ $((RANDOM % 8)) = 0 ] || options+=("--level=$chosen")
  [ $((RANDOM % 6)) = 0 ] && options+=(--real-time)
  [ $((RANDOM % 6)) = 0 ] && options+=(--no-session-order)
  [ $((RANDOM % 6)) = 0 ] && options+=(--output=json)
  one_of --all --max=0 --max=3
  [ $((RANDOM % 4)) = 0 ] && options+=("$chosen")
  [ $((RANDOM % 8)) = 0 ] && options+=("--explain=$work/now/explained")
  options+=(--timeout=5s)
}

# Timings and whatever hangs on them do not count.
answer() {
  grep -q undecided "$work/now/out" && echo undecided
  [ -s "$work/now/out" ] && sed 's/([0-9.]* s)//; /"seconds":/d' "$work/now/out"
  echo "$status"
}

same_in_threads() { # same_in_threads COMMAND...: with -j 1 and -j 3
  local alone together
  rm -rf "$work/now/explained"
  ends_well "$1" -j 1 "${@:2}"
  alone=$(answer)
  rm -rf "$work/now/explained"
  ends_well "$1" -j 3 "${@:2}"
  together=$(answer)
  case $alone$together in
    *undecided* | *UNDECIDED*) return ;;
  esac
  [ "$alone" = "$together" ] || fault "another answer with -j 3" "$@"
}

# With a line for each level: none is broken while a stronger one is kept.
levels_agree() {
  ends_well check -l rc,ra,cc,pc,si,ser --timeout=5s "${options[@]}" "$1"
  awk -F'\t' '$3 == "violation" { broken = 1 }
              $3 == "pass" && broken { exit 1 }' "$work/now/out" ||
    fault "a level is broken and a stronger one kept" check "${options[@]}" "$1"
}

proof_is_believed() {
  local wanted
  rm -f "$work/now/proof"
  ends_well check "${options[@]}" -l "$2" --timeout=5s \
    --witness="$work/now/proof" "$1"
  wanted=$status
  [ "$wanted" -le 1 ] || return
  ends_well verify "${options[@]}" "$1" "$work/now/proof"
  [ "$status" = "$wanted" ] ||
    fault "status $wanted of check, $status of verify" "$2" "${options[@]}" "$1"
  change "$work/now/proof" "$work/now/forged"
  ends_well verify "${options[@]}" "$1" "$work/now/forged"
}

try() { # try FILE [OTHER]: two changed histories of some format
  local format
  case $((RANDOM % 8)) in
    0) reading_options
      ends_well stat "${options[@]}" "$1" ;;
    1) reading_options
      one_of isostress jsonl text edn elle-json dbcop-json bincode plume cobra \
        viper-json awdit
      format=$chosen
      rm -rf "$work/now/converted"
      ends_well convert "${options[@]}" "--to=$format" "$1" \
        "$work/now/converted" ;;
    2) reading_options
      levels_agree "$1" ;;
    3) reading_options
      one_of rc ra cc pc si ser
      proof_is_believed "$1" "$chosen" ;;
    4) checking_options
      same_in_threads check "${options[@]}" "$1" "$2" ;;
    5 | 6) checking_options
      same_in_threads check "${options[@]}" "$1" ;;
    7) checking_options
      ends_well check "${options[@]}" "$1" ;;
  esac
}

make_good_files
good=("$work"/good/*)
echo "changing ${#good[@]} histories for $seconds s, seed $seed"
SECONDS=0
while [ "$SECONDS" -lt "$seconds" ]; do
  one_of "${good[@]}"
  change "$chosen" "$work/now/one"
  one_of "${good[@]}"
  change "$chosen" "$work/now/two"
  try "$work/now/one" "$work/now/two"
done
rm -rf "$work/now" "$work/good" "$work/changed"
echo "$runs runs, $faults faults"
[ "$faults" = 0 ] && echo "ok - changed histories"
[ "$faults" = 0 ]
