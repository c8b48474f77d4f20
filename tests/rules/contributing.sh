#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# CONTRIBUTING.md and ARCHITECTURE.md are true: the paths that they name are
# there, and the map of the first has every room and every page.  Each row of "How to
# add" names all files in which the member that tests/rules/members.txt has is named.
. "${TOP_SRCDIR:?}/tests/rules/rules.sh"
plan 7

# The paths between backticks, but for those with a NAME or LEVEL in them.
mapfile -t paths < <(grep -ohE '`[a-zA-Z_.]+(/[a-zA-Z_.]*)*`' CONTRIBUTING.md ARCHITECTURE.md | tr -d '`' |
  grep -E '/|\.(c|h|md|sh|ac|am|1|txt)$' | grep -vE 'NAME|LEVEL|COMMAND' | sort -u)
is "$((${#paths[@]} > 60))" 1 "the pages name paths"
is "$(for path in "${paths[@]}"; do [ -e "$path" ] || echo "$path"; done)" "" \
  "all named paths are there"
# Rooms are the directories with C files of the program, and servers/.
is "$(sources '*.c' | grep -vE '^(tests|bench|examples)/' | sed 's|[^/]*$||' | sort -u |
  while read -r room; do grep -q "^| \`$room\` |" CONTRIBUTING.md ||
    grep -q "\`$room\` is" CONTRIBUTING.md || echo "$room"; done)" "" "the map has every room"
# The pages of the rooms, which only their makers know by heart.
is "$(sources '*.md' | grep -E '/' | grep -vE '^(tests|bench|examples|results)/' |
  while read -r page; do grep -qF "\`$page\`" CONTRIBUTING.md || echo "$page"; done)" "" "it names every page of the rooms"

# Lines "kind;paths" of the table of How to add.
sed -n '/^## How to add/,/^## /p' CONTRIBUTING.md | grep '^| ' |
  sed 's/^| \([^|]*\) | \(.*\) |$/\1;\2/' | grep -v '^a new;' >"$work/rows"
grep -v '^#' tests/rules/members.txt >"$work/members"
is "$(cut -d';' -f1 "$work/members" | sort)" "$(cut -d';' -f1 "$work/rows" | sort)" "each row has a member"

# named_by KIND NAME: the paths of the row, with the name for NAME.
named_by() {
  grep "^$1;" "$work/rows" | grep -oE '`[^`]*`' | tr -d '`' | sed "s/NAME/$2/g; s/COMMAND/$2/g"
}
# not_named: lines "kind: file", the files that name a member and that its row does not.
not_named() {
  local kind name words but
  while IFS=';' read -r kind name words but; do
    { named_by "$kind" "${name# }"; tr ' ' '\n' <<<"${but# but }"; } | grep . >"$work/paths"
    sources '*.[ch]' '*.sh' '*.md' '*.1' '*.mdoc' '*.ini' '*.steps' '*.mk' '*.a[cm]' '*.bash' '*.list' |
      grep -vE '^(results|bench|tests)/|^(NEWS|CONTRIBUTING|ARCHITECTURE)\.md$' |
      xargs grep -lwE -e "${words# }" |
      awk -v kind="$kind" 'NR == FNR { path[$1]; next }
        { found = $0 in path; for (p in path) if (p ~ /\/$/ && index($0, p) == 1) found = 1 }
        !found { print kind ": " $0 }' "$work/paths" -
  done
}
is "$(not_named <"$work/members")" "" "each row names every file that names its member"
is "$(echo 'option; rubis; rubis' | not_named | grep -c workload/rubis.c)" 1 "the test sees a file that the row does not name"
