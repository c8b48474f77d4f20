// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of TPC-C that the workloads tpcc and tpcc-pc share: tables,
// conditions, and two of the five transactions.  Only these two workloads
// include it.
//
// A key of several columns is one number: the district is ten times its
// warehouse plus its place there, the order is its district and its number, the
// order line is its order and its place there.
#ifndef WORKLOAD_TPCC_H
#define WORKLOAD_TPCC_H

#include "workload/row_workload.h"

enum {
  DISTRICTS = 10, // of a warehouse
  CUSTOMERS = 99, // of a district...
  NAMESAKES = 3,  // ...three of each name
  ITEMS = 1000,
  LINES_LEAST = 5, // of an order
  LINES_MOST = 15,
  LINES = 16, // numbers of lines of an order
  RECENT = 20 // orders that the stock level looks at
};
#define ORDERS (INT64_C(1) << 24) // numbers of orders of a district

enum tpcc_table {
  WAREHOUSE,
  DISTRICT,
  CUSTOMER,
  HISTORY,
  NEW_ORDER,
  ORDER,
  ORDER_LINE,
  ITEM,
  STOCK,
  TPCC_TABLES
};
// Columns.  Only tpcc-pc has the last one of districts, customers and new
// orders.
enum { W_YTD };
enum { D_WAREHOUSE, D_NEXT, D_YTD, D_DELIVERED };
enum { C_NAME, C_BALANCE, C_YTD, C_PAYMENTS, C_DELIVERIES, C_LAST };
enum { H_CUSTOMER, H_DISTRICT, H_AMOUNT };
enum { NO_DISTRICT, NO_DELIVERED };
enum { O_CUSTOMER, O_CARRIER, O_LINES };
enum { OL_ORDER, OL_ITEM, OL_QUANTITY, OL_AMOUNT, OL_DELIVERED };
enum { I_PRICE };
enum { S_WAREHOUSE, S_QUANTITY, S_YTD, S_ORDERS };

enum tpcc_condition {
  THE_WAREHOUSE,
  THE_DISTRICT,
  THE_CUSTOMER,
  BY_NAME,
  OLDEST_NEW_ORDER,
  THE_NEW_ORDER,
  OF_CUSTOMER,
  THE_ORDER,
  OF_ORDER,
  THE_LINE,
  RECENT_LINES,
  THE_ITEM,
  THE_STOCK,
  LOW_STOCK
};

enum tpcc_shape { NEW, PAYMENT, STATUS, DELIVERY, LEVEL };

// A session's state begins with it.
struct tpcc {
  struct row_workload rows;
  uint64_t nwarehouses;
  // The transaction.
  int64_t warehouse, district, customer, amount;
  bool by_name;
  uint32_t nlines;
  // So far.
  int64_t order, item, quantity, price;
  uint32_t line, done; // lines; districts delivered
};

// Shares, and the sorts of statements that New-Order, Payment and the others
// use without DELETE.
extern const struct shape tpcc_shapes[];
enum {
  TPCC_EXECUTES = 1u << STATEMENT_SELECT | 1u << STATEMENT_LOCKING_SELECT |
                  1u << STATEMENT_INSERT | 1u << STATEMENT_UPDATE
};

// The tables of a run, with the columns that only tpcc-pc has if `marked`; free
// with free().
struct tables *tpcc_tables(const struct workload_options *options, bool marked);

void tpcc_init(struct tpcc *t, const struct workload *workload,
               const struct workload_options *options, uint32_t session);

// Slots `next` and `start` of row_programs.
void tpcc_next(void *state, struct row_program *program);
void tpcc_start(void *state);

// Transactions: statement number `at`, by the rows of the last one; false after
// the last statement.
bool tpcc_new_order(struct tpcc *t, uint32_t at, const struct row_list *last,
                    struct statement *next);
bool tpcc_payment(struct tpcc *t, uint32_t at, const struct row_list *last,
                  struct statement *next);

// By its key, or by its name, of which there are three.
bool tpcc_find_customer(struct tpcc *t, struct statement *next);

// The one in the middle, as the standard has it.
static inline void tpcc_take_customer(struct tpcc *t,
                                      const struct row_list *last) {
  if (last->count)
    t->customer = (int64_t)last->rows[last->count / 2].key;
}

static inline bool tpcc_by_key(struct tpcc *t, enum statement_sort sort,
                               enum tpcc_table table,
                               enum tpcc_condition condition, int64_t key,
                               struct statement *next) {
  t->rows.params[0] = key;
  return row_by(&t->rows, sort, table, condition, next);
}

// The statement adds a number to a column.
static inline void tpcc_add(struct tpcc *t, struct statement *next,
                            uint32_t column, int64_t number) {
  row_set(&t->rows, next, column, true, number);
}

#endif
