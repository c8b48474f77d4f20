# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Asks for answers at six levels about histories of throw-away servers; to be sourced.
. "$(dirname "${BASH_SOURCE[0]}")/throwaway.sh"
levels=(rc ra cc pc si ser)

# One word of the verdict; $work/took has the seconds of processor time.
check_at() { # check_at LEVEL HISTORY [OPTION...]
  local TIMEFORMAT='%U' said
  { time said=$("$isostress" check -j 1 -l "$1" --max=1 "${@:3}" "$2" 2>/dev/null | head -n 1); } 2>"$work/took"
  case $said in
    PASS*) echo pass ;;
    VIOLATION*) echo broken ;;
    *) echo UNDECIDED ;;
  esac
}

# Checks a history at all levels.  Sets verdicts, a word for each level; undecided,
# the levels without an answer; and slowest, the most seconds and their level.
# shellcheck disable=SC2034  # its caller reads them
ask_levels() { # ask_levels HISTORY [OPTION...]
  local level verdict
  verdicts=() undecided='' slowest=0
  for level in "${levels[@]}"; do
    verdict=$(check_at "$level" "$@")
    verdicts+=("$verdict")
    [ "$verdict" != UNDECIDED ] || undecided="$undecided $level"
    slowest=$(printf '%s\n' "$slowest" "$(cat "$work/took") $level" | sort -g | tail -n 1)
  done
}

# The transactions of the last run.
committed() { sed -nE 's/^ *run +([0-9,]+) committed.*/\1/p' "$work/out" | tr -d ,; }

# The first lines of a result.
headline() { # headline COMMAND...
  echo "\$ $*"
  echo "# $(nproc) cores of $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)${SHARED:+, $SHARED};" \
    "load before $(cut -d ' ' -f 1 /proc/loadavg)"
}
