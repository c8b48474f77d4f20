// SPDX-License-Identifier: GPL-3.0-or-later
// From the times of cycles to a part of the history (checker/nearby.h).
#include "config.h"

#include "checker/nearby.h"

#include "base/memory.h"
#include "checker/blame.h"

#include <assert.h>
#include <stdlib.h>

enum { MUCH_LESS = 8, WORD = 64 };

// --- When.

struct span {
  uint64_t from, to;
};

static void stretch(struct span *span, const struct history *h, uint32_t t) {
  const uint64_t from = began(h, t), to = ended(h, t);
  span->from = from < span->from ? from : span->from;
  span->to = to > span->to ? to : span->to;
}

static struct span span_of(const struct model *m,
                           const struct prefix_cycle *cycle) {
  struct span span = {UINT64_MAX, 0};
  for (uint32_t i = 0; i < cycle->ntxns; i++)
    stretch(&span, m->h, cycle->txns[i]);
  for (uint32_t i = 0; i < cycle->demands.count; i++) {
    const struct demand *demand = &cycle->demands.items[i];
    stretch(&span, m->h, demand->before);
    stretch(&span, m->h, demand->after);
    stretch(&span, m->h, m->txn_of[demand->read]);
  }
  return span;
}

static int by_start(const void *a, const void *b) {
  const struct span *x = a, *y = b;
  return (x->from > y->from) - (x->from < y->from);
}

// Apart from each other, and in the order of time.
struct spans {
  struct span items[PREFIX_MAX_CYCLES];
  uint32_t count;
};

static struct spans spans_of(const struct model *m,
                             const struct prefix_cycles *cycles) {
  struct spans spans = {.count = 0};
  struct span all[PREFIX_MAX_CYCLES];
  for (uint32_t i = 0; i < cycles->count; i++)
    all[i] = span_of(m, &cycles->items[i]);
  qsort(all, cycles->count, sizeof *all, by_start);
  for (uint32_t i = 0; i < cycles->count; i++) {
    struct span *last = spans.count ? &spans.items[spans.count - 1] : NULL;
    if (!last || last->to < all[i].from)
      spans.items[spans.count++] = all[i];
    else if (last->to < all[i].to)
      last->to = all[i].to;
  }
  return spans;
}

static bool went_on(const struct model *m, const struct spans *spans,
                    uint32_t t) {
  const uint64_t from = began(m->h, t), to = ended(m->h, t);
  uint32_t low = 0, high = spans->count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (spans->items[middle].to < from)
      low = middle + 1;
    else
      high = middle;
  }
  return m->counted[t] && low < spans->count && spans->items[low].from <= to;
}

// --- What.

static uint64_t count_operations(const struct model *m,
                                 const struct spans *spans) {
  const uint32_t *first = m->h->txn_first;
  uint64_t n = 0;
  for (uint32_t t = 0; t < m->h->ntxns; t++)
    if (went_on(m, spans, t))
      n += first[t + 1] - first[t];
  return n;
}

static void mark(uint64_t *marks, uint32_t op) {
  marks[op / WORD] |= UINT64_C(1) << op % WORD;
}

// With the writes that they saw, which no later one of the same transaction
// follows: that would have been a wrong read.
static void mark_operations(const struct model *m, uint32_t t,
                            uint64_t *marks) {
  const struct history *h = m->h;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    mark(marks, op);
    if (op_reads(h->kind[op]) && h->saw[op] < h->nops)
      mark(marks, h->saw[op]);
  }
}

static void take_marked(struct operations *ops, const uint64_t *marks,
                        size_t nwords) {
  for (size_t w = 0; w < nwords; w++)
    for (uint64_t word = marks[w]; word; word &= word - 1) {
      ARRAY_RESERVE(ops->op, ops->count, ops->room);
      ops->op[ops->count++] =
          (uint32_t)(w * WORD) + (uint32_t)__builtin_ctzll(word);
    }
}

bool nearby_take(struct nearby *nearby, const struct model *m,
                 const struct prefix_cycles *cycles) {
  const struct history *h = m->h;
  assert(!h->lists);
  if (!h->begin || !h->end)
    return false;
  const struct spans spans = spans_of(m, cycles);
  if (count_operations(m, &spans) > h->nops / MUCH_LESS)
    return false;
  const size_t nwords = h->nops / WORD + 1;
  uint64_t *marks = xcalloc(nwords, sizeof *marks);
  for (uint32_t t = 0; t < h->ntxns; t++)
    if (went_on(m, &spans, t))
      mark_operations(m, t, marks);
  *nearby = (struct nearby){0};
  take_marked(&nearby->ops, marks, nwords);
  free(marks);
  subhistory_close(h, &nearby->ops);
  subhistory_extract(h, &m->empty, &nearby->ops, &nearby->part,
                     &nearby->txn_of_part);
  return true;
}

void nearby_rename(const struct nearby *nearby, struct verdict *violation) {
  blame_rename(violation, nearby->ops.op, nearby->txn_of_part);
  for (uint32_t i = 0; i < violation->nothers; i++)
    blame_rename(&violation->others[i], nearby->ops.op, nearby->txn_of_part);
}

void nearby_free(struct nearby *nearby) {
  history_free(&nearby->part);
  free(nearby->ops.op);
  free(nearby->txn_of_part);
  *nearby = (struct nearby){0};
}
