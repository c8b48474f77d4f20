#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress check of a collection: many small histories in one file.
. "${TOP_SRCDIR:?}/tests/tap.sh"
cd "$work" || exit 1
plan 20

cat >some.jsonl <<'END'
{"id": "lost update", "history": "[x==? x:=1]\n---\n[x==? x:=2]"}

{"id": "write \"skew\"", "history": "[x==? y:=1]\n---\n[y==? x:=2]"}
{"id": "other words", "history": "{\"session\":0,\"ops\":[[\"w\",\"x\",1]],\"begin\":1,\"end\":2}"}
END
run isostress check some.jsonl --output=json
is "$status" 1 "the worst verdict is the exit status"
is "$(wc -l <<<"$out")" 3 "a line for each history"
is "$(sed -n 1p <<<"$out")" \
  '{"id": "lost update", "verdicts": {"rc": "pass", "ra": "pass", "cc": "pass", "pc": "pass", "si": "violation", "ser": "violation", "sser": "violation"}, "anomalies": {"si": "LostUpdate", "ser": "LostUpdate", "sser": "LostUpdate"}}' \
  "a line has all levels unless some are asked for, and the anomalies"
like "$(sed -n 2p <<<"$out")" '^[{]"id": "write \\"skew\\"".*"si": "pass", "ser": "violation".*"ser": "WriteSkew"' \
  "ids are escaped, and a text has lines"
like "$(sed -n 3p <<<"$out")" '"sser": "pass"}, "anomalies": [{][}][}]$' "a history in another notation"
is "$err" "" "a collection prints nothing on stderr"
run isostress check some.jsonl -l si,ser
is "$status" 1 "a violation in a collection has status 1"
is "$out" "$(printf '%s\t%s\t%s\t%s\n' 'lost update' si violation LostUpdate \
  'lost update' ser violation LostUpdate 'write "skew"' si pass '' \
  'write "skew"' ser violation WriteSkew 'other words' si pass '' 'other words' ser pass '')" \
  "id, level, verdict and anomaly, at the levels that are asked for"
run isostress check some.jsonl -l si --output=json -j 1
is "$(grep -c '"verdicts": {"si": "[a-z]*"}' <<<"$out")" 3 "JSON has the one level that was asked for"

cat >bad.jsonl <<'END'
{"id": "good", "history": "[x:=1]"}
{"id": "torn", "history": "[x:=1"}
{"id": "nothing"}
{"id": 
{"id": "last", "history": "[x:=1]\n---\n[x==1]"}
END
run isostress check bad.jsonl -l ser
is "$status" 255 "lines that cannot be read are trouble"
is "$(cut -f 1 <<<"$out" | xargs)" "good last" "the others are checked"
is "$(wc -l <<<"$err")" 3 "each such line is told in a sentence"
like "$err" '^isostress: bad.jsonl:2:1:1: ' "the sentence has the line and the place in the history"
like "$err" 'bad.jsonl:3: expected .*"id": TEXT, "history": TEXT' "what is expected"
like "$err" 'isostress: bad.jsonl:4: ' "a line that is not JSON is trouble"

awk 'BEGIN { for (i = 0; i < 20000; i++)
  printf "{\"id\": \"%d\", \"history\": \"[x==? x:=%d]\\n---\\n[x==%d y:=1]\\n---\\n[y==?]\"}\n", i, i + 1, i % 2 ? i + 1 : 7e9 }' >many.jsonl
run isostress check many.jsonl --output=json
is "$status $(wc -l <<<"$out") $(grep -c '"ser": "pass"' <<<"$out")" "1 20000 10000" "twenty thousand histories are checked"
run isostress check some.jsonl many.jsonl -l ser
is "$status $(wc -l <<<"$out")" "1 20003" "several collections are checked"

# Each transaction at its own level; a lost update is allowed at rc only.
cat >levels.jsonl <<'END2'
{"id": "allowed", "history": "[x==? x:=1]%rc\n---\n[x==? x:=2]%rc"}
{"id": "mixed", "history": "[x==? x:=1]%rc\n---\n[x==? x:=2]%si"}
{"id": "forbidden", "history": "[x==? x:=1]%si\n---\n[x==? x:=2]%si"}
{"id": "unknown", "history": "[x==? x:=1]\n---\n[x==? x:=2]"}
END2
run isostress check -l recorded levels.jsonl
is "$status $(cut -f 1-3 <<<"$out" | tr '\t\n' ': ')" \
  "1 allowed:recorded:pass mixed:recorded:pass forbidden:recorded:violation unknown:recorded:undecided " \
  "recorded levels are judged in a collection, and no others"
run isostress check -l recorded,ser levels.jsonl --output=json
is "$(sed -n 1p <<<"$out")" \
  '{"id": "allowed", "verdicts": {"ser": "violation", "recorded": "pass"}, "anomalies": {"ser": "LostUpdate"}}' \
  "beside another level, too"
mkdir levels
printf '[x==? x:=1]%%rc\n---\n[x==? x:=2]%%rc\n' >levels/allowed.txt
printf '[x==? x:=1]%%si\n---\n[x==? x:=2]%%si\n---\n[y:=1]%%rc\n' >levels/forbidden.txt
run isostress check -l recorded levels
is "$status $(cut -f 2,3 <<<"$out" | tr '\t\n' ': ')" "1 rc:pass recorded:violation " \
  "the histories of a directory are judged by recorded levels"
