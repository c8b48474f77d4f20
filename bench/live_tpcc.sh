#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# TPC-C's throughput under isostress, recorded, against pgbench with the same
# statements on tables without the columns wid and prev (plain), and against
# pgbench with these columns and RETURNING (columns): so columns/plain is what
# the columns cost, and recorded/columns what isostress costs beyond them.  At
# read committed on PostgreSQL.
#
# pgbench has no loops, so the lines of an order and the districts of a delivery
# are written out; it cannot add up rows either, so a delivery pays a fixed
# amount, and an order by name is the last customer's of three.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"

# Nothing that comes and goes by itself; deadlocks are found soon.
server_start postgresql autovacuum=off checkpoint_timeout=1h max_wal_size=4GB \
  deadlock_timeout=10ms || exit 1
uri=${server_uri[0]}
load=(-w tpcc -i "read committed") loaded="TPC-C of one warehouse"
options='&index=btree' warm=200
programs=(recorded plain columns)

# ---- Statements, as drivers/sql_text/sql_rows.c composes them

table= # tables of the program that is written: plain or columns
declare -A columns=([warehouse]="ytd" [district]="warehouse, next, ytd"
  [customer]="name, balance, ytd, payments, deliveries" [history]="customer, district, amount"
  [new_order]="district" [orders]="customer, carrier, ol_cnt"
  [order_line]="ord, item, quantity, amount, delivered" [item]="price"
  [stock]="warehouse, quantity, ytd, orders")

has_columns() { [ "$table" = columns ]; }

# END is ; or what takes the values over.
selects() { # selects TABLE CONDITION [END]
  echo "SELECT id, $(has_columns && echo 'wid, ')${columns[$1]} FROM ${table}_$1 WHERE $2${3:-;}"
}

updates() { # updates TABLE SETS CONDITION
  if has_columns; then
    echo "UPDATE ${table}_$1 SET prev = wid, wid = :client_id, $2 WHERE $3 RETURNING id, prev, ${columns[$1]};"
  else
    echo "UPDATE ${table}_$1 SET $2 WHERE $3;"
  fi
}

inserts() { # inserts TABLE VALUES: the key first
  if has_columns; then
    echo "INSERT INTO ${table}_$1 (id, ${columns[$1]}, wid, prev) VALUES ($2, :client_id, -1)" \
      "RETURNING id, prev, ${columns[$1]};"
  else
    echo "INSERT INTO ${table}_$1 (id, ${columns[$1]}) VALUES ($2);"
  fi
}

deletes() { # deletes TABLE CONDITION
  echo "DELETE FROM ${table}_$1 WHERE $2$(has_columns && echo " RETURNING id, wid, ${columns[$1]}");"
}

# ---- Transactions

begins() {
  cat <<'SQL'
\set d random(0, 9)
\set c :d * 99 + random(0, 98)
\set name :c / 3
\set amount random(1, 5000)
BEGIN ISOLATION LEVEL read committed;
SQL
}

ends_if() { printf '%s\n' '\endif'; }

orders_a_line() { # orders_a_line NUMBER
  echo "\\if :n > $1"
  echo '\set i random(0, 999)'
  echo '\set q random(1, 10)'
  selects item "id = :i" ' \gset i_'
  selects stock "id = :i FOR UPDATE" ' \gset s_'
  echo '\set left case when :s_quantity - :q < 10 then :s_quantity - :q + 91 else :s_quantity - :q end'
  updates stock "quantity = :left, ytd = ytd + :q, orders = orders + 1" "id = :i"
  echo '\set cost :q * :i_price'
  echo "\\set line :o * 16 + $1"
  inserts order_line ":line, :o, :i, :q, :cost, 0"
  ends_if
}

new_order() {
  local line
  echo '\set n random(5, 15)'
  begins
  selects customer "id = :c"
  selects warehouse "id = 0"
  selects district "id = :d FOR UPDATE" ' \gset d_'
  updates district "next = next + 1" "id = :d"
  echo '\set o :d * 16777216 + :d_next'
  inserts orders ":o, :c, 0, :n"
  inserts new_order ":o, :d"
  for line in {0..14}; do orders_a_line "$line"; done
  echo 'COMMIT;'
}

