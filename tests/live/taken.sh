#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# PostgreSQL runs, judges and performs as steps all of the list of SQL in
# `isostress help scripts`, and pgbench's own scripts as they are.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
. "$(dirname "${BASH_SOURCE[0]}")/../kit/taken.sh"
live_needs postgresql
case $(isostress list drivers) in
  *postgresql:*) ;;
  *)
    echo "1..0 # SKIP built without the driver postgresql"
    exit 0
    ;;
esac
plan 10
cd "$work" || exit 1
live_start postgresql
pg=${server_uri[0]}

# Beside a script that writes, so that something can go wrong; the seed runs both.
by_run='' steps='' said=''
printf 'UPDATE t SET n = n + 1 WHERE id = 2;\n' >write.pgbench
while IFS=$'\t' read -r mark sample; do
  taken_files "$sample"
  run isostress run --schema s.sql -w x.pgbench,write.pgbench -t 8 -c 1 --seed 1 -P0 "$pg"
  by_run+="$(taken_said 0 1) $sample"$'\n'
  said+="$mark $sample"$'\n'
  case $sample in
    \\*) continue ;; # a command of pgbench
  esac
  run isostress steps x.steps "$pg"
  [ "$status" = 0 ] && grep -q '^history     keeps' <<<"$out" || steps+="$sample"$'\n'
done < <(taken_rows 1)
is "$by_run" "$said" "run: the list is what it takes and judges"
is "$steps" "" "steps take the same, and judge it"

# Three usual forms of a queue.
echo 'CREATE TABLE job (id int PRIMARY KEY, state int NOT NULL, worker int);
INSERT INTO job SELECT i, 0, NULL FROM generate_series(1, 200) i;' >jobs.sql
cat >two.pgbench <<'END'
BEGIN;
SELECT id FROM job WHERE state = 0 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED \gset
UPDATE job SET state = 1, worker = :client_id WHERE id = :id;
COMMIT;
END
echo 'UPDATE job SET state = 1, worker = :client_id WHERE id = (SELECT id FROM job WHERE state = 0 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id;' >one.pgbench
echo 'DELETE FROM job WHERE id IN (SELECT id FROM job WHERE state = 0 ORDER BY id LIMIT 2 FOR UPDATE SKIP LOCKED);' >delete.pgbench
for form in two one delete; do
  run isostress run --schema jobs.sql -w $form.pgbench -t 20 -c 4 -P0 "$pg"
  is "$status" 0 "a queue by $form: no task is handed out twice"
done
run isostress explore --schema jobs.sql two.pgbench@2
is "$status $(grep -c '^two.pgbench:2: expected ";", not "limit"; write MIN or MAX' <<<"$err")" "254 1" \
  "explore refuses it, with what to write instead"

# pgbench's own scripts, which it prints itself, on the tables of pgbench -i.
pgbench=$(ls -d /usr/lib/postgresql/*/bin/pgbench | tail -1)
echo "CREATE TABLE pgbench_branches (bid int not null, bbalance int, filler char(88), primary key (bid));
CREATE TABLE pgbench_tellers (tid int not null, bid int, tbalance int, filler char(84), primary key (tid));
CREATE TABLE pgbench_accounts (aid int not null, bid int, abalance int, filler char(84), primary key (aid));
CREATE TABLE pgbench_history (tid int, bid int, aid int, delta int, mtime timestamp, filler char(22));
INSERT INTO pgbench_branches VALUES (1, 0, '');
INSERT INTO pgbench_tellers SELECT i, 1, 0, '' FROM generate_series(1, 10) i;
INSERT INTO pgbench_accounts SELECT i, 1, 0, '' FROM generate_series(1, 1000) i;" >bank.sql
for name in tpcb-like simple-update select-only; do
  "$pgbench" --show-script=$name 2>$name.pgbench >/dev/null
done
run isostress run --schema bank.sql -w tpcb-like.pgbench,simple-update.pgbench,select-only.pgbench -t 30 -c 4 -P0 "$pg"
is "$status" 0 "pgbench's own three scripts run as they are"
like "$out" 'judged +9 of 9 statements in full' "and all of their statements are judged in full"
run isostress run --schema bank.sql -w tpcb-like.pgbench -t 30 -c 4 -i serializable -P0 "$pg"
is "$status" 0 "tpcb-like at SERIALIZABLE"
run isostress explore --schema bank.sql tpcb-like.pgbench
is "$status $(grep -c '; write ' <<<"$err")" "254 $(grep -cE '^(isostress: )?[a-z-]+\.(sql|pgbench):[0-9]+: ' <<<"$err")" \
  "explore says of each refusal what to write instead"
