// SPDX-License-Identifier: GPL-3.0-or-later
// Depth first from each transaction, by their ends, to those that it waits for
// (checker/rows/likely_order.h).
#include "config.h"

#include "checker/rows/likely_order.h"

#include "base/ids.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

#define NOBODY UINT32_MAX

struct ending {
  uint64_t time;
  uint32_t txn;
};

struct placing {
  const struct history *h;
  const uint8_t *counted;
  const uint32_t *txn_of;
  uint32_t *previous; // per transaction: the one before it in its session
  uint32_t *next_op;  // per transaction: from there on it may wait for others
  uint8_t *met;       // per transaction: placed, or on the stack
  struct ids stack;
  uint64_t *place, nplaced;
};

static int by_likely_time(const void *a, const void *b) {
  const struct ending *x = a, *y = b;
  if (x->time != y->time)
    return x->time < y->time ? -1 : 1;
  return (x->txn > y->txn) - (x->txn < y->txn);
}

static uint32_t *previous_ones(const struct history *h, const uint8_t *counted,
                               bool session_order) {
  uint32_t *previous = ids_none(h->ntxns);
  for (uint32_t s = 0; s < h->nsessions && session_order; s++) {
    uint32_t last = NOBODY;
    for (uint32_t t = h->session_first[s]; t < h->session_first[s + 1]; t++) {
      previous[t] = last;
      last = counted[t] && h->outcome[t] == OUTCOME_OK ? t : last;
    }
  }
  return previous;
}

static bool is_to_be_placed(const struct placing *p, uint32_t t) {
  return t != NOBODY && p->counted[t] && !p->met[t];
}

// One that the transaction waits for and that was not met; NOBODY: none.
static uint32_t next_before(struct placing *p, uint32_t t) {
  const struct history *h = p->h;
  if (is_to_be_placed(p, p->previous[t]))
    return p->previous[t];
  for (uint32_t *op = &p->next_op[t]; *op < h->txn_first[t + 1]; ++*op)
    if (op_reads(h->kind[*op]) && h->saw[*op] < h->nops &&
        is_to_be_placed(p, p->txn_of[h->saw[*op]]))
      return p->txn_of[h->saw[*op]];
  return NOBODY;
}

static void meet(struct placing *p, uint32_t t) {
  assert(t < p->h->ntxns);
  p->met[t] = 1;
  ids_add(&p->stack, t);
}

static void place_from(struct placing *p, uint32_t root) {
  meet(p, root);
  while (p->stack.count) {
    const uint32_t t = p->stack.items[p->stack.count - 1];
    const uint32_t before = next_before(p, t);
    if (before != NOBODY) {
      meet(p, before);
      continue;
    }
    p->place[t] = ++p->nplaced;
    p->stack.count--;
  }
}

uint64_t *likely_order(const struct history *h, const uint8_t *counted,
                       const uint32_t *txn_of, bool session_order) {
  if (!h->end)
    return NULL;
  struct placing p = {.h = h,
                      .counted = counted,
                      .txn_of = txn_of,
                      .previous = previous_ones(h, counted, session_order),
                      .next_op = ids_copy(h->txn_first, h->ntxns),
                      .met = xcalloc(h->ntxns, 1),
                      .place = xcalloc(h->ntxns, sizeof *p.place)};
  struct ending *endings = xmalloc(h->ntxns * sizeof *endings);
  uint32_t n = 0;
  for (uint32_t t = 0; t < h->ntxns; t++)
    if (counted[t])
      endings[n++] = (struct ending){h->end[t], t};
  if (n)
    qsort(endings, n, sizeof *endings, by_likely_time);
  for (uint32_t i = 0; i < n; i++)
    if (!p.met[endings[i].txn])
      place_from(&p, endings[i].txn);
  FREE_EACH(endings, p.previous, p.next_op, p.met, p.stack.items);
  return p.place;
}
