// SPDX-License-Identifier: GPL-3.0-or-later
// A walk through the transactions in the order in which they ended, which
// places each after those of its session and those that it read from
// (checker/prefix.h).
//
// Let `latest` be the last place of those that a reader follows directly.  All
// that it observed, directly or through others, have places up to that one.  So
// if the version that it saw is the last one of its key up to there, no axiom
// of a weak level can have anything against that read, whatever was observed.
// In a history of a database that hands out snapshots nearly all reads are of
// that kind, and one look at the next version decides.  Only for the others is
// looked at what was observed; where that contradicts the order, there is one
// more edge, and the walk goes back to the writer that was placed too early; if
// that is far, it goes on, and another round walks through what has become of
// the order.
#include "config.h"

#include "checker/prefix.h"

#include "base/memory.h"
#include "base/pick.h"
#include "checker/observed.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
  POLL = 1 << 14,
  ROUNDS = 16,
  EFFORT = 16,    // per operation
  NOT_FAR = 512,  // transactions that are better placed again at once
  MANY = 1 << 19, // operations, for which memory is better asked ahead
  FAR = 32,       // transactions ahead for which memory is asked for,
  NEAR = 16,      // in three steps since each needs what the one before brings
  NEXT = 8
};

// What was demanded of a transaction, and the older demand on the same one.
struct extra {
  struct demand demand;
  uint32_t older;
  bool is_void; // its read is in a cycle: it is not waited for any more
};

struct prefix {
  const struct model *m;
  enum isolation level;
  const uint32_t *guess; // m->guess, or `before`: the order of the last round
  uint32_t *before;
  uint32_t n;
  uint32_t *place; // per transaction: 1 + its place; 0: not placed
  uint32_t *order, norder;
  uint32_t *newest;    // per key: the version placed last
  uint32_t *next;      // per version: the next one of its key, and one more...
  uint32_t *preceding; // ...and per operation the one before
  uint64_t effort;     // how much may still be looked at or taken back

  struct extra *extra;
  uint32_t nextra, extra_room;
  uint32_t *newest_extra; // per transaction; NULL: there are none
  uint8_t *open;          // per transaction: on the stack
  uint32_t *stack, depth, room;
  uint32_t *redo, nredo, redo_room; // to be placed again, the next one last
  struct observed observed;
  uint32_t back_to; // place to go back to, or NO_ID
  bool again;       // another round is needed
  bool failed;
  struct prefix_cycles *cycles; // found; may be NULL
};

static void spend(struct prefix *p, uint64_t effort) {
  p->failed |= p->effort < effort;
  p->effort -= p->failed ? 0 : effort;
}

// --- Demands beyond the known edges, and the cycles that they close.

// The extra for which `after` waits for `before`; NULL if there is none.
static struct extra *extra_between(struct prefix *p, uint32_t before,
                                   uint32_t after) {
  for (uint32_t i = p->newest_extra ? p->newest_extra[after] : NO_ID;
       i != NO_ID; i = p->extra[i].older) {
    spend(p, 1);
    if (p->extra[i].demand.before == before && !p->extra[i].is_void)
      return &p->extra[i];
  }
  return NULL;
}

// What else the read demands is of no use then.
static void make_void(struct prefix *p, const struct demand *demand) {
  for (uint32_t i = p->newest_extra[demand->after]; i != NO_ID;
       i = p->extra[i].older)
    p->extra[i].is_void |= p->extra[i].demand.read == demand->read;
}

// Is the read in one of the cycles?
static bool is_told(const struct prefix *p, uint32_t read) {
  bool told = false;
  for (uint32_t i = 0; p->cycles && i < p->cycles->count && !told; i++)
    for (uint32_t k = 0; k < p->cycles->items[i].demands.count && !told; k++)
      told = p->cycles->items[i].demands.items[k].read == read;
  return told;
}

static void begin_cycle(struct prefix *p) {
  struct prefix_cycles *c = p->cycles;
  p->failed |= !c || c->count == PREFIX_MAX_CYCLES;
  if (p->failed)
    return;
  ARRAY_RESERVE(c->items, c->count, c->room);
  c->items[c->count++] = (struct prefix_cycle){0};
}

// To the cycle that was begun last.
static void add_to_cycle(struct prefix *p, uint32_t t,
                         const struct demand *demand) {
  struct prefix_cycle *c = &p->cycles->items[p->cycles->count - 1];
  ARRAY_RESERVE(c->txns, c->ntxns, c->room);
  c->txns[c->ntxns++] = t;
  if (!demand)
    return;
  ARRAY_RESERVE(c->demands.items, c->demands.count, c->demands.room);
  c->demands.items[c->demands.count++] = *demand;
}

