// SPDX-License-Identifier: GPL-3.0-or-later
// A walk through the transactions in the order in which they ended, which
// places each after those of its session and those that it read from
// (checker/weak/recorded_order.h).
//
// Let `latest` be the last place of those that a reader follows directly.  All
// that it observed, directly or through others, have places up to that one.  So
// if the version that it saw is the last one of its key up to there, no axiom
// of a weak level can have anything against that read, whatever was observed.
// In a history of a database that hands out snapshots nearly all reads are of
// that kind, and one look at the next version decides.  For the other reads the
// walk searches the writers that their transactions had observed.  If one of
// these writers was placed behind the version that was seen, this order breaks
// the level, and the writer of that version has to wait for it.  Clients tell
// the ends of a few transactions of a hundred thousand in another order than
// the database committed them; so the walk begins again, with these waits,
// until it meets no contradiction.
#include "config.h"

#include "checker/weak/recorded_order.h"

#include "base/ids.h"
#include "base/memory.h"
#include "base/pick.h"
#include "checker/verdict/level_rules.h"
#include "checker/weak/observed.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
  POLL = 1 << 9,  // transactions; each may look far back
  EFFORT = 16,    // per operation
  WALKS = 8,      // nearly all histories need one or two
  MANY = 1 << 19, // operations, for which memory is better asked ahead
  FAR = 32,       // transactions ahead for which memory is asked for,
  NEAR = 16,      // in three steps since each needs what the one before brings
  NEXT = 8
};

// A transaction that another one is to be placed after though it neither
// precedes that one in its session nor was read from.
struct wait {
  uint32_t before;
  uint32_t older; // wait of the same transaction, or NO_ID
};

struct recorded_order {
  const struct model *m;
  enum isolation level;
  uint32_t *place; // per transaction: 1 + its place; 0: not placed
  uint32_t *order, norder;
  uint32_t *newest; // per key: the version placed last
  uint32_t *next;   // per version: the next one of its key, and one more
  uint64_t effort;  // how much may still be looked at
  uint8_t *open;    // per transaction: on the stack
  struct ids stack;
  struct observed observed;
  struct wait *waits;
  uint32_t nwaits, waits_room;
  uint32_t *newest_wait; // per transaction; NULL: there are none
  bool failed;           // it does not tell
};

static void spend(struct recorded_order *p, uint64_t effort) {
  p->failed |= p->effort < effort;
  p->effort -= p->failed ? 0 : effort;
}

// --- Waits.

static void add_wait(struct recorded_order *p, uint32_t after,
                     uint32_t before) {
  assert(after != before);
  if (!p->newest_wait)
    p->newest_wait = ids_none(p->m->h->ntxns);
  ARRAY_RESERVE(p->waits, p->nwaits, p->waits_room);
  p->waits[p->nwaits] = (struct wait){before, p->newest_wait[after]};
  p->newest_wait[after] = p->nwaits++;
}

static bool waits_for_txn(struct recorded_order *p, uint32_t after,
                          uint32_t before) {
  uint32_t i = p->newest_wait ? p->newest_wait[after] : NO_ID;
  for (; i != NO_ID && p->waits[i].before != before; i = p->waits[i].older)
    spend(p, 1);
  return i != NO_ID;
}

// The reader had observed `writer`, which was placed behind the version that
// the read saw.  Nothing can be placed before the initial version.
static void demand_wait(struct recorded_order *p, uint32_t read,
                        uint32_t writer) {
  const uint32_t saw = p->m->sees[read];
  p->failed |= is_initial(p->m, saw);
  if (!p->failed && !waits_for_txn(p, writer_of(p->m, saw), writer))
    add_wait(p, writer_of(p->m, saw), writer);
}

// --- Placing.

