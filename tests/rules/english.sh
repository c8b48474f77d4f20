#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The part of "plain English" that a program can hold: "cannot" is one word, a
# comment begins with its subject or its verb, and a file that a comment names
# is there.
. "${TOP_SRCDIR:?}/tests/rules/rules.sh"
plan 6

mapfile -t code < <(sources '*.c' '*.h')
mapfile -t texts < <(sources '*.c' '*.h' '*.sh' '*.md' '*.1' '*.mdoc' '*.conf' '*.txt' '*.ac' '*.am' '*.m4' |
  grep -vE '^tests/histories/|^tests/rules/english.sh$')
is "$((${#code[@]} > 400 && ${#texts[@]} > 600))" 1 "the test finds files"

is "$(grep -nHwE '[Cc]an not' "${texts[@]}")" "" "nobody writes 'can not'"
is "$(awk 'FNR == 1 { before = "" }
  before ~ /[Cc]an$/ && $0 ~ /^[ \t]*(\/\/|#)?[ \t]*not[ .,;:]/ { print FILENAME ":" FNR ": " $0 }
  { before = $0 }' "${texts[@]}")" "" "nobody writes 'can not' over the end of a line"

# openings FILE...: comments that begin with one of these words, where the line
# before is no comment or is the licence.
openings() {
  awk 'FNR == 1 { in_comment = 0 }
    !(in_comment && /^[ \t]*(\/\/|#)/) && /(^|[ \t;{}])(\/\/|#) (What|Of|The same|Likewise)($|[^A-Za-z])/ {
      print FILENAME ":" FNR ": " $0
    }
    { in_comment = /^[ \t]*(\/\/|#)/ && !/^#!|SPDX-License-Identifier/ }' "$@"
}
mapfile -t commented < <(sources '*.c' '*.h' '*.sh' '*.py' '*.js' '*.ac' '*.am' '*.mk' '*.m4' |
  grep -vxF tests/rules/english.sh)
is "$(openings "${commented[@]}")" "" "no comment opens with What, Of, The same or Likewise"
is "$(openings <(printf '%s\n' '// SPDX-License-Identifier: none' '// What it is.' 'int a;' '// Of the key.' \
  '// What it is.' 'int b; // The same.' '  // What it is.') \
  <(printf '%s\n' '#!/bin/bash' '# Likewise.' 'b=1' '# Of b:' '# What it is.') | wc -l)" 6 \
  "the test sees such comments"

# A name without a folder is of the same folder; a name with one begins at the
# top, or ends the path of some file.
named() {
  awk 'match($0, /\/\/.*/) && $0 !~ /^[ \t]*#/ {
      rest = substr($0, RSTART + 2)
      while (match(rest, /[A-Za-z0-9_.\/-]*[a-z0-9_]\.[ch]($|[^A-Za-z0-9_.\[(-])/)) {
        name = substr(rest, RSTART, RLENGTH)
        sub(/[^A-Za-z0-9_]*$/, "", name)
        sub(/\.[^.ch]*$/, "", name)
        if (name !~ /^\./)
          print FILENAME, FNR, name
        rest = substr(rest, RSTART + RLENGTH)
      }
    }' "$@"
}
lost() {
  local file line name
  named "${code[@]}" | while read -r file line name; do
    case $name in
      # other people's files
      sanitizer/* | sqlite3.h | mysql.h | src/server.c) continue ;;
      */*) [ -e "$name" ] && continue ;;
      *) [ -e "${file%/*}/$name" ] && continue ;;
    esac
    echo "$file:$line: $name"
  done
}
is "$(lost)" "" "every file that a comment names is there"