static void add_extra(struct prefix *p, const struct demand *demand) {
  const uint32_t n = p->m->h->ntxns, after = demand->after;
  if (!p->newest_extra) {
    p->newest_extra = xmalloc(n * sizeof *p->newest_extra);
    memset(p->newest_extra, 0xff, n * sizeof *p->newest_extra);
  }
  ARRAY_RESERVE(p->extra, p->nextra, p->extra_room);
  p->extra[p->nextra] = (struct extra){*demand, p->newest_extra[after], false};
  p->newest_extra[after] = p->nextra++;
}

// A read that missed what is placed after the version that it saw though its
// transaction had observed that.
static void demand_order(struct prefix *p, const struct demand *demand) {
  if (extra_between(p, demand->before, demand->after))
    return; // it will be kept in another round
  add_extra(p, demand);
  const uint32_t back_to = p->place[demand->after] - 1;
  if (p->norder - back_to > NOT_FAR)
    p->again = true;
  else
    p->back_to = back_to < p->back_to ? back_to : p->back_to;
}

// The same of one that saw the initial version: there is no place before that.
static void demand_place_before_all(struct prefix *p,
                                    const struct demand *demand) {
  begin_cycle(p);
  if (!p->failed)
    add_to_cycle(p, demand->before, demand);
}

// Versions of the key were placed between the one that was seen and `latest`.
static void look_closer(struct prefix *p, uint32_t t, uint32_t read,
                        uint32_t latest) {
  const struct model *m = p->m;
  const uint32_t saw = m->sees[read];
  if (is_told(p, read))
    return;
  if (p->level == ISOLATION_CC)
    spend(p, observed_search(&p->observed, t,
                             p->place[writer_of(m, p->next[saw])], p->effort));
  for (uint32_t v = p->next[saw]; v != NO_ID && !p->failed; v = p->next[v]) {
    const uint32_t writer = writer_of(m, v);
    if (p->place[writer] > latest)
      return;
    spend(p, 1);
    if (!had_observed(&p->observed, t, read, writer))
      continue;
    if (is_initial(m, saw)) {
      demand_place_before_all(p, &(struct demand){t, writer, v, read});
      return;
    }
    demand_order(p, &(struct demand){writer, writer_of(m, saw), v, read});
  }
}

// --- Placing.

// What an operation is can not be foreseen, so that nothing depends on it: what
// is no final write follows no version.
static void put_writes(struct prefix *p, uint32_t t) {
  const struct history *h = p->m->h;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    const bool final = is_final(p->m, op);
    uint32_t *newest = &p->newest[h->key[op]];
    const uint32_t before = *newest;
    p->preceding[op] = before;
    p->next[pick(final, before, p->m->nversions)] = op;
    *newest = pick(final, op, before);
  }
}

static void place(struct prefix *p, uint32_t t, uint32_t latest) {
  const struct model *m = p->m;
  const struct history *h = m->h;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    const uint32_t saw = m->sees[op];
    const bool stale = (saw != NO_ID) & (saw != p->newest[h->key[op]]);
    const uint32_t next = pick_if(stale, p->next[pick_if(stale, saw)]);
    if (stale & (p->place[writer_of(m, next)] <= latest))
      look_closer(p, t, op, latest);
  }
  if (p->back_to != NO_ID || p->failed)
    return;
  p->order[p->norder++] = t;
  p->place[t] = p->norder;
  put_writes(p, t);
}

static void take_writes_back(struct prefix *p, uint32_t t) {
  const struct history *h = p->m->h;
  for (uint32_t op = h->txn_first[t + 1]; op-- > h->txn_first[t];)
    if (is_final(p->m, op)) {
      p->newest[h->key[op]] = p->preceding[op];
      p->next[p->preceding[op]] = NO_ID;
    }
  spend(p, h->txn_first[t + 1] - h->txn_first[t]);
}

static void push_redo(struct prefix *p, uint32_t t) {
  ARRAY_RESERVE(p->redo, p->nredo, p->redo_room);
  p->redo[p->nredo++] = t;
}

