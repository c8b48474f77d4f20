// SPDX-License-Identifier: GPL-3.0-or-later
// TPC-C PC of the paper on mixed isolation levels (section 7): TPC-C without
// conflicts of predicates.  No row is deleted: a delivered order is marked.  No
// condition asks for a column that changes, or for rows that others may insert:
// a row says where the next one is, and rows are read one by one by their keys.
// Every statement returns all rows that any version of the database has for it,
// so none of them leaves a choice to the check.
//
// So a district says which order it delivered last, and a customer which order
// is its last one; New-Order and Delivery write these rows, too.
#include "config.h"

#include "workload/tpcc.h"

#include "base/memory.h"

struct tpcc_pc {
  struct tpcc tpcc;
  // So far.
  bool told;           // the customer its last order
  int64_t recent, end; // orders that the stock level looks at
  uint32_t nitems;
  int64_t items[RECENT * LINES_MOST];
};

static bool step_new_order(struct tpcc_pc *pc, uint32_t at,
                           const struct row_list *last,
                           struct statement *next) {
  struct tpcc *t = &pc->tpcc;
  if (!pc->told && tpcc_new_order(t, at, last, next))
    return true;
  if (pc->told || !t->order)
    return false;
  pc->told = true;
  tpcc_by_key(t, STATEMENT_UPDATE, CUSTOMER, THE_CUSTOMER, t->customer, next);
  row_set(&t->rows, next, C_LAST, false, t->order);
  return true;
}

static bool step_payment(struct tpcc_pc *pc, uint32_t at,
                         const struct row_list *last, struct statement *next) {
  return tpcc_payment(&pc->tpcc, at, last, next);
}

// ---- Lines of an order, one by one

// The order has as many as it says.
static void begin_lines(struct tpcc *t, const struct row_list *last) {
  t->line = 0;
  t->nlines = last->count ? (uint32_t)row_list_image(last, 0)[O_LINES] : 0;
}

static bool next_pc_line(struct tpcc *t, enum statement_sort sort,
                         struct statement *next) {
  return t->line < t->nlines && tpcc_by_key(t, sort, ORDER_LINE, THE_LINE,
                                            t->order * LINES + t->line++, next);
}

// ---- Order-Status

static bool step_order_status(struct tpcc_pc *pc, uint32_t at,
                              const struct row_list *last,
                              struct statement *next) {
  struct tpcc *t = &pc->tpcc;
  if (at == 0)
    return tpcc_find_customer(t, next);
  if (at == 1) {
    if (!last->count)
      return false;
    t->order = row_list_image(last, last->count / 2)[C_LAST];
    return t->order &&
           tpcc_by_key(t, STATEMENT_SELECT, ORDER, THE_ORDER, t->order, next);
  }
  if (at == 2)
    begin_lines(t, last);
  return next_pc_line(t, STATEMENT_SELECT, next);
}

// ---- Delivery

enum { FIND, DELIVER, MARK, READ_ORDER, CARRY, READ_LINES, WRITE_LINES };

static bool next_district(struct tpcc *t, struct statement *next) {
  if (t->done == DISTRICTS)
    return false;
  t->district = t->warehouse * DISTRICTS + t->done++;
  t->rows.at = DELIVER;
  return tpcc_by_key(t, STATEMENT_SELECT, DISTRICT, THE_DISTRICT, t->district,
                     next);
}

// The oldest order that the district has not delivered, if there is one.
static bool deliver(struct tpcc *t, const struct row_list *last,
                    struct statement *next) {
  const int64_t *district = last->count ? row_list_image(last, 0) : NULL;
  if (!district || district[D_DELIVERED] + 1 >= district[D_NEXT])
    return next_district(t, next);
  const int64_t number = district[D_DELIVERED] + 1;
  t->order = t->district * ORDERS + number;
  tpcc_by_key(t, STATEMENT_UPDATE, DISTRICT, THE_DISTRICT, t->district, next);
  row_set(&t->rows, next, D_DELIVERED, false, number);
  return true;
}

static bool pay_customer(struct tpcc *t, struct statement *next) {
  t->rows.at = FIND;
  tpcc_by_key(t, STATEMENT_UPDATE, CUSTOMER, THE_CUSTOMER, t->customer, next);
  tpcc_add(t, next, C_BALANCE, t->price);
  tpcc_add(t, next, C_DELIVERIES, 1);
  return true;
}

// Reads each line, then writes each; `at` stays while lines are left.
static bool deliver_lines(struct tpcc *t, uint32_t at,
                          const struct row_list *last, struct statement *next) {
  if (at == READ_LINES && t->line && last->count)
    t->price += row_list_image(last, 0)[OL_AMOUNT];
  t->rows.at = at;
  if (at == READ_LINES) {
    if (next_pc_line(t, STATEMENT_SELECT, next))
      return true;
    t->line = 0;
    t->rows.at = WRITE_LINES;
  }
  if (!next_pc_line(t, STATEMENT_UPDATE, next))
    return pay_customer(t, next);
  row_set(&t->rows, next, OL_DELIVERED, false, 1);
  return true;
}

