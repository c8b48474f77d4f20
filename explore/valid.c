// SPDX-License-Identifier: GPL-3.0-or-later
// Which writers a read may read from (dpor 5.1, VALIDWRITES), for the levels
// that are causally extensible.
//
// The pending transaction t has no successor in so and wr, so a read of x from
// w demands only that some writers commit before w, or before the writers that
// t read from already: those of the key that t has observed by then.  Which
// ones it has observed is the level; the rest is one relation that must stay
// acyclic, kept transitively closed as the set `before` of each transaction.
#include "config.h"

#include "explore/partial.h"

#include <string.h>

// All of `early` commit before w.
static bool put_before(uint64_t *before, uint32_t n, uint64_t early,
                       uint32_t w) {
  uint64_t all = early & ~before[w];
  if (!all)
    return true;
  FOR_EACH_BIT(u, early & ~before[w]) all |= before[u];
  if (all & bit(w))
    return false;
  before[w] |= all;
  for (uint32_t v = 1; v < n; v++)
    if (before[v] & bit(w))
      before[v] |= all;
  return true;
}

// Demands that t's reads so far, or only the plain ones at mysql-rr, missed
// nothing of `seen`.
static bool put_before_reads(const struct partial *p, uint64_t *before,
                             uint64_t seen, bool plain) {
  const struct program_block *b = &p->blocks[p->nblocks - 1];
  for (uint32_t i = b->first_read; i < p->nreads; i++) {
    const struct program_read *r = &p->reads[i];
    const uint64_t early = seen & writers_of(p, r->key) & ~bit(r->writer);
    if (early && !(plain && r->flags & READ_NEWEST) &&
        !put_before(before, p->program->ntxns + 1, early, r->writer))
      return false;
  }
  return true;
}

// At mysql-rr, what a plain read has observed: the past of the transaction at
// its first plain read, and all that those read from.
static uint64_t snapshot_past(const struct partial *p) {
  const struct program_block *b = &p->blocks[p->nblocks - 1];
  const uint64_t sessions = p->program->txns[b->t].before;
  uint64_t past = sessions;
  bool begun = false;
  FOR_EACH_BIT(u, sessions) past |= u ? p->past[u] : 0;
  for (uint32_t i = b->first_read; i < p->nreads; i++) {
    const struct program_read *r = &p->reads[i];
    begun |= !(r->flags & READ_NEWEST);
    if (!begun || !(r->flags & READ_NEWEST))
      past |= bit(r->writer) | (r->writer ? p->past[r->writer] : 0);
  }
  return past;
}

static uint64_t valid_read_from(const struct partial *p) {
  const struct program_block *b = &p->blocks[p->nblocks - 1];
  uint64_t all = 0;
  for (uint32_t i = b->first_read; i < p->nreads; i++)
    all |= bit(p->reads[i].writer);
  return all;
}

bool partial_demand(const struct partial *p, uint64_t *before,
                    const struct program_read *read) {
  const uint32_t w = read->writer;
  const uint32_t t = p->blocks[p->nblocks - 1].t;
  const uint64_t others = writers_of(p, read->key) & ~bit(w);
  uint64_t seen = 0, news = 0;
  bool plain = false;
  switch ((enum level)p->levels[t]) {
  case LEVEL_RC:
    seen = valid_read_from(p);
    break;
  case LEVEL_RCC:
    seen = p->past[t];
    break;
  case LEVEL_RCS:
    if (read->flags & READ_NEWEST) {
      seen = p->past[t];
      break;
    }
    plain = true;
    seen = snapshot_past(p);
    news = (bit(w) | (w ? p->past[w] : 0)) & ~seen;
    seen |= news;
    break;
  case LEVEL_RA:
    seen = p->program->txns[t].before | valid_read_from(p);
    news = bit(w) & ~seen;
    break;
  case LEVEL_CC:
    seen = p->past[t] | (w ? p->past[w] : 0);
    news = (seen | bit(w)) & ~p->past[t];
    break;
  default:
    return true;
  }
  return put_before(before, p->program->ntxns + 1, seen & others, w) &&
         (!news || put_before_reads(p, before, news, plain));
}

bool partial_is_valid(const struct partial *p, struct program_read read,
                      uint32_t writer) {
  uint64_t before[PROGRAM_MAX_TXNS + 1];
  memcpy(before, p->before, (p->program->ntxns + 1) * sizeof *before);
  read.writer = (uint8_t)writer;
  return partial_demand(p, before, &read);
}

uint64_t partial_valid(const struct partial *p,
                       const struct program_read *read) {
  uint64_t valid = 0;
  FOR_EACH_BIT(w, writers_of(p, read->key))
  valid |= partial_is_valid(p, *read, (uint32_t)w) ? bit((uint32_t)w) : 0;
  return valid;
}
