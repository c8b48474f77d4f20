// SPDX-License-Identifier: GPL-3.0-or-later
// Looks for what an order of commits lacks (checker/past.h), transaction by
// transaction in that order.
#include "config.h"

#include "checker/past.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define CLOCKS_MAX (UINT64_C(1) << 26)

struct looking {
  struct past *p;
  const uint32_t *seen;
  const struct toporder *order;
  struct consequence *found;
};

static uint32_t *entry(uint32_t *table, const struct past *p, uint32_t t,
                       uint32_t line) {
  return &table[(size_t)t * p->nlines + line];
}

// --- What a transaction read.

static void list_reads(struct looking *l, uint32_t t) {
  struct past *p = l->p;
  const struct model *m = p->m;
  p->nreads = 0;
  for (uint32_t op = m->h->txn_first[t]; op < m->h->txn_first[t + 1]; op++) {
    struct seen_writer read = {.op = op, .txn = NO_ID, .writer = NO_ID};
    const uint32_t open = p->open_of[op], version = m->sees[op];
    if (open != NO_ID) {
      read.writer = l->seen[open];
      read.txn = p->writers[read.writer].commit;
    } else if (version == NO_ID) {
      continue;
    } else if (!is_initial(m, version)) {
      read.txn = writer_of(m, version);
    }
    ARRAY_RESERVE(p->reads, p->nreads, p->reads_room);
    p->reads[p->nreads++] = read;
  }
}

static void add_once(struct past_list *list, uint32_t item) {
  bool there = item == NO_ID;
  for (uint32_t i = 0; i < list->count && !there; i++)
    there = list->items[i] == item;
  if (there)
    return;
  ARRAY_RESERVE(list->items, list->count, list->room);
  list->items[list->count++] = item;
}

// --- Causes.

static void observe(struct past *p, uint32_t t, uint32_t line, uint32_t bound,
                    uint32_t cause) {
  uint32_t *known = entry(p->bound, p, t, line);
  if (bound <= *known)
    return;
  *known = bound;
  *entry(p->cause, p, t, line) = cause;
}

static void observe_past_of(struct past *p, uint32_t t, uint32_t other) {
  if (other == NO_ID)
    return;
  for (uint32_t line = 0; line < p->nlines; line++)
    observe(p, t, line, *entry(p->bound, p, other, line), other);
  observe(p, t, p->line_of[other], other + 1, other);
}

static void observe_all(struct past *p, uint32_t t) {
  memset(entry(p->bound, p, t, 0), 0, p->nlines * sizeof *p->bound);
  observe_past_of(p, t, p->m->previous[t]);
  for (uint32_t i = 0; i < p->nreads; i++)
    observe_past_of(p, t, p->reads[i].txn);
}

// Why `t` knows so much of the line, back to a transaction of it.
static void add_causes(struct looking *l, uint32_t t, uint32_t line) {
  struct past *p = l->p;
  for (uint32_t u = t, cause;; u = cause) {
    cause = *entry(p->cause, p, u, line);
    list_reads(l, u);
    uint32_t by = NO_ID;
    bool known = cause == p->m->previous[u];
    if (!known) {
      add_once(&p->about, u);
      add_once(&p->about, cause);
    }
    for (uint32_t i = 0; i < p->nreads && !known; i++)
      if (p->reads[i].txn == cause) {
        by = p->reads[i].writer;
        known = by == NO_ID;
      }
    if (!known)
      add_once(&p->why, by);
    if (p->line_of[cause] == line)
      return;
  }
}

// --- What an order lacks.

// Does the order lack that the observed transaction is before the one that was
// read from?
static bool is_lacking(const struct looking *l, uint32_t t, uint32_t observed,
                       const struct seen_writer *read) {
  if (observed == t || observed == read->txn)
    return false;
  return read->txn == NO_ID ||
         l->order->position[observed] > l->order->position[read->txn];
}

static void find(struct looking *l, uint32_t t, uint32_t observed,
                 const struct seen_writer *read) {
  add_once(&l->p->why, read->writer);
  add_once(&l->p->about, t);
  add_once(&l->p->about, observed);
  add_once(&l->p->about, read->txn);
  l->found->before = observed;
  l->found->after = read->txn;
}

// The last transaction of the line below the bound that wrote the key, or
// NO_ID.
static uint32_t last_writer(const struct past *p, uint32_t key, uint32_t line,
                            uint32_t bound) {
  uint32_t low = p->key_first[key], high = p->key_first[key + 1];
  const uint32_t first = low;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (p->key_writers[middle] < bound)
      low = middle + 1;
    else
      high = middle;
  }
  while (low > first && p->key_writers[low - 1] >= p->line_first[line])
    if (p->line_of[p->key_writers[--low]] == line)
      return p->key_writers[low];
  return NO_ID;
}