static bool step_delivery(struct tpcc_pc *pc, uint32_t at,
                          const struct row_list *last, struct statement *next) {
  struct tpcc *t = &pc->tpcc;
  switch (at) {
  case FIND:
    return next_district(t, next);
  case DELIVER:
    return deliver(t, last, next);
  case MARK:
    tpcc_by_key(t, STATEMENT_UPDATE, NEW_ORDER, THE_NEW_ORDER, t->order, next);
    row_set(&t->rows, next, NO_DELIVERED, false, 1);
    return true;
  case READ_ORDER:
    return tpcc_by_key(t, STATEMENT_SELECT, ORDER, THE_ORDER, t->order, next);
  case CARRY:
    begin_lines(t, last);
    t->price = 0;
    if (last->count)
      t->customer = row_list_image(last, 0)[O_CUSTOMER];
    tpcc_by_key(t, STATEMENT_UPDATE, ORDER, THE_ORDER, t->order, next);
    row_set(&t->rows, next, O_CARRIER, false, t->amount % 10 + 1);
    return true;
  default:
    return deliver_lines(t, at, last, next);
  }
}

// ---- Stock-Level

enum { DISTRICT_FIRST, ORDERS_FIRST, EACH_ORDER, EACH_LINE, EACH_STOCK };

static void note_item(struct tpcc_pc *pc, int64_t item) {
  for (uint32_t i = 0; i < pc->nitems; i++)
    if (pc->items[i] == item)
      return;
  pc->items[pc->nitems++] = item;
}

static bool next_stock(struct tpcc_pc *pc, struct statement *next) {
  struct tpcc *t = &pc->tpcc;
  t->rows.at = EACH_STOCK;
  return t->done < pc->nitems &&
         tpcc_by_key(t, STATEMENT_SELECT, STOCK, THE_STOCK,
                     t->warehouse * ITEMS + pc->items[t->done++], next);
}

static bool next_order(struct tpcc_pc *pc, struct statement *next) {
  struct tpcc *t = &pc->tpcc;
  if (pc->recent == pc->end)
    return next_stock(pc, next);
  t->order = t->district * ORDERS + pc->recent++;
  t->rows.at = EACH_ORDER;
  return tpcc_by_key(t, STATEMENT_SELECT, ORDER, THE_ORDER, t->order, next);
}

// The last orders of the district, their lines, and the stock of each item on
// them: as many statements, so that each asks for one key.
static bool step_stock_level(struct tpcc_pc *pc, uint32_t at,
                             const struct row_list *last,
                             struct statement *next) {
  struct tpcc *t = &pc->tpcc;
  switch (at) {
  case DISTRICT_FIRST:
    return tpcc_by_key(t, STATEMENT_SELECT, DISTRICT, THE_DISTRICT, t->district,
                       next);
  case ORDERS_FIRST:
    pc->end = last->count ? row_list_image(last, 0)[D_NEXT] : 1;
    pc->recent = pc->end > RECENT ? pc->end - RECENT : 1;
    return next_order(pc, next);
  case EACH_ORDER:
    begin_lines(t, last);
    break;
  case EACH_LINE:
    if (last->count)
      note_item(pc, row_list_image(last, 0)[OL_ITEM]);
    break;
  default:
    return next_stock(pc, next);
  }
  t->rows.at = EACH_LINE;
  return next_pc_line(t, STATEMENT_SELECT, next) || next_order(pc, next);
}

static bool (*const steps[])(struct tpcc_pc *, uint32_t,
                             const struct row_list *, struct statement *) = {
    [NEW] = step_new_order,       [PAYMENT] = step_payment,
    [STATUS] = step_order_status, [DELIVERY] = step_delivery,
    [LEVEL] = step_stock_level,
};

// ---- The contract

static struct tables *
open_tpcc_pc_tables(const struct workload_options *options) {
  return tpcc_tables(options, true);
}

static void *pc_open(const struct workload_options *options, uint32_t session) {
  struct tpcc_pc *pc = xcalloc(1, sizeof *pc);
  tpcc_init(&pc->tpcc, &workload_tpcc_pc, options, session);
  return pc;
}

static void pc_start(void *state) {
  struct tpcc_pc *pc = state;
  tpcc_start(&pc->tpcc);
  pc->told = false;
  pc->nitems = 0;
}

static bool pc_step(void *state, const struct row_list *last,
                    struct statement *next) {
  struct tpcc_pc *pc = state;
  struct row_workload *rows = &pc->tpcc.rows;
  return steps[rows->shape](pc, rows->at++, last, next);
}

static const struct row_programs programs = {
    .executes = TPCC_EXECUTES,
    .tables = open_tpcc_pc_tables,
    .next = tpcc_next,
    .start = pc_start,
    .step = pc_step,
};

const struct workload workload_tpcc_pc = {
    .name = "tpcc-pc",
    .summary = "TPC-C by keys that do not change, and without DELETE",
    .shapes = tpcc_shapes,
    .open = pc_open,
    .close = row_workload_close,
    .programs = &programs,
};
