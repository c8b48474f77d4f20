#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Histories that gzip has packed, and logs of Jepsen as they are.
. "$(dirname "${BASH_SOURCE[0]}")/../tap.sh"
plan 15

formats=$TOP_SRCDIR/tests/histories/formats
cd "$work" || exit 1

printf '0\t:invoke\t:write\t1\n0\t:ok\t:write\t1\n1\t:invoke\t:read\tnil\n1\t:ok\t:read\tnil\n' >stale.txt
sed 's/^/2026-01-05 10:31:29,707{GMT}\tINFO\t[jepsen worker 1] jepsen.util: /' stale.txt >jepsen.log
gzip -k stale.txt
for file in stale.txt jepsen.log stale.txt.gz; do
  run isostress check -l sser "$file"
  like "$status $out" '^1 VIOLATION: strict serializability was broken by StaleRead' "a stale read in $file"
done
for sample in edn.edn lines.jsonl; do
  gzip -c "$formats/$sample" >"$sample.gz"
  is "$(isostress stat "$sample.gz" | sed 's/[.]gz//')" "$(isostress stat "$formats/$sample" | sed "s|$formats/||")" \
    "$sample is the same in an archive"
done
gzip -c "$formats/dbcop.bincode" >b.gz
run isostress check b.gz
like "$status $err" '^255 isostress: b.gz: only texts are read from a gzip archive: unpack it first$' "a binary format is refused"
isostress convert "$formats/lines.jsonl" own.iso >/dev/null 2>&1
gzip -c own.iso >i.gz
run isostress check i.gz
like "$status $err" '^255 isostress: i.gz: ' "so is a file of a run"
seq 1 2000 | gzip -c >n.gz
run isostress check n.gz
like "$status $err" '^255 isostress: n.gz is no history that isostress can read' "what is no history in an archive"
head -c 60 stale.txt.gz >cut.gz
run isostress check cut.gz
like "$status $err" '^255 isostress: cut.gz: cannot be read: the gzip archive is cut off or damaged' "an archive that is cut off"
printf '\x1f\x8b\x08' >short.gz
run isostress check short.gz
like "$status $err" '^255 isostress: short.gz' "or has nothing but its start"
python3 -c 'for i in range(1, 30001): print(f"0\t:invoke\t:write\t{i}\n0\t:ok\t:write\t{i}")' >long.txt
gzip -k long.txt
is "$(isostress stat long.txt.gz | sed 's/[.]gz//')" "$(isostress stat long.txt)" "a file longer than the window"
sed 's/:read/:swap/' stale.txt | gzip -c >swap.gz
run isostress check swap.gz
like "$status $err" '^255 isostress: swap.gz:[0-9]+:[0-9]+: expected the function txn, read, write or cas' "a place in an archive is that in its text"

# etcd's reports are directories of directories.
mkdir -p report/client-1 report/client-2
cp "$formats/etcd-report/client-1/operations.json" report/client-1
sed -n '1s/"Call":90/"Call":250/; 1s/"Return":110/"Return":260/p' "$formats/etcd-report/client-2/operations.json" >report/client-2/operations.json
run isostress check -l sser report
like "$status $out" '^1 VIOLATION: strict serializability was broken by StaleRead' "a stale read in a report of etcd"
run isostress check -l ser report
is "$status" 0 "which is serializable"
sed '1s/"Type":"txn"/"Type":"txn","LeaseRevoke":{"LeaseID":3}/' report/client-1/operations.json >vanish.json
mv vanish.json report/client-1/operations.json
run isostress check -l sser report
is "$status" 0 "where keys vanish, nobody knows what a read of nothing saw"