static bool lacks_by_causes(struct looking *l, uint32_t t,
                            const struct seen_writer *read) {
  struct past *p = l->p;
  for (uint32_t line = 0; line < p->nlines; line++) {
    const uint32_t bound = *entry(p->bound, p, t, line);
    const uint32_t observed =
        last_writer(p, p->m->h->key[read->op], line, bound);
    if (observed == NO_ID || !is_lacking(l, t, observed, read))
      continue;
    find(l, t, observed, read);
    add_causes(l, t, line);
    return true;
  }
  return false;
}

static bool lacks(struct looking *l, uint32_t t) {
  struct past *p = l->p;
  list_reads(l, t);
  for (uint32_t i = 0; i < p->nreads; i++) {
    const struct seen_writer read = p->reads[i];
    if (lacks_by_causes(l, t, &read))
      return true;
  }
  return false;
}

static void observe_in_order(struct looking *l) {
  const struct past *p = l->p;
  for (uint32_t i = 0; i < l->order->graph->nnodes; i++) {
    const uint32_t t = l->order->node_at[i];
    if (t >= p->m->h->ntxns || !p->m->counted[t])
      continue;
    list_reads(l, t);
    observe_all(l->p, t);
  }
}

// --- Public.

bool past_consequence(void *context, const uint32_t *seen,
                      const struct toporder *order, struct consequence *found) {
  struct past *p = context;
  struct looking l = {p, seen, order, found};
  const uint32_t n = order->graph->nnodes;
  bool lacking = false;
  p->why.count = p->about.count = 0;
  observe_in_order(&l);
  for (uint32_t i = 0; i < n && !lacking; i++) {
    const uint32_t place = (p->next + i) % n, t = order->node_at[place];
    if (t < p->m->h->ntxns && p->m->counted[t])
      lacking = lacks(&l, t);
    if (lacking)
      p->next = place;
  }
  found->writers = p->why.items;
  found->nwriters = p->why.count;
  found->nodes = p->about.items;
  found->nnodes = p->about.count;
  return lacking;
}

static void list_writers(struct past *p) {
  const struct model *m = p->m;
  const uint32_t nkeys = m->h->nkeys;
  p->key_first = xcalloc((size_t)nkeys + 2, sizeof *p->key_first);
  p->key_writers = xmalloc(m->h->nops * sizeof *p->key_writers);
  for (uint32_t op = 0; op < m->h->nops; op++)
    if (is_final(m, op))
      p->key_first[m->h->key[op] + 2]++;
  for (uint32_t k = 0; k < nkeys; k++)
    p->key_first[k + 2] += p->key_first[k + 1];
  for (uint32_t op = 0; op < m->h->nops; op++)
    if (is_final(m, op))
      p->key_writers[p->key_first[m->h->key[op] + 1]++] = m->txn_of[op];
}

// Returns how many there are.
static uint32_t find_lines(struct past *p) {
  const struct history *h = p->m->h;
  uint32_t nlines = 0;
  p->line_of = xmalloc(h->ntxns * sizeof *p->line_of);
  p->line_first =
      xmalloc(((size_t)h->nsessions + h->ntxns) * sizeof *p->line_first);
  for (uint32_t s = 0; s < h->nsessions; s++) {
    const uint32_t line = nlines++, end = h->session_first[s + 1];
    p->line_first[line] = h->session_first[s];
    for (uint32_t t = h->session_first[s]; t < end; t++) {
      const bool alone =
          p->m->counted[t] && !leads_session(p->m, t) && t + 1 < end;
      p->line_of[t] = alone ? nlines : line;
      if (alone)
        p->line_first[nlines++] = t;
    }
  }
  return nlines;
}

bool past_open(struct past *p, const struct model *m, const uint32_t *open_of,
               const struct open_writer *writers) {
  *p = (struct past){.m = m, .open_of = open_of, .writers = writers};
  if (!m->session_order)
    return false;
  p->nlines = find_lines(p);
  const uint64_t nclocks = (uint64_t)m->h->ntxns * p->nlines;
  if (nclocks > CLOCKS_MAX)
    return false;
  list_writers(p);
  p->bound = xcalloc(nclocks, sizeof *p->bound);
  p->cause = xcalloc(nclocks, sizeof *p->cause);
  return true;
}

void past_close(struct past *p) {
  void *const owned[] = {p->key_first,  p->key_writers, p->line_of,
                         p->line_first, p->bound,       p->cause,
                         p->reads,      p->why.items,   p->about.items};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
    free(owned[i]);
  *p = (struct past){0};
}
