# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Command-line tests in the Test Anything Protocol; source it, then:
#
#   plan 2
#   run isostress --version            # sets $status, $out (stdout), $err (stderr)
#   is "$status" 0 "--version succeeds"
#   like "$out" '^isostress [0-9]' "--version says so"
#
# $work is a directory of the test's own; it is removed at the end.
set -u
: "${TOP_SRCDIR:?run this through make check}" "${TOP_BUILDDIR:?}"
PATH=$TOP_BUILDDIR:$PATH
work=$(mktemp -d "${TMPDIR:-/tmp}/isostress-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
tap_count=0

plan() { echo "1..$1"; }

tap_report() { # tap_report OK NAME [DETAIL]: prints the line of one check
  tap_count=$((tap_count + 1))
  if [ "$1" = 1 ]; then
    echo "ok $tap_count - $2"
  else
    echo "not ok $tap_count - $2"
    printf '%s\n' "${3-}" | sed 's/^/#   /'
  fi
}

# shellcheck disable=SC2034  # the test reads them
run() { # run COMMAND...: its exit status, stdout and stderr
  "$@" >"$work/.out" 2>"$work/.err" </dev/null
  status=$?
  out=$(cat "$work/.out")
  err=$(cat "$work/.err")
}

is() { # is GOT WANTED NAME
  if [ "$1" = "$2" ]; then tap_report 1 "$3"
  else tap_report 0 "$3" "got:    $1
wanted: $2
stderr: ${err-}"; fi
}

like() { # like TEXT EXTENDED-REGEX NAME
  if printf '%s\n' "$1" | grep -qE -- "$2"; then tap_report 1 "$3"
  else tap_report 0 "$3" "got:    $1
wanted: $2"; fi
}

unlike() { # unlike TEXT EXTENDED-REGEX NAME
  if printf '%s\n' "$1" | grep -qE -- "$2"; then tap_report 0 "$3" "got: $1
not wanted: $2"
  else tap_report 1 "$3"; fi
}

# fits_phone PAGE: nothing of it is cut off in a window of 390 pixels, no number
# breaks, and nothing needs a scroll to the side.
fits_phone() {
  if [ -n "$(command -v chromium || command -v chromium-browser)" ]; then
    is "$(python3 "$TOP_SRCDIR/tests/pages.py" phone "$1")" "" "$1 fits a phone"
  else
    skip "$1 fits a phone" "no chromium"
  fi
}

skip() { # skip NAME REASON
  tap_count=$((tap_count + 1))
  echo "ok $tap_count - $1 # SKIP $2"
}
