#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The commands of --save-commands and those of a page, pasted terminal by terminal
# into the shells of real servers, show the anomaly that they tell of: each read
# returns what is noted there, the last SELECT shows the damage, and nothing fails.
# A database that allows no such anomaly refuses one of the commits.  Of the user's
# own scripts, each statement is one of them.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs postgresql mariadb redis etcd
command -v sqlite3 >/dev/null || {
  echo "1..0 # SKIP sqlite3: apt-get install sqlite3"
  exit 0
}
live_needs_driver postgresql libpq-dev
live_needs_driver mysql libmariadb-dev
live_needs_driver redis libhiredis-dev
live_needs_driver etcd libcurl4-openssl-dev libjansson-dev
live_needs_driver sqlite libsqlite3-dev
plan 67
export ISOSTRESS_FILES=$TOP_SRCDIR
unset MYSQL_PWD
export HOME=$work

shell() { # shell KIND
  local user
  case $1 in
    postgresql) "$(postgresql_program psql)" -qAtX "${server_uri[0]}" ;;
    mariadb)
      user=$(line_of "$server/0/user")
      as_user "$user" "$(mariadb_program mariadb)" --no-defaults --force -nNB \
        -S "$server/0/socket" -u "$user" isostress
      ;;
    redis) redis_ask "$server/0" ;;
    etcd) PATH=$(dirname "$(etcd_program etcdctl)"):$PATH ETCDCTL_API=3 bash ;;
    sqlite) cd "$work" && sqlite3 isostress_try.db ;;
  esac
}

# Each terminal has a descriptor, a file, and a text that it was last asked to echo.
declare -A input output echoed
shells=()
open_terminals() { # open_terminals KIND NAME...
  local kind=$1 name fd
  shift
  input=() output=() echoed=() shells=()
  for name in "$@"; do
    output[$name]=$work/$kind.$name
    rm -f "$work/input"
    mkfifo "$work/input"
    shell "$kind" <"$work/input" >"${output[$name]}" 2>&1 &
    shells+=($!)
    exec {fd}>"$work/input"
    input[$name]=$fd
  done
}

close_terminals() {
  local fd
  for fd in "${input[@]}"; do exec {fd}>&-; done
  wait "${shells[@]}"
}

# How many sessions wait for others?  The server knows.
nblocked() { # nblocked KIND
  case $1 in
    postgresql)
      "$(postgresql_program psql)" -qAtX "${server_uri[0]}" -c \
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
      ;;
    mariadb)
      # innodb_trx would stay as it is for as long as it is read often.
      mariadb_sql "$server/0" "SELECT variable_value
        FROM information_schema.global_status
        WHERE variable_name = 'innodb_row_lock_current_waits'"
      ;;
    *) echo 0 ;;
  esac
}

unanswered() { # how many terminals have not come to what they were to echo?
  local name count=0
  for name in "${!echoed[@]}"; do
    grep -qx "${echoed[$name]}" "${output[$name]}" || count=$((count + 1))
  done
  echo "$count"
}

# As a person would: goes on when the terminal has answered all, or waits as all
# do that have not answered.
await() { # await KIND NAME
  local tries echo mark
  mark=mark$((++nmarks))
  case $1 in
    redis) echo="ECHO $mark" ;;
    etcd) echo="echo $mark" ;;
    *) echo="SELECT '$mark';" ;;
  esac
  echo "$echo" >&"${input[$2]}"
  echoed[$2]=$mark
  for ((tries = 0; tries < 600; tries++)); do
    ! grep -qx "$mark" "${output[$2]}" || return 0
    [ "$(nblocked "$1")" -lt "$(unanswered)" ] || return 0
    sleep 0.05
  done
}
nmarks=0

# The file's blocks end with an empty line, which also stands in what is typed up to
# END.  What any terminal may do, the first one does.
paste_into_terminals() { # paste_into_terminals KIND FILE
  local names name line typed=
  mapfile -t names < <(sed -n 's/^.* Terminal \(. (.*)\):$/\1/p' "$2" | sort -u)
  open_terminals "$1" "${names[@]}"
  name=${names[0]}
  while IFS= read -r line; do
    case $line in
      'SELECT '*' ORDER BY '*) line="SELECT 'left', ${line#SELECT }" ;;
      *' Terminal '*:) name=${line##* Terminal } name=${name%:} ;;
      *' At the end, '*:)
        name=${names[0]}
        [ "$1" = etcd ] && line=${line/#\#*/echo end} || line=${line/#\#*/ECHO end}
        ;;
    esac
    case $line in
      *'<<END') typed='more' ;;
      END) typed= ;;
    esac
    echo "$line" >&"${input[$name]}"
    [ -n "$line$typed" ] || await "$1" "$name"
  done < <(cat "$2" && echo)
  close_terminals
}

