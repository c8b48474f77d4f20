#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Advice about scripts on PostgreSQL: a script that the default level breaks,
# with the place, changes that were tried, and a level that does; one that needs
# no advice; and one that no level helps.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs postgresql
live_needs_driver postgresql libpq-dev
plan 39

live_start postgresql
uri=${server_uri[0]}
write() { cat >"$work/$1"; } # write FILE: of the work directory, from stdin
advise() { # advise "SCRIPT..." OPTIONS...
  local scripts=()
  read -ra scripts <<<"$1"
  run isostress advise --schema "$work/schema.sql" -c 4 -T 700ms --op-delay=1ms -o "$work/advice" "${@:2}" \
    "${scripts[@]/#/$work/}" "$uri"
  flat=$(tr -s ' \n' ' ' <<<"$out")
}

write schema.sql <<'SQL'
CREATE TABLE stock (sku int PRIMARY KEY, quantity int NOT NULL, title text NOT NULL);
CREATE TABLE account (id int PRIMARY KEY, customer int NOT NULL, balance numeric(10, 2) NOT NULL);
INSERT INTO stock SELECT i, 1000, 'article ' || i FROM generate_series(1, 3) i;
INSERT INTO account SELECT i, (i + 1) / 2, 1000 FROM generate_series(1, 6) i;
SQL
write place.sql <<'SQL'
\set sku random(1, 3)
BEGIN;
SELECT quantity AS q FROM stock WHERE sku = :sku \gset
UPDATE stock SET quantity = :q - 1 WHERE sku = :sku;
COMMIT;
SQL
write restock.sql <<'SQL'
\set sku random(1, 3)
UPDATE stock SET quantity = quantity + 10 WHERE sku = :sku;
SQL
write withdraw.sql <<'SQL'
\set c random(1, 3)
\set a 2 * :c - random(0, 1)
BEGIN;
SELECT sum(balance) AS s FROM account WHERE customer = :c \gset
\if :s >= 200
UPDATE account SET balance = balance - 0.5 WHERE id = :a;
\endif
COMMIT;
SQL

advise "place.sql@2 restock.sql withdraw.sql@2" --junit="$work/junit.xml"
is "$status" 1 "the default level does not do: status 1"
like "$flat" '^ADVICE: READ COMMITTED, the default, is not enough for these scripts: change' "and the advice says so"
like "$flat" 'or run everything at SERIALIZABLE\. Each was tried, and all that was judged was kept\.' "with the level that does"
like "$out" 'place\.sql +lost update +(kept|none found) +kept' "a script that REPEATABLE READ helps"
like "$out" 'restock\.sql +none found +(kept|none found) +kept' "one that needs nothing"
like "$out" 'withdraw\.sql +(lost update|write skew) +write skew +kept' "and one that needs SERIALIZABLE"
like "$flat" 'found place\.sql:4: lost update found withdraw\.sql:[46]: (lost update|write skew)' "by file and line"
like "$flat" 'place\.sql:4: UPDATE stock SET quantity = quantity - 1 WHERE sku = :sku, without line 3 \(tried: ' \
  "the database may calculate"
like "$flat" 'place\.sql:3: SELECT quantity AS q FROM stock WHERE sku = :sku FOR UPDATE \(tried: ' "or a lock"
like "$flat" 'withdraw\.sql:4: before it: SELECT 1 FROM account WHERE customer = :c FOR UPDATE; \(tried: ' \
  "a sum cannot lock, so the rows are locked before it"
like "$flat" 'withdraw\.sql:4: this script alone at SERIALIZABLE, and again where it is refused \(tried: ' \
  "no other script touches account, so that a level for this one is enough"
unlike "$flat" 'place\.sql:[0-9]: this script alone' "which is not said where others touch the table"
like "$flat" 'refused SERIALIZABLE: could not serialize access .* \(40001\)' "refusals in the database's words"
like "$flat" 'explore does not take place\.sql: .*schema\.sql:1: expected .*, not "text"; write int, and number the texts' \
  "what explore does not take is told, with what to write instead"
