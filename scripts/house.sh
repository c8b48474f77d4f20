#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# house.sh [DIRECTORY [TERM...]]: how the house stands, in figures: lines of each
# room, lengths of functions, names that stand in several files, arrows and circles
# of includes, files that name a term of the question, and lines of tests.
# house.sh --comments N SEED [DIRECTORY]: N comments of the program, drawn at random.
# DIRECTORY is a clone, by default the one of this script.  The figures are of what
# git knows there, as it stands in the files.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/definitions.sh"
sample=
if [ "${1-}" = --comments ]; then
  sample=$2 seed=$3
  shift 3
fi
cd "${1:-$here/..}"
terms=("${@:2}")
[ ${#terms[@]} -gt 0 ] || terms=(by_items plain_reads rc_sees_session real_time)

work=$(mktemp -d "${TMPDIR:-/tmp}/house.XXXXXX")
trap 'rm -rf "$work"' EXIT
mapfile -t program < <(git ls-files '*.c' '*.h' | grep -vE '^(tests|bench|examples)/')
mapfile -t code < <(printf '%s\n' "${program[@]}" | grep '\.c$')

# lines_of DEPTH FILE...: lines "room files lines", of the first DEPTH folders.
lines_of() {
  local depth=$1
  shift
  awk -v depth="$depth" '{ n = split(FILENAME, part, "/"); room = part[1]
      for (i = 2; i <= depth && i < n; i++) room = room "/" part[i]
      lines[room]++; if (!seen[FILENAME]++) files[room]++ }
    END { for (room in lines) print room, files[room], lines[room] }' "$@" | sort
}

# quantiles: of numbers, how many there are, and the median, 90th and 99th percentile and the largest.
quantiles() {
  sort -n | awk '{ value[NR] = $1 }
    function at(share) { return value[int((NR - 1) * share) + 1] }
    END { printf "%d, median %d, p90 %d, p99 %d, longest %d\n", NR, at(.5), at(.9), at(.99), value[NR] }'
}

# arrows: lines "from to" for each include between two modules of the program.  A
# module is a .c and its .h.
arrows() {
  awk '/^#include "[a-z_]+\// { split($0, quoted, "\""); from = FILENAME; to = quoted[2]
      sub(/\.[ch]$/, "", from); sub(/\.[ch]$/, "", to); if (from != to) print from, to }' "${program[@]}" | sort -u
}

# in_circles: of lines "from to", how many ends are left when ends that no line
# leaves, or that no line reaches, are taken away until none is: those of circles and between circles.
in_circles() {
  awk '{ from[NR] = $1; to[NR] = $2; on[NR] = 1 }
    END {
      do { gone = 0; delete leaves; delete reached
        for (i in on) { leaves[from[i]]; reached[to[i]] }
        for (i in on) if (!(to[i] in leaves) || !(from[i] in reached)) { delete on[i]; gone = 1 }
      } while (gone)
      for (i in on) end[from[i]]
      n = 0; for (name in end) n++; print n
    }'
}

# inside ROOM: the arrows whose two ends are in that room.
inside() { awk -v room="$1/" 'index($1, room) == 1 && index($2, room) == 1' "$work/arrows"; }

# folders: arrows of modules as arrows of their folders.
folders() { awk '{ sub("/[^/]*$", "", $1); sub("/[^/]*$", "", $2); if ($1 != $2) print $1, $2 }' | sort -u; }

# comments: each comment of the program, on one line after its place; one behind code
# with the code.
comments() {
  awk 'function tell() { if (text != "") print place ": " text; text = "" }
    FNR == 1 { tell() }
    /^[ \t]*\/\// && !/SPDX/ { line = $0; sub(/^[ \t]*\/\/ */, "", line)
      if (text == "") place = FILENAME ":" FNR
      text = text (text == "" ? "" : " ") line; next }
    { tell() }
    match($0, /[;,{}] *\/\/ /) { place = FILENAME ":" FNR; text = $0; sub(/^[ \t]*/, "", text); tell() }
    END { tell() }' "${program[@]}"
}

