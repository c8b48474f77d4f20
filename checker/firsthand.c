// SPDX-License-Identifier: GPL-3.0-or-later
// What pairs of reads demand (checker/firsthand.h).
#include "config.h"

#include "checker/firsthand.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

// A read and whom it saw.
struct sight {
  uint32_t op, txn; // NO_ID: the initial value
  uint32_t writer;  // if it was open
};

static bool writes(const struct model *m, uint32_t t, uint32_t key) {
  bool writes = false;
  for (uint32_t op = m->h->txn_first[t]; op < m->h->txn_first[t + 1]; op++)
    writes |= m->h->key[op] == key && is_final(m, op);
  return writes;
}

static void demand(struct firsthand *f, uint32_t other, uint32_t before,
                   uint32_t after) {
  if (before == after)
    return;
  ARRAY_RESERVE(f->demands, f->ndemands, f->room);
  f->demands[f->ndemands++] = (struct sight_demand){other, before, after};
}

// The first one was read from, which the reader knows by the other read then.
static void demand_order(struct firsthand *f, const struct sight *observed,
                         const struct sight *read, uint32_t other) {
  const struct model *m = f->m;
  if (observed->txn != NO_ID && observed->txn != m->txn_of[read->op] &&
      (f->level != ISOLATION_RC || observed->op < read->op) &&
      writes(m, observed->txn, m->h->key[read->op]))
    demand(f, other, observed->txn, read->txn);
}

// False: nobody knows whom it saw, or that is of its own transaction.
static bool sight_of(const struct firsthand *f, uint32_t op,
                     const uint32_t *seen, struct sight *sight) {
  const struct model *m = f->m;
  const uint32_t open = f->open_of[op];
  *sight = (struct sight){.op = op, .txn = NO_ID, .writer = NO_ID};
  if (!op_reads(m->h->kind[op]) && open == NO_ID)
    return false;
  if (open != NO_ID) {
    sight->writer = seen[open];
    if (sight->writer != NO_ID)
      sight->txn = f->writers[sight->writer].commit;
    return sight->writer != NO_ID;
  }
  if (m->h->saw[op] < m->h->nops)
    sight->txn = m->txn_of[m->h->saw[op]];
  return sight->txn != m->txn_of[op];
}

uint32_t firsthand_demands(void *context, uint32_t writer, const uint32_t *seen,
                           const struct sight_demand **demands) {
  struct firsthand *f = context;
  const struct model *m = f->m;
  const uint32_t read = f->writers[writer].read, place = f->place_of[read];
  const uint32_t t = m->txn_of[place];
  const struct sight sight = {place, f->writers[writer].commit, writer};
  struct sight other;
  f->ndemands = 0;
  if (f->before[read] != NO_ID)
    demand(f, NO_ID, f->before[read], sight.txn);
  for (uint32_t op = m->h->txn_first[t]; op < m->h->txn_first[t + 1]; op++) {
    if (f->open_of[op] == read || !sight_of(f, op, seen, &other))
      continue;
    demand_order(f, &sight, &other, other.writer);
    demand_order(f, &other, &sight, other.writer);
  }
  *demands = f->demands;
  return f->ndemands;
}

static void find_before(struct firsthand *f) {
  const struct model *m = f->m;
  const struct history *h = m->h;
  uint32_t *last = xmalloc(h->nkeys * sizeof *last);
  memset(last, 0xff, h->nkeys * sizeof *last);
  for (uint32_t s = 0; s < h->nsessions; s++)
    for (uint32_t t = h->session_first[s]; t < h->session_first[s + 1]; t++) {
      if (!m->counted[t])
        continue;
      for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
        const uint32_t writer = last[h->key[op]];
        if (f->open_of[op] != NO_ID && writer != NO_ID &&
            writer >= h->session_first[s])
          f->before[f->open_of[op]] = writer;
      }
      for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
        if (is_final(m, op) && leads_session(m, t))
          last[h->key[op]] = t;
    }
  free(last);
}

void firsthand_open(struct firsthand *f, const struct model *m,
                    enum isolation level, const uint32_t *open_of,
                    const uint32_t *place_of, uint32_t nreads,
                    const struct open_writer *writers) {
  *f = (struct firsthand){.m = m,
                          .level = level,
                          .open_of = open_of,
                          .place_of = place_of,
                          .writers = writers};
  f->before = xmalloc(nreads * sizeof *f->before);
  memset(f->before, 0xff, nreads * sizeof *f->before);
  if (level != ISOLATION_RC && m->session_order)
    find_before(f);
}

void firsthand_close(struct firsthand *f) {
  free(f->before);
  free(f->demands);
  *f = (struct firsthand){0};
}
