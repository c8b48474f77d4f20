# shellcheck shell=bash disable=SC2034,SC2154
# SPDX-License-Identifier: GPL-3.0-or-later
# A run of scripts that is killed is judged by rows, and in full once the database has
# ranked what conditions compare.  To be read by tests behind tests/tap.sh.

# run_to_kill TARGET RESULTS: runs scripts there; once they have noted something, sets
# $process and the run's $directory.
run_to_kill() {
  local target=$1 results=$2
  cat >"$work/seats.sql" <<'SQL'
CREATE TABLE seat (id INTEGER PRIMARY KEY, taken INT NOT NULL, room VARCHAR(9));
INSERT INTO seat VALUES (1, 0, 'a'), (2, 0, 'b'), (3, 0, NULL);
SQL
  cat >"$work/take.sql" <<'SQL'
\set s random(1, 3)
BEGIN;
SELECT count(*) AS n FROM seat WHERE id = :s AND room < 'x';
UPDATE seat SET taken = taken + 1 WHERE id = :s;
COMMIT;
SQL
  rm -f "$results/latest"
  isostress run "$target" --schema "$work/seats.sql" -w "$work/take.sql" -i serializable -c 4 -T 300 -P 0 \
    -o "$results" >/dev/null 2>&1 &
  process=$!
  until [ "$(stat -Lc %s "$results/latest/seen" 2>/dev/null || echo 0)" -gt 30000 ]; do
    kill -0 "$process" 2>/dev/null || break
    sleep .1
  done
  directory=$(readlink -f "$results/latest")
}

# killed NAME TARGET RANKING: kills a run on TARGET with KILL once it has noted something,
# judges it, and ranks it on the target RANKING.  Six checks.
killed() {
  local name=$1 target=$2 ranking=$3 directory process
  run_to_kill "$target" "$work/killed"
  run isostress check "$directory"
  like "$status $err" '^(255|2) .*the run goes on' "$name: while it goes on it has no history"
  kill -9 "$process"
  wait "$process" 2>/dev/null
  run isostress check "$directory"
  like "$status $err" '^0 .*was killed, and is judged by rows' "$name: a run that was killed is judged"
  is "$(isostress convert --to=text "$directory" - 2>/dev/null | grep -c '{rank_')" 0 "$name: by rows"
  run isostress rank "$directory" "$ranking"
  like "$status $out" '^0 [0-9]+ transactions, [1-9][0-9]* of [0-9]+ statements in full' "$name: its values are ranked"
  like "$(isostress convert --to=text "$directory" - 2>/dev/null | grep -c '{rank_')" '^[1-9]' "$name: then in full"
  run isostress check "$directory"
  is "$status $(grep -c killed <<<"$err") $(ls "$directory")" "0 0 history
job.ini" "$name: and kept, as any other run"
  rm -rf "$work/killed"
}
