// SPDX-License-Identifier: GPL-3.0-or-later
// TPC-C: the five transactions of an order entry system, their statements and
// their mix (clause 5.2.3: 45, 43, 4, 4, 4 %).  Texts, dates and taxes are left
// out, amounts are whole numbers, a name is a number, a district has 99
// customers, and there are 1,000 items: so a run is small enough to read all
// tables at its end.  No order is rolled back on purpose.
#include "config.h"

#include "workload/tpcc.h"

#include "base/memory.h"

#include <string.h>

static const char *const
    warehouse[] = {"ytd", NULL},
    *const district[] = {"warehouse", "next", "ytd", NULL},
    *const customer[] = {"name",     "balance",    "ytd",
                         "payments", "deliveries", NULL},
    *const history[] = {"customer", "district", "amount", NULL},
    *const new_order[] = {"district", NULL},
    *const orders[] = {"customer", "carrier", "ol_cnt", NULL},
    *const order_line[] = {"ord",    "item",      "quantity",
                           "amount", "delivered", NULL},
    *const marked_district[] = {"warehouse", "next", "ytd", "delivered", NULL},
    *const marked_customer[] = {"name",       "balance", "ytd", "payments",
                                "deliveries", "last",    NULL},
    *const marked_new_order[] = {"district", "delivered", NULL},
    *const item[] = {"price", NULL},
    *const stock[] = {"warehouse", "quantity", "ytd", "orders", NULL};

static const struct row_set list[TPCC_TABLES] = {
    [WAREHOUSE] = {.name = "warehouse", .columns = warehouse, .indexed = W_YTD},
    [DISTRICT] = {.name = "district",
                  .columns = district,
                  .indexed = D_WAREHOUSE},
    [CUSTOMER] = {.name = "customer", .columns = customer, .indexed = C_NAME},
    [HISTORY] = {.name = "history", .columns = history, .indexed = H_CUSTOMER},
    [NEW_ORDER] = {.name = "new_order",
                   .columns = new_order,
                   .indexed = NO_DISTRICT},
    [ORDER] = {.name = "orders", .columns = orders, .indexed = O_CUSTOMER},
    [ORDER_LINE] = {.name = "order_line",
                    .columns = order_line,
                    .indexed = OL_ORDER},
    [ITEM] = {.name = "item", .columns = item, .indexed = 0},
    [STOCK] = {.name = "stock", .columns = stock, .indexed = S_QUANTITY},
};

static const struct row_condition conditions[] = {
    [THE_WAREHOUSE] = {WAREHOUSE, "id = $1"},
    [THE_DISTRICT] = {DISTRICT, "id = $1"},
    [THE_CUSTOMER] = {CUSTOMER, "id = $1"},
    [BY_NAME] = {CUSTOMER, "name = $1"},
    [OLDEST_NEW_ORDER] = {NEW_ORDER, "district = $1 AND id <= $2"},
    [THE_NEW_ORDER] = {NEW_ORDER, "id = $1"},
    [OF_CUSTOMER] = {ORDER, "customer = $1"},
    [THE_ORDER] = {ORDER, "id = $1"},
    [OF_ORDER] = {ORDER_LINE, "ord = $1"},
    [THE_LINE] = {ORDER_LINE, "id = $1"},
    [RECENT_LINES] = {ORDER_LINE, "ord BETWEEN $1 AND $2"},
    [THE_ITEM] = {ITEM, "id = $1"},
    [THE_STOCK] = {STOCK, "id = $1"},
    [LOW_STOCK] = {STOCK, "warehouse = $1 AND quantity < $2"},
};

