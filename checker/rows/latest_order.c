// SPDX-License-Identifier: GPL-3.0-or-later
// Commits in the order of the latest rows (checker/rows/latest_order.h).
#include "config.h"

#include "checker/rows/latest_order.h"

#include "base/memory.h"

#include <assert.h>

static void put_writer_first(const struct model *m, uint32_t version,
                             uint32_t reader, struct demands *demands) {
  const uint32_t writer = m->txn_of[version];
  if (writer == reader || !m->counted[writer])
    return;
  ARRAY_RESERVE(demands->items, demands->count, demands->room);
  demands->items[demands->count++] = (struct demand){
      .before = writer, .after = reader, .write = NO_ID, .read = NO_ID};
}

void latest_order_add(const struct history *h, const struct model *m,
                      struct demands *demands) {
  const struct rows *rows = h->rows;
  for (uint32_t s = 0; s < rows->nstatements; s++) {
    const struct recorded_statement *statement = &rows->statements[s];
    if (!statement_may_read_latest((enum statement_sort)statement->sort) ||
        statement->first == statement->end ||
        !m->counted[m->txn_of[statement->first]])
      continue;
    for (uint32_t op = statement->first; op < statement->end; op++)
      if (op_reads(h->kind[op]) && h->saw[op] < h->nops)
        put_writer_first(m, h->saw[op], m->txn_of[op], demands);
  }
}