finds_customer() {
  echo '\set c_id :c'
  echo '\if random(0, 99) < 60'
  selects customer "name = :name" ' \aset c_'
  printf '%s\n' '\else'
  selects customer "id = :c"
  ends_if
}

payment() {
  begins
  updates warehouse "ytd = ytd + :amount" "id = 0"
  updates district "ytd = ytd + :amount" "id = :d"
  finds_customer
  updates customer "balance = balance - :amount, ytd = ytd + :amount, payments = payments + 1" "id = :c_id"
  echo '\set h :h + 1'
  echo '\set key :h * 8 + :client_id'
  inserts history ":key, :c_id, :d, :amount"
  echo 'COMMIT;'
}

order_status() {
  begins
  finds_customer
  echo '\set o_id 0'
  selects orders "customer = :c_id" ' \aset o_'
  echo '\if :o_id > 0'
  selects order_line "ord = :o_id"
  printf '%s\n' '\endif' 'COMMIT;'
}

delivery() {
  local district
  begins
  for district in {0..9}; do
    echo '\set no_id 0'
    selects new_order "district = $district AND id <= 9223372036854775807 ORDER BY id LIMIT 1" ' \aset no_'
    echo '\if :no_id > 0'
    deletes new_order "id = :no_id"
    selects orders "id = :no_id" ' \gset o_'
    updates orders "carrier = 7" "id = :no_id"
    selects order_line "ord = :no_id"
    updates order_line "delivered = 1" "ord = :no_id"
    updates customer "balance = balance + :amount, deliveries = deliveries + 1" "id = :o_customer"
    ends_if
  done
  echo 'COMMIT;'
}

stock_level() {
  begins
  selects district "id = :d" ' \gset d_'
  echo '\set last :d * 16777216 + :d_next - 1'
  echo '\set first :last - 19'
  echo '\set low 10 + :amount % 11'
  selects order_line "ord >= :first AND ord <= :last"
  selects stock "warehouse = 0 AND quantity < :low"
  echo 'COMMIT;'
}

for table in plain columns; do
  for script in new_order payment order_status delivery stock_level; do
    "$script" >"$work/$table.$script"
  done
done

# ---- The programs

# isostress fills tables and makes their indexes; those of `plain` are copies
# without the two columns.
copy_of() { # copy_of TABLE INDEXED
  echo "DROP TABLE IF EXISTS plain_$1;
    CREATE TABLE plain_$1 AS SELECT id, ${columns[$1]} FROM columns_$1;
    ALTER TABLE plain_$1 ADD PRIMARY KEY (id);
    CREATE INDEX ON plain_$1 ($2);"
}

# A transaction that writes nothing, for the tables that the run makes.
prepare_rivals() {
  (stress columns -t 1 -c 1 --shares order-status:1) >/dev/null 2>&1
  {
    copy_of warehouse ytd
    copy_of district warehouse
    copy_of customer name
    copy_of history customer
    copy_of new_order district
    copy_of orders customer
    copy_of order_line ord
    copy_of item price
    copy_of stock quantity
  } | "$(postgresql_program psql)" -qX "$uri" 2>/dev/null
}

run_rival() { # run_rival NAME
  PGOPTIONS='-c enable_seqscan=off -c jit=off' exec "$(postgresql_program pgbench)" -n \
    -M prepared -c "$sessions" -j "$sessions" -T "$longest" --max-tries=1 -D h=0 \
    -f "$work/$1.new_order@45" -f "$work/$1.payment@43" -f "$work/$1.order_status@4" \
    -f "$work/$1.delivery@4" -f "$work/$1.stock_level@4" "$uri"
}

# Each of the transactions that write takes a number.
ask_server() {
  while read -r _; do
    echo "SELECT txid_snapshot_xmax(txid_current_snapshot());"
  done | "$(postgresql_program psql)" -qAtX "$uri"
}

report pgbench live_tpcc "$("$(postgresql_program postgres)" --version)"