struct tables *tpcc_tables(const struct workload_options *options,
                           bool marked) {
  const uint64_t w = options->scale, d = w * DISTRICTS;
  const struct first_value warehouses[] = {[W_YTD] = {0, 1, 1}},
                           districts[] = {[D_WAREHOUSE] = {0, DISTRICTS, w},
                                          [D_NEXT] = {1, 1, 1},
                                          [D_YTD] = {0, 1, 1},
                                          [D_DELIVERED] = {0, 1, 1}},
                           customers[] = {[C_NAME] = {0, NAMESAKES,
                                                      d * CUSTOMERS /
                                                          NAMESAKES},
                                          [C_BALANCE] = {-10, 1, 1},
                                          [C_YTD] = {10, 1, 1},
                                          [C_PAYMENTS] = {1, 1, 1},
                                          [C_DELIVERIES] = {0, 1, 1},
                                          [C_LAST] = {0, 1, 1}},
                           items[] = {[I_PRICE] = {1, 1, 100}},
                           stocks[] = {[S_WAREHOUSE] = {0, ITEMS, w},
                                       [S_QUANTITY] = {10, 1, 91},
                                       [S_YTD] = {0, 1, 1},
                                       [S_ORDERS] = {0, 1, 1}};
  const struct {
    enum tpcc_table table;
    uint64_t nrows;
    const struct first_value *first;
  } filled[] = {{WAREHOUSE, w, warehouses},
                {DISTRICT, d, districts},
                {CUSTOMER, d * CUSTOMERS, customers},
                {ITEM, ITEMS, items},
                {STOCK, w * ITEMS, stocks}};
  struct row_set tables[TPCC_TABLES];
  memcpy(tables, list, sizeof list);
  if (marked) {
    tables[DISTRICT].columns = marked_district;
    tables[CUSTOMER].columns = marked_customer;
    tables[NEW_ORDER].columns = marked_new_order;
  }
  for (size_t i = 0; i < sizeof filled / sizeof *filled; i++) {
    tables[filled[i].table].nrows = filled[i].nrows;
    tables[filled[i].table].first = filled[i].first;
  }
  return row_tables_make(tables, TPCC_TABLES, conditions,
                         sizeof conditions / sizeof *conditions);
}

void tpcc_init(struct tpcc *t, const struct workload *workload,
               const struct workload_options *options, uint32_t session) {
  row_workload_open(&t->rows, workload, options, session);
  t->rows.ntables = TPCC_TABLES;
  t->nwarehouses = options->scale;
}

bool tpcc_find_customer(struct tpcc *t, struct statement *next) {
  return tpcc_by_key(t, STATEMENT_SELECT, CUSTOMER,
                     t->by_name ? BY_NAME : THE_CUSTOMER,
                     t->by_name ? t->customer / NAMESAKES : t->customer, next);
}

// ---- Transactions: the statement number `at`, by what the last one returned

static bool order_a_line(struct tpcc *t, uint32_t at,
                         const struct row_list *last, struct statement *next) {
  const int64_t key = t->warehouse * ITEMS + t->item;
  switch (at % 4) {
  case 0:
    t->item = (int64_t)row_draw(&t->rows, ITEMS);
    t->quantity = 1 + (int64_t)row_draw(&t->rows, 10);
    return tpcc_by_key(t, STATEMENT_SELECT, ITEM, THE_ITEM, t->item, next);
  case 1:
    t->price = last->count ? row_list_image(last, 0)[I_PRICE] : 0;
    return tpcc_by_key(t, STATEMENT_LOCKING_SELECT, STOCK, THE_STOCK, key,
                       next);
  case 2:
    tpcc_by_key(t, STATEMENT_UPDATE, STOCK, THE_STOCK, key, next);
    const int64_t left =
        last->count ? row_list_image(last, 0)[S_QUANTITY] - t->quantity : 0;
    row_set(&t->rows, next, S_QUANTITY, false, left < 10 ? left + 91 : left);
    tpcc_add(t, next, S_YTD, t->quantity);
    tpcc_add(t, next, S_ORDERS, 1);
    return true;
  default:
    return row_insert(&t->rows, ORDER_LINE,
                      (uint64_t)(t->order * LINES + t->line++),
                      (const int64_t[]){t->order, t->item, t->quantity,
                                        t->quantity * t->price, 0},
                      5, next);
  }
}

bool tpcc_new_order(struct tpcc *t, uint32_t at, const struct row_list *last,
                    struct statement *next) {
  switch (at) {
  case 0:
    return tpcc_by_key(t, STATEMENT_SELECT, CUSTOMER, THE_CUSTOMER, t->customer,
                       next);
  case 1:
    return tpcc_by_key(t, STATEMENT_SELECT, WAREHOUSE, THE_WAREHOUSE,
                       t->warehouse, next);
  case 2:
    return tpcc_by_key(t, STATEMENT_LOCKING_SELECT, DISTRICT, THE_DISTRICT,
                       t->district, next);
  case 3:
    if (!last->count)
      return false;
    t->order = t->district * ORDERS + row_list_image(last, 0)[D_NEXT];
    tpcc_by_key(t, STATEMENT_UPDATE, DISTRICT, THE_DISTRICT, t->district, next);
    tpcc_add(t, next, D_NEXT, 1);
    return true;
  case 4:
    return row_insert(&t->rows, ORDER, (uint64_t)t->order,
                      (const int64_t[]){t->customer, 0, t->nlines}, 3, next);
  case 5:
    return row_insert(&t->rows, NEW_ORDER, (uint64_t)t->order,
                      (const int64_t[]){t->district}, 1, next);
  default:
    return t->line < t->nlines && order_a_line(t, at - 6, last, next);
  }
}

