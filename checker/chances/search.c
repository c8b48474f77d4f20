// SPDX-License-Identifier: GPL-3.0-or-later
// Holds rows against conditions (checker/chances/search.h).
#include "config.h"

#include "checker/chances/search.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

enum { NO_VERSION = UINT32_MAX };

void searcher_open(struct searcher *s, const struct history *history,
                   bool plain_reads) {
  assert(history->rows);
  *s = (struct searcher){
      .history = history,
      .plain_reads = plain_reads,
      .places = xcalloc(history->nkeys + (size_t)1, sizeof *s->places)};
}

void searcher_close(struct searcher *s) {
  free(s->places);
  *s = (struct searcher){0};
}

// --- Rows that were written.

static void add_written_row(struct written_rows *rows,
                            struct written_version row) {
  if (rows->count == rows->room) {
    rows->room = 2 * rows->room + 16;
    rows->items = xrealloc(rows->items, rows->room, sizeof *rows->items);
  }
  rows->items[rows->count++] = row;
}

// The version that a write replaced; NO_VERSION: there was no row, or nobody
// knows.
static uint32_t version_replaced(const struct history *h, uint32_t op) {
  assert(op_writes(h->kind[op]));
  if (!op_reads(h->kind[op]))
    return NO_VERSION;
  if (h->saw[op] == SAW_INITIAL)
    return h->nops + h->key[op];
  return h->saw[op] < h->nops ? h->saw[op] : NO_VERSION;
}

// The operations backwards, so that the first write that is met of a row is the
// transaction's last one, and the last one that is met knows the version
// before.
void searcher_list(struct searcher *s, uint32_t t, struct written_rows *rows) {
  const struct history *h = s->history;
  const uint32_t others = s->nlisted; // were listed for other transactions
  assert(t < h->ntxns);
  rows->count = 0;
  s->steps += h->txn_first[t + 1] - h->txn_first[t];
  for (uint32_t op = h->txn_first[t + 1]; op-- > h->txn_first[t];) {
    if (!op_is_row(h->kind[op]) || !op_writes(h->kind[op]))
      continue;
    uint32_t *place = &s->places[h->key[op]];
    const bool last = *place <= others;
    if (last)
      *place = others + rows->count + 1;
    add_written_row(rows,
                    (struct written_version){h->key[op], NO_VERSION, op, last});
    rows->items[*place - others - 1].before = version_replaced(h, op);
  }
  s->nlisted += rows->count;
}

// --- Conditions.

// The rows that one statement looks for.
struct looked {
  bool wants, wants_several, moves_in;
};

static void some_rows_add(struct some_rows *rows, uint32_t key) {
  rows->several |= rows->any && rows->key != key;
  rows->any = true;
  rows->key = key;
}

static bool has_written(const struct searcher *s, uint32_t t,
                        const struct recorded_statement *statement,
                        uint32_t key) {
  const struct history *h = s->history;
  for (uint32_t op = h->txn_first[t]; op < statement->first; op++)
    if (h->key[op] == key && op_writes(h->kind[op]))
      return true;
  return false;
}

static bool satisfied(const struct history *h, uint32_t statement, uint32_t key,
                      uint32_t version) {
  return rows_satisfies(h, statement, key,
                        version == NO_VERSION ? NULL
                                              : rows_version(h, version));
}

static void look_for(const struct searcher *s, uint32_t t, uint32_t statement,
                     const struct written_version *row, struct looked *looked,
                     struct chance_search *search) {
  const struct history *h = s->history;
  const bool after = satisfied(h, statement, row->key, row->after);
  const bool before =
      row->last && satisfied(h, statement, row->key, row->before);
  if ((!after && !before) ||
      has_written(s, t, &h->rows->statements[statement], row->key))
    return;
  if (!row->last) {
    search->early = true;
    return;
  }
  some_rows_add(&search->looked_for, row->key);
  search->moved |= before != after;
  looked->wants_several |= after && looked->wants;
  looked->wants |= after;
  looked->moves_in |= after && !before;
}

static bool searches(const struct searcher *s,
                     const struct recorded_statement *statement) {
  return statement->condition != NO_CONDITION &&
         (!s->plain_reads || statement->sort == STATEMENT_SELECT);
}

struct chance_search searcher_look(struct searcher *s, uint32_t t,
                                   const struct written_rows *rows) {
  const struct rows *all = s->history->rows;
  struct chance_search search = {0};
  uint32_t nwanting = 0, nmoved_in = 0; // statements
  for (uint32_t i = all->txn_statement[t];
       rows->count && i < all->txn_statement[t + 1]; i++) {
    struct looked looked = {0};
    if (!searches(s, &all->statements[i]))
      continue;
    for (uint32_t r = 0; r < rows->count; r++)
      look_for(s, t, i, &rows->items[r], &looked, &search);
    s->steps += rows->count;
    search.fractured |= looked.wants_several && looked.moves_in;
    nwanting += looked.wants;
    nmoved_in += looked.moves_in;
  }
  search.wanted = nwanting > 0;
  search.repeated = nmoved_in > 0 && nwanting > 1;
  return search;
}