// Takes back all from place `back_to` on, to be placed again in that order but
// for the new edges.
static void go_back(struct prefix *p) {
  for (uint32_t i = 0; i < p->depth; i++) {
    push_redo(p, p->stack[i]);
    p->open[p->stack[i]] = 0;
  }
  p->depth = 0;
  while (p->norder > p->back_to) {
    const uint32_t t = p->order[--p->norder];
    p->place[t] = 0;
    take_writes_back(p, t);
    push_redo(p, t);
  }
  p->back_to = NO_ID;
  observed_forget(&p->observed);
}

// --- The walk.

static inline bool must_wait(const struct prefix *p, uint32_t before,
                             uint32_t *latest) {
  const uint32_t place = p->place[before];
  *latest = place > *latest ? place : *latest;
  return place == 0;
}

// The same of the writers that t read from, of which most are there.
static bool must_wait_for_any(const struct prefix *p, uint32_t t,
                              uint32_t *latest) {
  const struct model *m = p->m;
  uint32_t last = *latest;
  bool wait = false;
  for (uint32_t op = m->h->txn_first[t]; op < m->h->txn_first[t + 1]; op++) {
    const bool reads = m->sees[op] < m->h->nops;
    const uint32_t place = p->place[writer_of(m, pick(reads, m->sees[op], op))];
    wait |= reads & (place == 0);
    last = place > last ? place : last; // that of t is 0
  }
  *latest = last;
  return wait;
}

static uint32_t unplaced_writer(const struct prefix *p, uint32_t t) {
  const struct model *m = p->m;
  uint32_t op = m->h->txn_first[t];
  while (m->sees[op] >= m->h->nops || p->place[writer_of(m, m->sees[op])])
    op++;
  return writer_of(m, m->sees[op]);
}

// A transaction that is to be placed before t and is not yet; NO_ID: none, and
// `*latest` is the last place of those that it follows.
static uint32_t unplaced(const struct prefix *p, uint32_t t, uint32_t *latest) {
  const struct model *m = p->m;
  uint32_t any;
  *latest = 0;
  if (m->previous[t] != NO_ID && must_wait(p, m->previous[t], latest))
    return m->previous[t];
  if (must_wait_for_any(p, t, latest))
    return unplaced_writer(p, t);
  for (uint32_t i = p->newest_extra ? p->newest_extra[t] : NO_ID; i != NO_ID;
       i = p->extra[i].older)
    if (!p->extra[i].is_void && must_wait(p, p->extra[i].demand.before, &any))
      return p->extra[i].demand.before;
  return NO_ID;
}

// Each transaction on the stack waits for the next one, and the last one for t,
// which is there, too.  Where a known edge says so, there may be a demand as
// well, which does no harm.  Leaves on the stack what then waits for nothing
// that is void now; nothing more can be found if the cycle has no demand.
static void take_cycle(struct prefix *p, uint32_t t) {
  uint32_t i = p->depth, before = t, wait = NO_ID;
  begin_cycle(p);
  if (p->failed)
    return;
  do {
    const struct extra *extra = extra_between(p, before, p->stack[--i]);
    add_to_cycle(p, p->stack[i], extra ? &extra->demand : NULL);
    if (extra) {
      make_void(p, &extra->demand);
      wait = i;
    }
    before = p->stack[i];
  } while (before != t);
  p->failed |= wait == NO_ID;
  while (!p->failed && p->depth > wait + 1)
    p->open[p->stack[--p->depth]] = 0;
}

static void push(struct prefix *p, uint32_t t) {
  ARRAY_RESERVE(p->stack, p->depth, p->room);
  p->stack[p->depth++] = t;
  p->open[t] = 1;
}

static void walk_from(struct prefix *p, uint32_t root) {
  push(p, root);
  while (p->depth && !p->failed) {
    const uint32_t t = p->stack[p->depth - 1];
    uint32_t latest;
    const uint32_t before = unplaced(p, t, &latest);
    if (before != NO_ID && p->open[before])
      take_cycle(p, before);
    else if (before != NO_ID)
      push(p, before);
    if (before != NO_ID)
      continue;
    place(p, t, latest);
    if (p->back_to != NO_ID) {
      go_back(p);
      return;
    }
    p->open[t] = 0;
    p->depth--;
  }
}

