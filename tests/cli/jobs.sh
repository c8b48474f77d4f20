#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Job files: those that are installed, those that are stored, those that are
# wrong; and passwords, which no job file may hold.
. "${TOP_SRCDIR:?}/tests/tap.sh"

cd "$work" || exit 1
export ISOSTRESS_FILES=$TOP_SRCDIR

plan 32
run isostress run -v quick.ini sqlite:x.db -t 50
is "$status" 0 "a ready job file is found by its name"
like "$(cat results/runs/latest/job.ini)" '^time = 5s$' "the job file says how long the run takes"
like "$(cat results/runs/latest/job.ini)" '^transactions = 50$' "the command line adds to it"
for file in "$TOP_SRCDIR"/configs/*.ini; do
  like "$(head -1 "$file")" '^; ..*[.a-z]' "$(basename "$file") starts with what it is for"
done
run isostress run -v contention.ini memory: -T 0 -t 20
is "$status" 0 "contention.ini runs"
is "$(grep -c '^\[' <<<"$out")" 3 "each section of contention.ini is a job"
run isostress run -v workloads.ini memory: -T 0 -t 50
is "$status" 0 "workloads.ini runs"
run isostress run -v soak.ini memory: -T 0 -t 100 -R 0
is "$status" 0 "soak.ini runs"

run isostress run -v memory-bugs.ini
is "$status" 1 "the worst of several jobs counts"
is "$(sed -n 's/^VIOLATION: .* was broken by \([A-Za-z]*\).*/\1/p' <<<"$out")" \
  "$(sed -n 's/^\[\(.*\)\]/\1/p' <<<"$out")" "every bug is found and named"

cat >two.ini <<'END'
[global]
target = memory:
transactions = 2k
clients = 4
keys = 20
distribution = uniform
threads = 1
seed = 1
[good]
[bad]
bug = LostUpdate
isolation = si
END
run isostress run -v two.ini --output=json
is "$status $(python3 -c 'import json, sys
text, d, n = sys.stdin.read(), json.JSONDecoder(), 0
while text.strip():
    document, end = d.raw_decode(text.lstrip())
    text = text.lstrip()[end:]
    n += 1
print(n)' <<<"$out")" "1 2" "several jobs are several JSON documents"
is "$(grep -c '^\[bad\]' results/runs/latest/job.ini)" 1 "a stored job keeps its name"

# A stored job does the same again.
run isostress run -v -c 4 -t 2k -k 20 --threads=1 --bug=WriteSkew:0.3 \
  --distribution=zipfian:0.2 --shares=rmw2:0.5,r2w1:0.5 -i ser memory:
first=$(readlink results/runs/latest) was=$status
run isostress run -v results/runs/latest/job.ini
second=$(readlink results/runs/latest)
unlike "$second" "^$first\$" "a stored job runs again"
is "$(cat "results/runs/$second/job.ini")" "$(cat "results/runs/$first/job.ini")" \
  "the second run stores the same job"
is "$status" "$was" "the second run has the same verdict"
cmp "results/runs/$first/history" "results/runs/$second/history" >&2
is $? 0 "the second run records the same history"
run isostress run -v results/runs/latest/job.ini --seed=1
cmp -s "results/runs/$first/history" results/runs/latest/history
is $? 1 "another seed, another history"
is "$(grep -cE '^[a-z-]+ =' results/runs/latest/job.ini)" \
  "$(isostress help run | grep -cE '^  (-.,|   ) --')" "every setting is stored"

# Passwords.
run isostress run "memory:?token=hush" -t 10
is "$status" 254 "an unknown option"
unlike "$err$out" hush "is refused without its secret"
mkfifo waits.ini
isostress run waits.ini --target="nosuch://me:hush@host/db?token=hush" 2>/dev/null &
exec {feed}>waits.ini # once it has begun to read
is "$(tr '\0' ' ' </proc/$!/cmdline | grep -o 'run .*')" \
  "run waits.ini --target=nosuch://me:****@host/db?token=**** " \
  "passwords are hidden from who lists processes"
exec {feed}>&-
wait $!
cat >secret.ini <<'END'
[a]
target = nosuch://me:hush@host/db
END
run isostress run -v secret.ini
unlike "$err" hush "a target is refused without its password"
sed -i 's/hush/***/' secret.ini
run isostress run -v secret.ini
like "$err" "no driver .*nosuch" "a stored target is taken without its password"
like "$err" 'the recorded target lacks its password: .* PGPASSWORD' "a target without its password is refused with a hint"
printf '[a]\ntarget = memory:?token=***\n' >secret.ini
run isostress run -v secret.ini
is "$status $err" "254 isostress: the recorded target lacks its secret: give the target again, with the secret" \
  "another secret is asked for"

# Wrong files.
mkdir directory.ini
run isostress run -v directory.ini
is "$status $err" "254 isostress: directory.ini: Is a directory" "a directory"
printf '[a]\nclients = 0\n' >wrong.ini
run isostress run -v wrong.ini memory:
is "$status $err" "254 isostress: wrong.ini:2: clients: must be between 1 and 4194304, not 0" \
  "a mistake has its line"
head -c 3000 /dev/urandom >noise.ini
run isostress run -v noise.ini memory:
is "$status $(wc -l <<<"$err")" "254 1" "noise"
