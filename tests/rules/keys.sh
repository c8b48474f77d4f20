#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The list of report keys (report/words/keys.h), the code that uses them, and the
# members that report/SCHEMA.md describes are the same.  The terms of a question
# have their keys in their own table (checker/verdict/question.c).
. "${TOP_SRCDIR:?}/tests/rules/rules.sh"
plan 4

keys=$(grep -oE 'REPORT_KEY_[a-z0-9_]+,' report/words/keys.h | sed 's/REPORT_KEY_//; s/,//' | sort)
is "$(($(wc -w <<<"$keys") > 100))" 1 "the test finds keys"
is "$(grep -ohE 'KEY\([a-z0-9_]+\)' report/*.c report/*/*.c | sed 's/KEY(//; s/)//' | sort -u)" "$keys" \
  "each key of the list is used"
is "$(grep -nE 'json_[a-z]+\([^,"]+, "[a-z]' report/*.c report/*/*.c)" "" "no other key is written or read"
# sweep.json belongs to sweep/.
keys=$(grep -ohE '\.key = "[a-z_]+"' checker/verdict/question.c | cut -d'"' -f2 | cat - <(echo "$keys") | sort -u)
described=$(sed '/^# sweep.json/,$d' report/SCHEMA.md | grep -oE '`[a-z0-9_]+`' | tr -d '`' | sort -u)
rows=$(sed '/^# sweep.json/,$d' report/SCHEMA.md | sed -nE 's/^\| `([a-z0-9_]+)`.*/\1/p' | sort -u)
is "$(comm -23 <(echo "$keys") <(echo "$described"))$(comm -23 <(echo "$rows") <(echo "$keys"))" "" \
  "SCHEMA.md describes each key, and no other member"