bool tpcc_payment(struct tpcc *t, uint32_t at, const struct row_list *last,
                  struct statement *next) {
  switch (at) {
  case 0:
    tpcc_by_key(t, STATEMENT_UPDATE, WAREHOUSE, THE_WAREHOUSE, t->warehouse,
                next);
    tpcc_add(t, next, W_YTD, t->amount);
    return true;
  case 1:
    tpcc_by_key(t, STATEMENT_UPDATE, DISTRICT, THE_DISTRICT, t->district, next);
    tpcc_add(t, next, D_YTD, t->amount);
    return true;
  case 2:
    return tpcc_find_customer(t, next);
  case 3:
    tpcc_take_customer(t, last);
    tpcc_by_key(t, STATEMENT_UPDATE, CUSTOMER, THE_CUSTOMER, t->customer, next);
    tpcc_add(t, next, C_BALANCE, -t->amount);
    tpcc_add(t, next, C_YTD, t->amount);
    tpcc_add(t, next, C_PAYMENTS, 1);
    return true;
  case 4:
    return row_insert(&t->rows, HISTORY, row_fresh(&t->rows),
                      (const int64_t[]){t->customer, t->district, t->amount}, 3,
                      next);
  default:
    return false;
  }
}

static bool step_tpcc_order_status(struct tpcc *t, uint32_t at,
                                   const struct row_list *last,
                                   struct statement *next) {
  if (at == 0)
    return tpcc_find_customer(t, next);
  if (at == 1) {
    tpcc_take_customer(t, last);
    return tpcc_by_key(t, STATEMENT_SELECT, ORDER, OF_CUSTOMER, t->customer,
                       next);
  }
  if (at > 2 || !last->count)
    return false;
  uint64_t latest = 0;
  for (uint32_t i = 0; i < last->count; i++)
    latest = last->rows[i].key > latest ? last->rows[i].key : latest;
  return tpcc_by_key(t, STATEMENT_SELECT, ORDER_LINE, OF_ORDER, (int64_t)latest,
                     next);
}

enum { DELIVERY_STEPS = 7 }; // of each district

static bool next_tpcc_district(struct tpcc *t, struct statement *next) {
  if (t->done == DISTRICTS)
    return false;
  t->rows.at = t->done * DELIVERY_STEPS + 1;
  t->rows.params[1] = STATEMENT_KEY_END;
  tpcc_by_key(t, STATEMENT_SELECT, NEW_ORDER, OLDEST_NEW_ORDER,
              t->warehouse * DISTRICTS + t->done++, next);
  next->limit = 1;
  return true;
}

// Where a district has no new order, the next one is delivered.
static bool step_tpcc_delivery(struct tpcc *t, uint32_t at,
                               const struct row_list *last,
                               struct statement *next) {
  switch (at % DELIVERY_STEPS) {
  case 0:
    return next_tpcc_district(t, next);
  case 1:
    if (!last->count)
      return next_tpcc_district(t, next);
    t->order = (int64_t)last->rows[0].key;
    return tpcc_by_key(t, STATEMENT_DELETE, NEW_ORDER, THE_NEW_ORDER, t->order,
                       next);
  case 2:
    return tpcc_by_key(t, STATEMENT_SELECT, ORDER, THE_ORDER, t->order, next);
  case 3:
    if (last->count)
      t->customer = row_list_image(last, 0)[O_CUSTOMER];
    tpcc_by_key(t, STATEMENT_UPDATE, ORDER, THE_ORDER, t->order, next);
    row_set(&t->rows, next, O_CARRIER, false, t->amount % 10 + 1);
    return true;
  case 4:
    return tpcc_by_key(t, STATEMENT_SELECT, ORDER_LINE, OF_ORDER, t->order,
                       next);
  case 5:
    t->price = 0;
    for (uint32_t i = 0; i < last->count; i++)
      t->price += row_list_image(last, i)[OL_AMOUNT];
    tpcc_by_key(t, STATEMENT_UPDATE, ORDER_LINE, OF_ORDER, t->order, next);
    row_set(&t->rows, next, OL_DELIVERED, false, 1);
    return true;
  default:
    tpcc_by_key(t, STATEMENT_UPDATE, CUSTOMER, THE_CUSTOMER, t->customer, next);
    tpcc_add(t, next, C_BALANCE, t->price);
    tpcc_add(t, next, C_DELIVERIES, 1);
    return true;
  }
}

