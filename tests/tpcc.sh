# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Consistency conditions 1 to 4 of TPC-C (clause 3.3.2), of the tables that a run
# of the workload tpcc has left.  To be sourced by a test that defines
# question, which prints the number that a SELECT returns.

# Four checks.
tpcc_is_consistent() { # tpcc_is_consistent NAME
  local district="CROSS JOIN (SELECT 16777216 AS n) orders_of WHERE"
  is "$(question 'SELECT COUNT(*) FROM isostress_warehouse w WHERE ytd <>
    (SELECT SUM(ytd) FROM isostress_district d WHERE d.warehouse = w.id)')" 0 \
    "$1: a warehouse and its districts were paid as much"
  is "$(question "SELECT COUNT(*) FROM isostress_district d WHERE next - 1 <>
      (SELECT COALESCE(MAX(o.id % n), 0) FROM isostress_orders o $district o.id - o.id % n = d.id * n)
    OR next - 1 <> (SELECT COALESCE(MAX(o.id % n), next - 1) FROM isostress_new_order o
      $district o.id - o.id % n = d.id * n)")" 0 \
    "$1: the last order and new order of a district have the number before the next one"
  is "$(question 'SELECT COUNT(*) FROM (SELECT MAX(id) - MIN(id) + 1 - COUNT(*) AS gap
    FROM isostress_new_order GROUP BY district) gaps WHERE gap <> 0')" 0 "$1: new orders have no gap"
  is "$(question "SELECT COUNT(*) FROM isostress_district d WHERE
    (SELECT COALESCE(SUM(o.ol_cnt), 0) FROM isostress_orders o $district o.id - o.id % n = d.id * n) <>
    (SELECT COUNT(*) FROM isostress_order_line l $district l.ord - l.ord % n = d.id * n)")" 0 \
    "$1: the orders of a district have as many lines as they say"
}
