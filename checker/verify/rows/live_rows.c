// SPDX-License-Identifier: GPL-3.0-or-later
// Rows that come and go (checker/verify/rows/live_rows.h).
#include "config.h"

#include "checker/verify/rows/live_rows.h"

#include "base/memory.h"
#include "checker/verify/rows/condition.h"

#include <assert.h>
#include <stdlib.h>

// Moves the key to the rows that are there, or away from them.
static void note_life(struct live_rows *r, uint32_t key) {
  const uint32_t table = r->h->rows->key_table[key];
  const uint32_t end = r->table_first[table] + r->nlive[table];
  const bool was = r->place[key] < end;
  const bool is = condition_columns(r->h, r->current[key]) != NULL;
  if (was == is)
    return;
  const uint32_t to = is ? end : end - 1, from = r->place[key];
  const uint32_t other = r->table_key[to];
  assert(r->table_key[from] == key && from < r->table_first[table + 1]);
  assert(to >= r->table_first[table] && to < r->table_first[table + 1]);
  r->table_key[to] = key;
  r->table_key[from] = other;
  r->place[key] = to;
  r->place[other] = from;
  r->nlive[table] += is ? 1 : UINT32_MAX;
}

// The key's current version comes, or goes.
static void count_row(struct live_rows *r, uint32_t key, int change) {
  const int64_t *columns = condition_columns(r->h, r->current[key]);
  if (!columns)
    return;
  column_counts_note(r->counts, r->h->rows->key_table[key], columns, change);
  (change > 0 ? bounded_rows_add : bounded_rows_remove)(r->bounded, key,
                                                        columns);
}

void live_rows_commit(struct live_rows *r, uint32_t t) {
  const struct history *h = r->h;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    const uint32_t key = h->key[op];
    if (!op_writes(h->kind[op]))
      continue;
    if (h->rows->key_table[key] == ROWS_NONE) {
      r->current[key] = op;
      continue;
    }
    count_row(r, key, -1);
    r->current[key] = op;
    count_row(r, key, 1);
    note_life(r, key);
  }
}

static void list_tables(struct live_rows *r) {
  const struct history *h = r->h;
  const struct rows *rows = h->rows;
  r->table_first = xcalloc((size_t)rows->ntables + 1, sizeof(uint32_t));
  r->table_key = xmalloc(h->nkeys * sizeof *r->table_key);
  r->place = xmalloc(h->nkeys * sizeof *r->place);
  r->nlive = xcalloc(rows->ntables, sizeof *r->nlive);
  uint32_t n = 0;
  for (uint32_t table = 0; table < rows->ntables; table++) {
    for (uint32_t key = 0; key < h->nkeys; key++)
      if (rows->key_table[key] == table) {
        r->place[key] = n;
        r->table_key[n++] = key;
      }
    r->table_first[table + 1] = n;
  }
  for (uint32_t key = 0; key < h->nkeys; key++)
    if (rows->key_table[key] != ROWS_NONE)
      count_row(r, key, 1);
  for (uint32_t i = 0; i < n; i++)
    note_life(r, r->table_key[i]);
}

void live_rows_open(struct live_rows *r, const struct history *h) {
  *r = (struct live_rows){.h = h,
                          .current = xmalloc(h->nkeys * sizeof(uint32_t)),
                          .counts = column_counts_open(h),
                          .bounded = bounded_rows_open(h)};
  for (uint32_t key = 0; key < h->nkeys; key++)
    r->current[key] = h->nops + key;
  list_tables(r);
}

void live_rows_close(struct live_rows *r) {
  FREE_EACH(r->current, r->table_first, r->table_key, r->nlive, r->place);
  column_counts_close(r->counts);
  bounded_rows_close(r->bounded);
}

void live_rows_of(const struct live_rows *r,
                  const struct recorded_statement *statement,
                  const uint32_t **keys, uint32_t *n) {
  const uint32_t first = r->table_first[statement->table];
  *keys = r->table_key + first;
  *n = statement->sort == STATEMENT_INSERT_NEW
           ? r->table_first[statement->table + 1] - first
           : r->nlive[statement->table];
  bounded_rows_of(r->bounded, statement, keys, n);
}