# Rows of several columns come back in any order; single values in that of the reads.
arrange() {
  local lines
  lines=$(cat)
  case $lines in
    *,*) sort <<<"$lines" ;;
    *) sort -s -k 1,1 <<<"$lines" ;;
  esac
}

noted() { # noted FILE: what each terminal's reads returned, row by row
  awk '/ Terminal . \(.*\):$/ { name = substr($0, index($0, "Terminal ") + 9) }
    match($0, /returned .*/) {
      gsub(/ \([^)]*\)/, "")
      n = split(substr($0, RSTART + 9), row, " ")
      for (i = 1; i <= n; i++) if (row[i] != "nothing") print name, row[i]
    }' "$1" |
    arrange
}

returned() {
  local name
  for name in "${!output[@]}"; do
    sed '/^end$/,$d' "${output[$name]}" | tr '|\t' ',,' | sed -n "s/^[0-9][0-9,]*$/$name: &/p"
  done | arrange
}

# Four checks.
shows() { # shows KIND LEVEL CHECK ANOMALY OPTION...
  local kind=$1 level=$2 check=$3 anomaly=$4 seed commands=$work/commands
  shift 4
  local keys=(-k 5)
  [[ " $* " != *' --schema '* ]] || keys=()
  for seed in {1..20}; do
    isostress run -v "${server_uri[0]}" -i "$level" --check "$check" "${keys[@]}" \
      -t 500 --seed "$seed" "$@" -o "$work/runs" >/dev/null 2>&1
    run isostress replay "$work/runs/latest" "${server_uri[0]}" -i "$level" \
      -l "$check" --repeat 5 --save-commands "$commands"
    ! grep -qE "^$anomaly came back in [1-5] of 5" <<<"$out" || break
  done
  like "$out" "^$anomaly came back in [1-5] of 5" "$kind: $anomaly comes back"
  paste_into_terminals "$kind" "$commands"
  is "$(returned)" "$(noted "$commands")" "typed in, each read returns the same"
  like "$(noted "$commands")" ': [0-9,]+$' "the terminals return rows of reads"
  unlike "$(cat "${output[@]}" | grep -v "unknown command '#'")" 'ERR' \
    "no command that is typed fails"
}

# The commands of a page in the order and the form of such a file.
page_commands() { # page_commands COMMENT: of the last run
  python3 - "$work/runs/latest/report.html" "$1" <<'END'
import html, re, sys
page, comment = open(sys.argv[1]).read(), sys.argv[2]
section = re.search('<section id="hands".*?</section>', page, re.S).group()
names = dict(re.findall(r'<h3 class="(\w)">Terminal \w (\(.*?\))</h3>', section))
commands = re.findall(r'<div class="cmd (\w+)">.*?<code>(.*?)</code>(?:<br><span class="soft">(.*?)</span>)?',
                      section, re.S)
for i, (who, text, below) in enumerate(commands):
    if i == len(commands) - 2:
        print(f"{comment} At the end, at any terminal:")
    if who != "all":
        print(f"{comment} Terminal {who} {names[who]}:")
    print(html.unescape(text), end="")
    if below:
        print("\n" if comment == "#" or who == "all" else "  ", comment, " ", html.unescape(below), sep="", end="")
    print("\n" if i < len(commands) - 2 else "")
END
}

# Three checks.
shows_by_page() { # shows_by_page KIND COMMENT
  page_commands "$2" >"$work/commands"
  paste_into_terminals "$1" "$work/commands"
  is "$(returned)" "$(noted "$work/commands")" "$1: typed as the page has it, each read returns the same"
  like "$(noted "$work/commands")" ': [0-9,]+$' "the terminals return rows of reads"
  unlike "$(cat "${output[@]}" | grep -v "unknown command '#'")" 'ERR' "no command of the page fails"
}