page=$(sed -n 's/^page *//p' <<<"$out")
like "$(<"$page")" 'Which script needs which level' "a page"
is "$(grep -c 'href="runs/[^"]*/report.html"' "$page" | sed 's/^[1-9].*/some/')" some "that leads to the pages of the runs"
dead=0
for link in $(sed 's/href="/\n&/g' "$page" | sed -n 's/^href="\(runs[^"]*\)".*/\1/p'); do
  [ -e "$(dirname "$page")/$link" ] || dead=1
done
is "$dead" 0 "which are there"
like "$(tr '\n' ' ' <"$work/junit.xml")" 'name="place.sql".*<failure message="place\.sql:4: lost update at READ COMMITTED' "JUnit has a failure for the script"
is "$(jq -r '.default_is_enough, .level, (.levels | length), .after.kept' "$(dirname "$page")/advice.json" | xargs)" \
  "false serializable 3 true" "advice.json has all of it"

advise restock.sql --output=json
is "$status" 0 "where the default level does, the status is 0"
is "$(jq -r '.default_is_enough, (.remedies | length)' <<<"$out" | xargs)" "true 0" "and nothing is tried, as JSON says"

# Explore takes these, and finds what one session alone cannot show.
write numbers.sql <<'SQL'
CREATE TABLE stock (sku int PRIMARY KEY, quantity int NOT NULL);
INSERT INTO stock VALUES (1, 1000), (2, 1000), (3, 1000);
SQL
run isostress advise --schema "$work/numbers.sql" -c 1 -T 300ms -o "$work/alone" --junit="$work/alone.xml" \
  "$work/place.sql" "$uri"
flat=$(tr -s ' \n' ' ' <<<"$out")
is "$status" 2 "where a run keeps what explore breaks, it is not decided"
like "$flat" '^ADVICE: READ COMMITTED, the default, kept all in its run, but explore found .*: run everything at (REPEATABLE READ|SERIALIZABLE)' \
  "the advice says so"
like "$out" 'explore +breaks +kept +kept' "the answers of explore stand beside those of the runs"
like "$flat" 'differ READ COMMITTED kept all in its run, but allows .*: place\.sql twice' "with the scripts that meet"
page=$(sed -n 's/^page *//p' <<<"$out")
like "$(tr "\n" " " <"$page")" 'What explore says.*place\.sql twice' "and on the page"
like "$(tr '\n' ' ' <"$work/alone.xml")" 'name="explore".*<failure message="READ COMMITTED allows what is not serializable: place\.sql twice' \
  "and for JUnit"

# A signal ends it; what was tried until then is written.  The paths of the
# scripts that are tried are long.
long=$work/$(printf 'x%.0s' {1..250})/$(printf 'y%.0s' {1..200})
isostress advise --schema "$work/schema.sql" -c 2 -T 1h -o "$long" "$work"/{place,restock,withdraw}.sql "$uri" \
  >"$work/told" 2>"$work/said" &
pid=$!
until grep -q 'trying all scripts' "$work/said" || ! kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
kill -TERM "$pid"
wait "$pid"
is "$?" 2 "advice that is interrupted is undecided"
like "$(tr "\n" " " <"$work/said")" '3 scripts at 3 levels, 10800 s each.*about 540 min for all levels' "how long all takes was said"
like "$(tr -s ' \n' ' ' <"$work/told")" 'ADVICE: READ COMMITTED, the default, was not tried.*withdraw.sql not tried not tried not tried.*a signal came before all was tried' \
  "it says what was not tried"
page=$(sed -n 's/^page *//p' "$work/told")
like "$(<"$page")" 'not tried' "on the page, too, whose path it says"
is "$(jq -r '.interrupted, .levels[0].tried' "$(dirname "$page")/advice.json" | xargs)" "true false" "and as JSON"

# An invariant that one transaction alone breaks.
advise restock.sql --invariant 'SELECT (sum(quantity) > 3000)::int FROM stock' --equals 0
is "$status" 1 "an invariant that the transaction itself breaks"
like "$flat" 'No level helps: the invariant broke though the scripts ran as if one after another' "no level helps, it says"

run isostress advise --schema "$work/schema.sql" "$uri"
is "$status" 254 "no script"
like "$err" 'name the scripts' "is said"
run isostress advise --schema "$work/schema.sql" "$work/place.sql" memory:
is "$status" 254 "a database that runs no text"
echo 'BEGIN; SELECT nothing FROM stock; COMMIT;' >"$work/wrong.sql"
advise wrong.sql
is "$status" 254 "a script that the database refuses"
like "$err" 'wrong.sql:1: the database refused it while rehearsing: column "nothing" does not exist' "by file and line, before any run"