// Versions of the key were placed between the one that was seen and `latest`:
// had the reader observed one of their writers?
static void look_at_overwriters(struct recorded_order *p, uint32_t t,
                                uint32_t read, uint32_t latest) {
  const struct model *m = p->m;
  const uint32_t first = p->next[m->sees[read]];
  if (level_is_causal(p->level))
    spend(p, observed_search(&p->observed, t, p->place[writer_of(m, first)],
                             p->effort));
  for (uint32_t v = first; v != NO_ID && !p->failed; v = p->next[v]) {
    const uint32_t writer = writer_of(m, v);
    if (p->place[writer] > latest)
      return;
    spend(p, 1);
    if (had_observed(&p->observed, t, read, writer))
      demand_wait(p, read, writer);
  }
}

// The processor cannot foresee the kind of an operation, so no branch depends
// on it: an operation that is no final write follows no version.
static void put_final_writes(struct recorded_order *p, uint32_t t) {
  const struct history *h = p->m->h;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    const bool final = is_final(p->m, op);
    uint32_t *newest = &p->newest[h->key[op]];
    const uint32_t before = *newest;
    p->next[pick(final, before, p->m->nversions)] = op;
    *newest = pick(final, op, before);
  }
}

static void place_txn(struct recorded_order *p, uint32_t t, uint32_t latest) {
  const struct model *m = p->m;
  const struct history *h = m->h;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    const uint32_t saw = m->sees[op];
    const bool stale = (saw != NO_ID) & (saw != p->newest[h->key[op]]);
    const uint32_t next = pick_if(stale, p->next[pick_if(stale, saw)]);
    if (stale & (p->place[writer_of(m, next)] <= latest))
      look_at_overwriters(p, t, op, latest);
  }
  p->order[p->norder++] = t;
  p->place[t] = p->norder;
  put_final_writes(p, t);
}

// --- The walk.

// The write that an external read sees, or else the operation itself: whether
// it sees one cannot be foreseen.
static inline uint32_t write_seen_by(const struct model *m, uint32_t op) {
  return pick(m->sees[op] < m->h->nops, m->sees[op], op);
}

// Did t read from a writer that has no place yet?  Most writers have one.
static bool must_wait_for_any(const struct recorded_order *p, uint32_t t,
                              uint32_t *latest) {
  const struct model *m = p->m;
  uint32_t last = *latest;
  bool wait = false;
  for (uint32_t op = m->h->txn_first[t]; op < m->h->txn_first[t + 1]; op++) {
    const bool reads = m->sees[op] < m->h->nops;
    const uint32_t place = p->place[writer_of(m, write_seen_by(m, op))];
    wait |= reads & (place == 0);
    last = place > last ? place : last; // that of t is 0
  }
  *latest = last;
  return wait;
}

static uint32_t find_unplaced_writer(const struct recorded_order *p,
                                     uint32_t t) {
  const struct model *m = p->m;
  uint32_t op = m->h->txn_first[t];
  while (m->sees[op] >= m->h->nops || p->place[writer_of(m, m->sees[op])])
    op++;
  return writer_of(m, m->sees[op]);
}

// Returns a transaction that has no place yet although t has to come after it.
// If there is none, returns NO_ID and sets `*latest` to the last place of the
// transactions that t follows.
static uint32_t find_unplaced_txn(const struct recorded_order *p, uint32_t t,
                                  uint32_t *latest) {
  const uint32_t previous = p->m->previous[t];
  *latest = previous == NO_ID ? 0 : p->place[previous];
  if (previous != NO_ID && !*latest)
    return previous;
  if (must_wait_for_any(p, t, latest))
    return find_unplaced_writer(p, t);
  for (uint32_t i = p->newest_wait ? p->newest_wait[t] : NO_ID; i != NO_ID;
       i = p->waits[i].older)
    if (!p->place[p->waits[i].before])
      return p->waits[i].before;
  return NO_ID;
}

static void push_txn(struct recorded_order *p, uint32_t t) {
  ids_add(&p->stack, t);
  p->open[t] = 1;
}

