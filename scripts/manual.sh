#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# manual.sh PROGRAM [DIRECTORY]: writes the list of options into each page of
# DIRECTORY, by default man/, between the two lines of the page that say so.
# The options, their groups, letters and arguments are those of PROGRAM help
# COMMAND.  Their paragraphs are in options.mdoc, which says how it is read.
set -eu
program=$1
directory=${2-$(dirname "$0")/../man}

# options COMMAND: the list of options, as mdoc.
options() {
  "$program" help "$1" | awk -v command="$1" '
    # The paragraph of an option that is meant for this command, or for all.
    function paragraph(name) { return ((name, command) in own ? own[name, command] : shared[name]) more[name, command] }
    # An argument such as LEVEL:SHARE,...|auto as macros.
    function macros(text,   out, piece, glue) {
      out = ""; glue = " Ns "
      while (text != "") {
        if (match(text, /^[A-Z]+/)) piece = "Ar " tolower(substr(text, 1, RLENGTH))
        else if (match(text, /^[a-z][a-z-]*/)) piece = "Cm " substr(text, 1, RLENGTH)
        else if (match(text, /^\|/)) piece = "|"
        else if (match(text, /^\.\.\./)) piece = "\\&..."
        else { match(text, /^./); piece = "\\&" substr(text, 1, 1) }
        if (piece == "|") { out = out " |"; glue = " " }
        else { out = out glue piece; glue = " Ns " }
        text = substr(text, RLENGTH + 1)
      }
      return out
    }
    function head(letter, name, argument) {
      return ".It " (letter == "" ? "" : "Fl " letter " , ") "Fl -" name (argument == "" ? "" : " Ns =" macros(argument))
    }
    function tell() {
      if (name == "") return
      print head(letter, name, argument)
      text = paragraph(name)
      if (text == "") { print "options.mdoc has no paragraph of --" name " for " command >"/dev/stderr"; failed = 1 }
      printf "%s", text
      name = ""
    }
    FILENAME == ARGV[1] {
      if (/^\.\\" option /) { besides = /, more:/; sub(/, more/, ""); n = split($0, word, /[: ]+/); option = word[3]; next }
      if (option == "") next
      if (n == 3) shared[option] = shared[option] $0 "\n"
      for (i = 4; i <= n; i++)
        if (besides) more[option, word[i]] = more[option, word[i]] $0 "\n"
        else own[option, word[i]] = own[option, word[i]] $0 "\n"
      next
    }
    /^Options, with their defaults:$/ { listed = 1; next }
    /^Examples:$/ { tell(); listed = 0 }
    !listed { next }
    /^[A-Z].*:$/ { tell(); if (open) print ".El"; print ".Ss " substr($0, 1, length($0) - 1); print ".Bl -tag -width Ds"; open = 1; next }
    /^  (-.,|   ) --/ { tell(); letter = substr($0, 3, 1) == "-" ? substr($0, 4, 1) : ""; rest = substr($0, 9)
      split(rest, part, / +/); spec = part[1]
      name = spec; argument = ""
      if (i = index(spec, "=")) { name = substr(spec, 1, i - 1); argument = substr(spec, i + 1) }
      next }
    END { if (open) print ".El"; exit failed }' "$directory/options.mdoc" -
}

begin='.\" Options, by scripts/manual.sh' end='.\" End of the options'
for page in "$directory"/isostress-*.1; do
  grep -qxF "$begin" "$page" || continue
  command=${page##*/isostress-}
  list=$(options "${command%.1}")
  [ -n "$list" ] || { echo "$page: $program shows no options of ${command%.1}" >&2; exit 1; }
  { sed "\\|^${begin/\\/\\\\}\$|q" "$page" && printf '%s\n' "$list" && sed -n "\\|^${end/\\/\\\\}\$|,\$p" "$page"; } >"$page.new"
  mv "$page.new" "$page"
done