# The rows that the last SELECT returned, and those that are noted there.
left() { cat "${output[@]}" | tr '|\t' ',,' | sed -n 's/^left,//p'; }
damage() { sed -n 's/^.* returns \([0-9,]*\)\(\. One after the other.*\| (.*\)*$/\1/p' "$work/commands"; }
nschemas() { # nschemas KIND
  case $1 in
    postgresql) "$(postgresql_program psql)" -qAtX "${server_uri[0]}" -c '\dn isostress_try' | wc -l ;;
    mariadb) mariadb_sql "$server/0" "SHOW DATABASES LIKE 'isostress_try'" | wc -l ;;
  esac
}

cat >"$work/stock.sql" <<'END'
CREATE TABLE stock (
  n int NOT NULL, -- in pieces
  sku int PRIMARY KEY);
INSERT INTO stock (sku, n) VALUES (7, 5000);
END
cat >"$work/sell.pgbench" <<'END'
\set sku random(7, 7)
BEGIN;
SELECT n AS pieces
  FROM stock WHERE sku = :sku \gset
UPDATE stock SET n = :pieces - 1 WHERE sku = :sku;
COMMIT;
END
# The script's own lines.  The two may have read different numbers.
sells() { # sells KIND LEVEL
  shows "$1" "$2" ser LostUpdate -w "$work/sell.pgbench" --schema "$work/stock.sql" -c 4 -t 100
  is "$(left)" "$(damage)" "the last SELECT shows what is noted"
  like "$(left)" '^7,[0-9]+$' "which is the row that lost an update"
  local selects=$work/selects updates=$work/updates
  sed -n 's/^SELECT n AS pieces FROM stock WHERE sku = 7;  -- sell.pgbench:3, returned \([0-9]*\)$/\1/p' \
    "$work/commands" | sort >"$selects"
  sed -n 's/^UPDATE stock SET n = \([0-9]*\) - 1 WHERE sku = 7;  -- sell.pgbench:5, changed 7,\([0-9]*\)$/\1 \2/p' \
    "$work/commands" | sort >"$updates"
  is "$(wc -l <"$selects")" 2 "both ran the SELECT of the script, with its file and line"
  is "$(cat "$updates")" "$(awk '{ print $1, $1 - 1 }' "$selects")" \
    "and its UPDATE, with the numbers that were sent"
  like "$(cat "$work/commands")" 'CREATE TABLE isostress_try.stock \( n int NOT NULL, sku int PRIMARY KEY\)' \
    "on the table of the schema, which stands in one of its own"
  is "$(nschemas "$1")" 0 "which is gone at the end"
}
loses() { # loses KIND LEVEL: a register
  shows "$1" "$2" si LostUpdate --shares rmw1:1
  is "$(left)" "$(damage)" "the last SELECT shows what is noted"
  like "$(cat "$work/commands")" 'T[0-9]+ had not seen [0-9]+ \(x[0-9]+\) when it replaced that\.$' \
    "and which change is lost"
  shows_by_page "$1" --
  is "$(left)" "$(damage)" "the last SELECT of the page shows what is noted"
}

# Three checks: two transactions read the same, and one of them cannot commit.
refuses() { # refuses KIND TARGET REFUSAL
  run isostress replay "$TOP_SRCDIR/tests/histories/si/n-lost-update.txt" "$2" --level si \
    --repeat 1 --save-commands "$work/commands"
  paste_into_terminals "$1" "$work/commands"
  is "$(returned)" "$(noted "$work/commands")" "$1: typed in, each read returns the same"
  is "$(noted "$work/commands" | grep -c ': 0$')" 2 "both return what was there before"
  like "$(cat "${output[@]}")" "$3" "and one of the two is refused"
}

live_start postgresql
sells postgresql "read committed"
loses postgresql "read committed"
shows postgresql "repeatable read" ser WriteSkew
shows postgresql "repeatable read" ser '[A-Za-z0-9-]+' -w predicate --shares guard:1,delete:1 -k 96 -t 150
live_start mariadb innodb-lock-wait-timeout=120
sells mariadb "repeatable read"
loses mariadb "repeatable read"
shows mariadb "repeatable read" ra '[A-Za-z0-9-]+' -w predicate --shares same:1,insert:1 -k 96 -t 150
live_start redis
shows redis multi si LostUpdate
shows_by_page redis '#'
live_start etcd
refuses etcd "${server_uri[0]}" '^FAILURE$'
like "$(cat "${output[@]}")" '^SUCCESS$' "while the other one takes place"
unlike "$(cat "${output[@]}")" 'rror' "no command fails"
refuses sqlite "sqlite:$work/replay.db" 'database is locked'