// Ends early if a transaction turns out to wait for itself: that fails.
static void walk_from_txn(struct recorded_order *p, uint32_t root) {
  push_txn(p, root);
  while (p->stack.count && !p->failed) {
    const uint32_t t = p->stack.items[p->stack.count - 1];
    uint32_t latest;
    const uint32_t before = find_unplaced_txn(p, t, &latest);
    if (before == NO_ID) {
      place_txn(p, t, latest);
      p->open[t] = 0;
      p->stack.count--;
    } else if (p->open[before]) {
      p->failed = true;
    } else {
      push_txn(p, before);
    }
  }
}

// Fetches memory that placing the transactions ahead will look at.
static inline void prefetch_ahead(const struct recorded_order *p, uint32_t i) {
  const struct model *m = p->m;
  const uint32_t *first = m->h->txn_first;
  if (i + FAR >= m->nguess)
    return;
  for (uint32_t op = first[m->guess[i + FAR]];
       op < first[m->guess[i + FAR] + 1]; op += 16) {
    __builtin_prefetch(&m->sees[op]);
    __builtin_prefetch(&m->h->key[op]);
    __builtin_prefetch(&m->role[op]);
  }
  uint32_t t = m->guess[i + NEAR];
  for (uint32_t op = first[t]; op < first[t + 1]; op++) {
    __builtin_prefetch(&p->newest[m->h->key[op]]);
    __builtin_prefetch(&m->txn_of[write_seen_by(m, op)]);
  }
  t = m->guess[i + NEXT];
  for (uint32_t op = first[t]; op < first[t + 1]; op++)
    __builtin_prefetch(&p->place[writer_of(m, write_seen_by(m, op))]);
}

static void begin_walk(struct recorded_order *p) {
  const struct history *h = p->m->h;
  p->norder = 0;
  memset(p->place, 0, h->ntxns * sizeof *p->place);
  memset(p->next, 0xff, p->m->nversions * sizeof *p->next);
  for (uint32_t key = 0; key < h->nkeys; key++)
    p->newest[key] = h->nops + key;
  p->observed.reader = NO_ID;
}

static void walk_all_txns(struct recorded_order *p) {
  const struct model *m = p->m;
  const bool many = m->h->nops >= MANY;
  begin_walk(p);
  for (uint32_t i = 0; i < m->nguess && !p->failed; i++) {
    if (i % POLL == 0)
      p->failed |= stop_is_set(m->stop);
    if (many)
      prefetch_ahead(p, i);
    if (!p->place[m->guess[i]])
      walk_from_txn(p, m->guess[i]);
  }
}

// Walks until a walk adds no wait: its order contradicts nothing.
static void walk_until_settled(struct recorded_order *p) {
  uint32_t waits_before, walks = 0;
  do {
    waits_before = p->nwaits;
    walk_all_txns(p);
    p->failed |= ++walks == WALKS && p->nwaits > waits_before;
  } while (!p->failed && p->nwaits > waits_before);
}

static void recorded_order_open(struct recorded_order *p) {
  const struct history *h = p->m->h;
  p->place = xmalloc(h->ntxns * sizeof *p->place);
  p->order = xmalloc(p->m->nguess * sizeof *p->order);
  p->newest = xmalloc(h->nkeys * sizeof *p->newest);
  p->next = xmalloc((p->m->nversions + (size_t)1) * sizeof *p->next);
  p->open = xcalloc(h->ntxns, 1);
  p->observed =
      (struct observed){.m = p->m, .level = p->level, .place = p->place};
}

static void recorded_order_close(struct recorded_order *p) {
  FREE_EACH(p->place, p->newest, p->next, p->open, p->stack.items, p->waits,
            p->newest_wait, p->observed.met, p->observed.queue);
}

uint32_t *recorded_order_find(const struct model *m, enum isolation level,
                              uint32_t *norder) {
  assert(level_saturates(level) && !m->h->lists && !m->levels);
  struct recorded_order p = {
      .m = m, .level = level, .effort = (uint64_t)EFFORT * m->h->nops};
  recorded_order_open(&p);
  walk_until_settled(&p);
  assert(p.failed || p.norder == m->nguess);
  *norder = p.failed ? 0 : p.norder;
  if (p.failed) {
    free(p.order);
    p.order = NULL;
  }
  recorded_order_close(&p);
  return p.order;
}