// What placing the transactions ahead will look at.
static inline void prefetch_ahead(const struct prefix *p, uint32_t i) {
  const struct model *m = p->m;
  const uint32_t *first = m->h->txn_first;
  if (i + FAR >= p->n)
    return;
  for (uint32_t op = first[p->guess[i + FAR]];
       op < first[p->guess[i + FAR] + 1]; op += 16) {
    __builtin_prefetch(&m->sees[op]);
    __builtin_prefetch(&m->h->key[op]);
    __builtin_prefetch(&m->role[op]);
  }
  uint32_t t = p->guess[i + NEAR];
  for (uint32_t op = first[t]; op < first[t + 1]; op++) {
    __builtin_prefetch(&p->newest[m->h->key[op]]);
    if (m->sees[op] < m->h->nops)
      __builtin_prefetch(&m->txn_of[m->sees[op]]);
  }
  t = p->guess[i + NEXT];
  for (uint32_t op = first[t]; op < first[t + 1]; op++)
    if (m->sees[op] < m->h->nops)
      __builtin_prefetch(&p->place[writer_of(m, m->sees[op])]);
}

static void walk_all(struct prefix *p, volatile const bool *stop) {
  const bool many = p->m->h->nops >= MANY;
  for (uint32_t i = 0; i < p->n && !p->failed;) {
    if (i % POLL == 0)
      p->failed |= check_is_stopped(stop);
    const bool again = p->nredo > 0;
    if (!again && many)
      prefetch_ahead(p, i);
    const uint32_t t = again ? p->redo[--p->nredo] : p->guess[i++];
    if (!p->place[t])
      walk_from(p, t);
  }
  while (p->nredo && !p->failed)
    if (!p->place[p->redo[--p->nredo]])
      walk_from(p, p->redo[p->nredo]);
}

static void prefix_open(struct prefix *p) {
  const struct history *h = p->m->h;
  p->guess = p->m->guess;
  p->n = p->m->nguess;
  p->place = xmalloc(h->ntxns * sizeof *p->place);
  p->order = xmalloc(p->n * sizeof *p->order);
  p->newest = xmalloc(h->nkeys * sizeof *p->newest);
  p->next = xmalloc(((size_t)p->m->nversions + 1) * sizeof *p->next);
  p->preceding = xmalloc(h->nops * sizeof *p->preceding);
  p->open = xcalloc(h->ntxns, 1);
  observed_open(&p->observed, p->m, p->level, p->place);
}

static void forget_places(struct prefix *p) {
  const struct history *h = p->m->h;
  p->norder = 0;
  p->again = false;
  observed_forget(&p->observed);
  memset(p->place, 0, h->ntxns * sizeof *p->place);
  memset(p->next, 0xff, p->m->nversions * sizeof *p->next);
  for (uint32_t key = 0; key < h->nkeys; key++)
    p->newest[key] = h->nops + key;
}

// The order of one round is the guess of the next.
static bool keeps_all(struct prefix *p, volatile const bool *stop) {
  for (int round = 0; round < ROUNDS && !p->failed; round++) {
    forget_places(p);
    walk_all(p, stop);
    if (!p->again)
      return !p->failed;
    spend(p, p->m->h->nops);
    uint32_t *const room = p->before ? p->before : xmalloc(p->n * sizeof *room);
    p->guess = p->before = p->order;
    p->order = room;
  }
  return false;
}

static void prefix_close(struct prefix *p) {
  void *const owned[] = {p->before,    p->place,       p->newest, p->next,
                         p->extra,     p->open,        p->stack,  p->redo,
                         p->preceding, p->newest_extra};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
    free(owned[i]);
  observed_close(&p->observed);
}

uint32_t *prefix_order(const struct model *m, enum isolation level,
                       volatile const bool *stop, uint32_t *norder,
                       struct prefix_cycles *cycles) {
  assert(level < ISOLATION_PC && !m->h->lists);
  struct prefix p = {.m = m,
                     .level = level,
                     .cycles = cycles,
                     .effort = (uint64_t)EFFORT * m->h->nops,
                     .back_to = NO_ID};
  prefix_open(&p);
  const bool all = keeps_all(&p, stop);
  assert(!all || p.norder == p.n);
  if (cycles)
    cycles->all = all;
  const bool kept = all && !(cycles && cycles->count);
  *norder = kept ? p.norder : 0;
  if (!kept) {
    free(p.order);
    p.order = NULL;
  }
  prefix_close(&p);
  return p.order;
}

void prefix_cycles_free(struct prefix_cycles *cycles) {
  for (uint32_t i = 0; i < cycles->count; i++) {
    free(cycles->items[i].txns);
    demands_free(&cycles->items[i].demands);
  }
  free(cycles->items);
  *cycles = (struct prefix_cycles){0};
}
