# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The list of `isostress help scripts`, for tests that hold it against the
# programs.  Each sample is alone in a schema or a script.

taken_rows() { # taken_rows COLUMN: "yes|-", a tabulator, the sample; columns: own row exp txt
  isostress help scripts | awk -v column="$1" '
    listing { split(substr($0, 65), mark, " "); sample = substr($0, 3, 62); sub(/ +$/, "", sample)
      print mark[column] "\t" sample }
    /own row exp txt$/ { listing = 1 }'
}

# Files of the sample: s.sql, x.pgbench and x.steps.
taken_files() { # taken_files SAMPLE
  local statement=$1
  echo 'CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL, m int NOT NULL);
INSERT INTO t VALUES (1, 10, 1), (2, 20, 2);' >s.sql
  case $1 in
    CREATE*)
      echo "$1;" >>s.sql
      statement='UPDATE t SET n = 1 WHERE id = 1'
      ;;
  esac
  case $1 in
    *'m IS NULL'*) sed -i 's/, m int NOT NULL/, m int/' s.sql ;;
    'INSERT INTO t (id, n)'*) sed -i 's/, m int NOT NULL/, m int DEFAULT 0/' s.sql ;;
  esac
  case $1 in
    SAVEPOINT*) printf 'BEGIN;\n%s;\nSELECT n FROM t WHERE id = 1;\nCOMMIT;\n' "$1" ;;
    \\*) printf '%s\nBEGIN;\nSELECT n FROM t WHERE id = 1;\nCOMMIT;\n' "$1" ;;
    *) printf 'BEGIN;\n%s;\nCOMMIT;\n' "$statement" ;;
  esac >x.pgbench
  {
    sed 's/"/\\"/g; s/.*/schema: "&"/' s.sql
    printf 'A: begin\nA: sql "%s" => ok\nA: commit => ok\n' "$statement"
  } >x.steps
}

taken_said() { # taken_said STATUS...: "yes" if the last status is one of these, "-" if it is 254
  # shellcheck disable=SC2154 # tap.sh
  case " $* " in
    *" $status "*) echo yes ;;
    *) [ "$status" = 254 ] && echo - || echo "status $status" ;;
  esac
}