if [ -n "$sample" ]; then
  comments | shuf -n "$sample" --random-source=<(openssl enc -aes-256-ctr -pass "pass:$seed" -nosalt </dev/zero 2>/dev/null)
  exit
fi

arrows >"$work/arrows"
defined f "${code[@]}" >"$work/functions"
defined s "${program[@]}" >"$work/structs"
percent() { awk -v part="$1" -v all="$2" 'BEGIN { printf "%.0f%%", 100 * part / all }'; }
count() { wc -l | tr -d ' '; }

echo "# Rooms: files and lines of C; modules (a .c with its .h), arrows between them and modules in circles;"
echo "# folders, arrows between them and folders in circles; lines of tests/unit/ROOM for a line of the room"
printf '%-10s %5s %6s  %7s %6s %7s  %7s %6s %7s  %5s\n' room files lines modules arrows circles folders arrows circles tests
lines_of 1 "${program[@]}" | while read -r room files lines; do
  modules=$(printf '%s\n' "${program[@]}" | sed -n "s|^\($room/.*\)\.[ch]$|\1|p" | sort -u)
  folders=$(printf '%s\n' "${program[@]}" | sed -n "s|^\($room/.*\)/[^/]*$|\1|p; s|^\($room\)/[^/]*$|\1|p" | sort -u)
  tests=$(git ls-files "tests/unit/$room/*.[ch]" "tests/$room/*.[ch]" | tr '\n' '\0' | xargs -0r cat | count)
  [ "$room" = checker ] && tests=$((tests + $(git ls-files 'tests/agreement/*.[ch]' | tr '\n' '\0' | xargs -0 cat | count)))
  printf '%-10s %5d %6d  %7d %6d %7d  %7d %6d %7d  %5s\n' "$room" "$files" "$lines" "$(count <<<"$modules")" \
    "$(inside "$room" | count)" "$(inside "$room" | in_circles)" "$(count <<<"$folders")" \
    "$(inside "$room" | folders | count)" "$(inside "$room" | folders | in_circles)" \
    "$(percent "$tests" "$lines")"
done
echo "program: ${#program[@]} files, $(cat "${program[@]}" | count) lines;" \
  "$(folders <"$work/arrows" | count) arrows between folders, $(folders <"$work/arrows" | in_circles) folders in circles"
echo "tests: $(git ls-files 'tests/*.[ch]' | tr '\n' '\0' | xargs -0 cat | count) lines of C," \
  "$(git ls-files 'tests/*.sh' 'tests/*.py' 'tests/*.js' | tr '\n' '\0' | xargs -0 cat | count) others"
echo
echo "# Folders: files and lines"
lines_of 9 "${program[@]}" | awk '{ printf "%-20s %4d %6d\n", $1, $2, $3 }'
echo
echo "# Functions: lines of each"
awk '{ print $4 - $3 + 1 }' "$work/functions" | quantiles
awk '{ print $2 }' "$work/functions" >"$work/files"
echo "lines of a .c: $(for file in "${code[@]}"; do count <"$file"; done | quantiles)"
echo
echo "# Names that stand in several files"
several=$(shared 2 99999 <"$work/functions" | cut -d: -f1)
share=$(percent "$(awk 'NR == FNR { name[$1]; next } $1 in name' - "$work/functions" <<<"$several" | count)" \
  "$(count <"$work/functions")")
echo "functions: $(count <<<"$several"), which are $share of all definitions"
echo "but slots of drivers and workloads: $(without_slots <"$work/functions" | shared 3 99999 | count) in three files or more," \
  "$(without_slots <"$work/functions" | shared 2 2 | count) in two"
echo "structs: $(shared 2 99999 <"$work/structs" | count) of $(awk '{ print $1 }' "$work/structs" | sort -u | count)"
echo "files: $(printf '%s\n' "${code[@]}" | sed 's|.*/||' | sort | uniq -d | count) names of .c in several folders"
echo
echo "# Files of the program that name a term of the question"
for term in "${terms[@]}"; do
  echo "$term: $(git grep -lw -e "$term" -- "${program[@]}" | count)"
done