static bool step_tpcc_stock_level(struct tpcc *t, uint32_t at,
                                  const struct row_list *last,
                                  struct statement *next) {
  if (at == 0)
    return tpcc_by_key(t, STATEMENT_SELECT, DISTRICT, THE_DISTRICT, t->district,
                       next);
  if (at == 1 && last->count) {
    const int64_t end = t->district * ORDERS + row_list_image(last, 0)[D_NEXT];
    t->rows.params[1] = end - 1;
    return tpcc_by_key(t, STATEMENT_SELECT, ORDER_LINE, RECENT_LINES,
                       end - RECENT, next);
  }
  t->rows.params[1] = 10 + t->amount % 11;
  return at == 2 &&
         tpcc_by_key(t, STATEMENT_SELECT, STOCK, LOW_STOCK, t->warehouse, next);
}

static bool (*const steps[])(struct tpcc *, uint32_t, const struct row_list *,
                             struct statement *) = {
    [NEW] = tpcc_new_order,
    [PAYMENT] = tpcc_payment,
    [STATUS] = step_tpcc_order_status,
    [DELIVERY] = step_tpcc_delivery,
    [LEVEL] = step_tpcc_stock_level,
};

// ---- The contract

void tpcc_next(void *state, struct row_program *program) {
  struct tpcc *t = state;
  row_workload_next(&t->rows, program);
  program->reads_only = t->rows.shape == STATUS || t->rows.shape == LEVEL;
}

void tpcc_start(void *state) {
  struct tpcc *t = state;
  row_workload_start(&t->rows);
  t->warehouse = (int64_t)row_draw(&t->rows, t->nwarehouses);
  t->district =
      t->warehouse * DISTRICTS + (int64_t)row_draw(&t->rows, DISTRICTS);
  t->customer =
      t->district * CUSTOMERS + (int64_t)row_draw(&t->rows, CUSTOMERS);
  t->amount = 1 + (int64_t)row_draw(&t->rows, 5000);
  t->by_name = row_draw(&t->rows, 100) < 60;
  t->nlines =
      LINES_LEAST + (uint32_t)row_draw(&t->rows, LINES_MOST - LINES_LEAST + 1);
  t->line = t->done = 0;
  t->order = 0;
}

static struct tables *open_tpcc_tables(const struct workload_options *options) {
  return tpcc_tables(options, false);
}

static void *tpcc_open(const struct workload_options *options,
                       uint32_t session) {
  struct tpcc *t = xcalloc(1, sizeof *t);
  tpcc_init(t, &workload_tpcc, options, session);
  return t;
}

static bool tpcc_step(void *state, const struct row_list *last,
                      struct statement *next) {
  struct tpcc *t = state;
  return steps[t->rows.shape](t, t->rows.at++, last, next);
}

static const struct row_programs programs = {
    .executes = TPCC_EXECUTES | 1u << STATEMENT_DELETE,
    .tables = open_tpcc_tables,
    .next = tpcc_next,
    .start = tpcc_start,
    .step = tpcc_step,
};

const struct shape tpcc_shapes[] = {
    [NEW] = {"new-order", 0.45, "enter an order of 5 to 15 lines"},
    [PAYMENT] = {"payment", 0.43, "pay an amount, by key or by name"},
    [STATUS] = {"order-status", 0.04, "select a customer's last order"},
    [DELIVERY] = {"delivery", 0.04,
                  "deliver the oldest order of each district"},
    [LEVEL] = {"stock-level", 0.04, "select recent lines and low stocks"},
    {NULL, 0, NULL},
};

const struct workload workload_tpcc = {
    .name = "tpcc",
    .summary = "TPC-C: orders, payments, deliveries and questions, in small",
    .shapes = tpcc_shapes,
    .open = tpcc_open,
    .close = row_workload_close,
    .programs = &programs,
};
