#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Values that are written to a key more than once.
. "${TOP_SRCDIR:?}/tests/tap.sh"

cd "$work" || exit 1
# The second session's read is of its own time only if it saw the second 1.
cat >kept.txt <<'END'
[x:=1]@1..2 [x:=2]@3..4 [x:=1]@5..6
---
[x==1]@7..8
END
# Both reads would have to be of the value that is not there any more, and 7
# and 8 were written in the other order.
cat >broken.txt <<'END'
[x:=1 y:=1]@1..40
---
[x:=1 y:=2]@2..41
---
[x:=3 y:=3]@3..42
---
[x==1 y==3]@43..44
END
printf 'INFO  jepsen.util - %s\n' \
  $'0\t:invoke\t:write\t1' $'0\t:ok\t:write\t1' $'1\t:invoke\t:cas\t[1 2]' \
  $'0\t:invoke\t:write\t1' $'1\t:ok\t:cas\t[1 2]' $'0\t:ok\t:write\t1' \
  $'1\t:invoke\t:read\tnil' $'1\t:ok\t:read\t1' >register.log

plan 34
run isostress check -l ser kept.txt
is "$status" 255 "a history with equal values is an error"
like "$err" 'value 1 is written to key x twice, in session 0, transaction 0 and in session 0, transaction 2' \
  "the error names both writes of the value"
run isostress check -l sser --duplicate-values=allow --witness=kept.proof kept.txt
is "$status" 0 "--duplicate-values=allow keeps a history with equal values"
like "$out" 'which write each of 1 reads of values' "the proof says which write each read saw"
run isostress verify kept.txt kept.proof
is "$status" 0 "verify accepts the proof"
like "$out" '^PASS proved: strict serializability was kept' "verify says what was proved"
run isostress verify --duplicate-values=refuse kept.txt kept.proof
is "$status" 255 "the proof does not fit a history whose values must be unique"

run isostress check -l ser --duplicate-values=allow --witness=broken.proof broken.txt
is "$status" 1 "a level that no way to take the reads keeps is broken"
like "$out" '^VIOLATION: serializability was broken by' "the verdict on that level says violation"
like "$out" '  Some values were written more than once; the counterexample holds if' "the counterexample holds for one way to take the reads"
like "$out" '    what 3:0 read of key x was the 1 that [01]:0 wrote;' "the way to take the reads is told"
like "$out" 'Every other way to take the reads is refuted as well, by an argument of [0-9]+ steps,' \
  "the refutation of the other ways is told"
run isostress verify broken.txt broken.proof
is "$status" 1 "verify accepts the proof of the violation"
run isostress check -l ser --output=json --duplicate-values=allow broken.txt
like "$out" '"other_ways_steps": ?[1-9]' "JSON counts the steps of the argument"
isostress check -l ser --explain=why --duplicate-values=allow broken.txt >/dev/null 2>&1
like "$(cat why/report.html)" 'The counterexample holds for one way to take [0-9]* reads' "the page says for how many reads the counterexample holds"
run isostress check -l auto --duplicate-values=allow broken.txt
is "$status" 0 "all levels of a history without a claim are checked"
like "$out" 'the strongest level known to be kept is read committed' "the report names the strongest level kept"

# Sixty transactions one after the other, of six sessions that read what the
# ones before them wrote: four values of two keys, and no times.
python3 - >serial.txt <<'END'
state, sessions = ["?", "?"], [[] for _ in range(6)]
for t in range(60):
    key, number = t * t % 7 % 2, 1 + t * 5 % 11 % 4
    sessions[t * 7 % 13 % 6].append(
        f"[x{key}=={state[key]} x{key}:={number} x{1 - key}=={state[1 - key]}]")
    state[key] = number
print("\n---\n".join("\n".join(session) for session in sessions))
END
for level in ra si ser; do
  run isostress check -l "$level" --duplicate-values=allow serial.txt
  is "$status" 0 "$level without times is kept if all reads fit an order"
done
run isostress check -l sser --duplicate-values=allow serial.txt
is "$status" 2 "an order without times does not decide real time"

# Lists of three values, each transaction run on what all those before left, with
# times.
python3 - >lists.txt <<'END'
sessions, state = [[] for _ in range(6)], [[], []]
for t in range(60):
    key, number = t * t % 7 % 2, 1 + t * 5 % 11 % 3
    seen = [",".join(map(str, elements)) for elements in state]
    before, after = f"x{key}==[{seen[key]}] ", f" x{1 - key}==[{seen[1 - key]}]"
    append = f"x{key}+={number}"
    sessions[t * 7 % 13 % 6].append(
        f"[{before + append + after if t % 3 else append}]@{10 * t}..{10 * t + 15}")
    state[key].append(number)
print("\n---\n".join("\n".join(session) for session in sessions))
END
for level in rc si ser; do
  run isostress check -l "$level" --duplicate-values=allow lists.txt
  is "$status" 0 "$level is decided for lists of few values"
done

run isostress check -l sser --duplicate-values=allow register.log
is "$status" 0 "a register of few values is decided"
run isostress stat kept.txt
like "$out" '^values twice    1 writes; the first 1 to key x, in 0:0 and in 0:2' "duplicates are counted in any case"
like "$out" '^  their reads   1 may have seen several writes' "stat counts reads that may have seen several writes"
echo '[x:=0]' >zero.txt
run isostress stat --init=implicit zero.txt
like "$out" 'values twice    1 writes; the first 0 to key x, in what it held at first and in 0:0' \
  "stat counts initial values that were written"
run isostress check -l ser --init=implicit zero.txt
like "$err" 'transaction 0 writes 0 to key x, which is its initial value' "a written initial value is refused"
run isostress convert --duplicate-values=allow kept.txt kept.jsonl
is "$status" 0 "initial values that were written can be converted"
run isostress convert --duplicate-values=allow --strict kept.txt kept.iso
like "$err" 'cannot represent equal values of a key: become different ones' "a format without equal values makes them different"
is "$status" 255 "--strict refuses a format without equal values"
run isostress convert --duplicate-values=allow kept.jsonl kept.cobra
unlike "$err" 'equal values' "Cobra's logs keep equal values"
run isostress convert --duplicate-values=allow kept.cobra again.jsonl
run isostress convert --duplicate-values=allow kept.jsonl kept.awdit
run isostress convert --duplicate-values=allow kept.awdit as-awdit.jsonl
is "$(cat again.jsonl)" "$(cat as-awdit.jsonl)" "AWDIT's texts keep equal values"
