// SPDX-License-Identifier: GPL-3.0-or-later
// A depth-first walk against the edges.  Transactions are taken in the order in
// which they ended; what must come before one is placed before it, recursively.
// So the result differs from the recorded order only where that contradicts an
// edge, the walk reads memory almost in the order of time, and one pass
// decides.
//
// Real time needs no edges: let the walk from the transaction R place T, and
// let S, which ended before T began, be placed after T.  S was not placed when
// R was taken, so R ended no later than S, before T began; and T leads to R.
// Hence real time contradicts the edges if, and only if, it contradicts this
// order.
//
// Most of what could be waited for was placed long ago, and is found so without
// a look at it: the version that a read saw is the current one of its key, and
// nobody is left who is to read the version that a write replaces.
#include "config.h"

#include "checker/graph/dependency_order.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { POLL = 1 << 16 };
enum state { STATE_NEW, STATE_OPEN, STATE_PLACED };

// An event being placed: it waits for the events above it on the stack.
struct walk_frame {
  uint32_t event;
  uint32_t op;     // operations before it wait for nothing any more
  uint32_t reader; // next reader of the version that `op` overwrote...
};
#define ALL_READERS (NO_ID - 1) // ...or none looked at yet

// The state of a key: the version placed last, and the number of its readers
// that are not placed yet; more than MANY_READERS are not counted down.  A
// reader placed while the version was not the current one makes this too large,
// never too small.
struct current {
  uint32_t version, unread;
};

struct order_walk {
  const struct model *m;
  struct order *order;
  struct current *current; // per key
  uint8_t *state;          // per event: enum state
  uint8_t *pulled;         // per version: its readers have been placed; or NULL
  uint32_t *snapshot_of;   // per transaction, once it is placed; or NULL
  struct walk_frame *stack;
  uint32_t depth, room;
};

// --- What the walk finds out about cycles.

static uint32_t txn_of_walk_event(const struct order_walk *w, uint32_t event) {
  return w->order->snapshot ? event / 2 : event;
}

// The events from `from` to the top of the stack, if they are fewer than met
// before.
static void keep_cycle(struct order_walk *w, uint32_t from) {
  struct order *order = w->order;
  const uint32_t limit = order->ncycle ? order->ncycle - 1 : w->depth;
  uint32_t n = 1;
  while (n <= limit && n <= w->depth && w->stack[w->depth - n].event != from)
    n++;
  if (n > limit)
    return;
  order->cycle = xrealloc(order->cycle, n, sizeof *order->cycle);
  for (uint32_t i = 0; i < n; i++)
    order->cycle[i] = w->stack[w->depth - 1 - i].event;
  order->ncycle = n;
}

static void note_back_edge(struct order_walk *w, uint32_t from, uint32_t to) {
  struct order *order = w->order;
  const struct back_edge edge = {.from = txn_of_walk_event(w, from),
                                 .to = txn_of_walk_event(w, to),
                                 .rw = order->snapshot && to % 2 &&
                                       from / 2 != to / 2};
  if (order->nback) {
    const struct back_edge *last = &order->back[order->nback - 1];
    if (last->from == edge.from && last->to == edge.to && last->rw == edge.rw)
      return;
  }
  if (order->nback == 0 || order->ncycle > 2)
    keep_cycle(w, from);
  if (order->nback == ORDER_MAX_BACK_EDGES)
    return;
  ARRAY_RESERVE(order->back, order->nback, order->room);
  order->back[order->nback++] = edge;
}

// --- What an event must wait for.

static inline bool must_wait(struct order_walk *w, uint32_t event,
                             uint32_t before) {
  const uint8_t state = w->state[before];
  if (state == STATE_OPEN)
    note_back_edge(w, before, event);
  return state == STATE_NEW;
}

// Are all readers of the version that `op` overwrote placed, as far as is known
// without a look at them?  Without snapshots the writer itself is not.
static inline bool is_read_out(const struct order_walk *w, uint32_t op,
                               bool split) {
  const struct current *current = &w->current[w->m->h->key[op]];
  const uint32_t own = !split && !(w->m->role[op] & ROLE_BLIND);
  return current->version == w->m->over[op] && current->unread == own;
}

// The first reader of the version that f->op overwrote that has not been
// placed.
static inline uint32_t unplaced_reader(struct order_walk *w,
                                       struct walk_frame *f, uint32_t t,
                                       bool split) {
  const struct model *m = w->m;
  const uint32_t version = m->over[f->op];
  const uint8_t role = m->role[f->op];
  if (role & ROLE_DIVERGED)
    return NO_ID; // it and the first overwriter would wait for each other
  if (role & ROLE_TAIL && w->pulled[version])
    return NO_ID;
  if (f->reader == ALL_READERS)
    f->reader = m->first_reader[version];
  for (; f->reader != NO_ID; f->reader = m->next_reader[f->reader]) {
    const uint32_t reader = m->txn_of[f->reader];
    if (reader == t)
      continue;
    const uint32_t event = split ? 2 * reader : reader;
    if (must_wait(w, f->event, event))
      return event;
  }
  if (role & ROLE_TAIL)
    w->pulled[version] = 1;
  return NO_ID;
}

static inline bool find_unplaced_version(struct order_walk *w,
                                         const struct walk_frame *f,
                                         uint32_t version, bool split,
                                         uint32_t *before) {
  if (version >= w->m->h->nops ||
      version == w->current[w->m->h->key[f->op]].version)
    return false;
  const uint32_t writer = w->m->txn_of[version];
  *before = split ? 2 * writer + 1 : writer;
  return must_wait(w, f->event, *before);
}

// An event that the frame's one has to wait for, or NO_ID.  An operation is
// looked at again after what it waited for was placed.
static inline uint32_t find_unplaced_event(struct order_walk *w,
                                           struct walk_frame *f, bool split) {
  const struct model *m = w->m;
  const uint32_t t = split ? f->event / 2 : f->event;
  const bool reads = !split || f->event % 2 == 0;
  const bool writes = !split || f->event % 2 == 1;
  const uint32_t end = m->h->txn_first[t + 1];
  uint32_t before;
  if (reads && m->previous[t] != NO_ID) {
    before = split ? 2 * m->previous[t] + 1 : m->previous[t];
    if (must_wait(w, f->event, before))
      return before;
  }
  if (split && writes && must_wait(w, f->event, 2 * t))
    return 2 * t;
  for (; f->op < end; f->op++, f->reader = ALL_READERS) {
    const uint32_t over = m->over[f->op];
    if (reads) {
      if (find_unplaced_version(w, f, m->sees[f->op], split, &before))
        return before;
      if (over != NO_ID && m->role[f->op] & ROLE_BLIND &&
          find_unplaced_version(w, f, over, split, &before))
        return before;
    }
    if (writes && over != NO_ID && !is_read_out(w, f->op, split)) {
      before = unplaced_reader(w, f, t, split);
      if (before != NO_ID)
        return before;
    }
  }
  return NO_ID;
}

// --- The walk.

static void push_event(struct order_walk *w, uint32_t event) {
  ARRAY_RESERVE(w->stack, w->depth, w->room);
  w->state[event] = STATE_OPEN;
  const uint32_t t = txn_of_walk_event(w, event);
  w->stack[w->depth++] =
      (struct walk_frame){event, w->m->h->txn_first[t], ALL_READERS};
}

// Keeps w->current up to date.
static inline void take_event_effect(struct order_walk *w, uint32_t event,
                                     bool split) {
  const struct model *m = w->m;
  const uint32_t t = split ? event / 2 : event;
  const bool reads = !split || event % 2 == 0;
  const bool writes = !split || event % 2 == 1;
  for (uint32_t op = m->h->txn_first[t]; op < m->h->txn_first[t + 1]; op++) {
    struct current *current = &w->current[m->h->key[op]];
    if (reads && m->sees[op] == current->version)
      current->unread -= current->unread < MANY_READERS;
    if (writes && m->role[op] & ROLE_FINAL)
      *current = (struct current){op, m->nreaders[op]};
  }
}

static inline void place_event(struct order_walk *w, uint32_t event,
                               bool split) {
  struct order *order = w->order;
  w->state[event] = STATE_PLACED;
  take_event_effect(w, event, split);
  if (!split) {
    order->txn[order->n++] = event;
  } else if (event % 2 == 0) {
    w->snapshot_of[event / 2] = order->n;
  } else {
    order->txn[order->n] = event / 2;
    order->snapshot[order->n++] = w->snapshot_of[event / 2];
  }
}

static inline void walk_from_event(struct order_walk *w, uint32_t root,
                                   bool split) {
  assert(w->depth == 0);
  push_event(w, root);
  while (w->depth) {
    struct walk_frame *f = &w->stack[w->depth - 1];
    const uint32_t before = find_unplaced_event(w, f, split);
    if (before != NO_ID) {
      push_event(w, before);
    } else {
      place_event(w, f->event, split);
      w->depth--;
    }
  }
}

// Compiled once for each kind of events.
__attribute__((always_inline)) static inline void
walk_all_events(struct order_walk *w, bool split) {
  const struct model *m = w->m;
  for (uint32_t i = 0; i < m->nguess && !w->order->stopped; i++) {
    const uint32_t root = split ? 2 * m->guess[i] + 1 : m->guess[i];
    if (w->state[root] == STATE_NEW)
      walk_from_event(w, root, split);
    if (i % POLL == 0)
      w->order->stopped = stop_is_set(m->stop);
  }
}

static struct current *initial_versions(const struct model *m) {
  struct current *current = xmalloc(m->h->nkeys * sizeof *current);
  for (uint32_t key = 0; key < m->h->nkeys; key++) {
    const uint32_t version = m->h->nops + key;
    current[key] = (struct current){version, m->nreaders[version]};
  }
  return current;
}

void order_build(struct order *order, const struct model *m, bool snapshots) {
  *order = (struct order){0};
  const uint32_t n = m->nguess;
  order->txn = xmalloc(n * sizeof *order->txn);
  const size_t nevents = (size_t)m->h->ntxns * (snapshots ? 2 : 1);
  struct order_walk w = {.m = m,
                         .order = order,
                         .state = xcalloc(nevents, 1),
                         .current = initial_versions(m)};
  if (m->has_tails)
    w.pulled = xcalloc(m->nversions, 1);
  if (snapshots) {
    order->snapshot = xmalloc(n * sizeof *order->snapshot);
    w.snapshot_of = xmalloc(m->h->ntxns * sizeof *w.snapshot_of);
    walk_all_events(&w, true);
  } else {
    walk_all_events(&w, false);
  }
  assert(order->stopped || order->n == n);
  FREE_EACH(w.current, w.state, w.pulled, w.snapshot_of, w.stack);
}

bool order_tails_overlap(const struct model *m, const struct order *order) {
  assert(order->n == 0 || order->txn);
  if (!m->has_tails || !order->snapshot)
    return false;
  uint32_t *written_at = xcalloc(m->h->nkeys, sizeof *written_at);
  bool overlap = false;
  for (uint32_t i = 0; i < order->n; i++) {
    const uint32_t t = order->txn[i];
    for (uint32_t op = m->h->txn_first[t]; op < m->h->txn_first[t + 1]; op++) {
      if (!(m->role[op] & ROLE_FINAL))
        continue;
      overlap |= written_at[m->h->key[op]] > order->snapshot[i];
      written_at[m->h->key[op]] = i + 1;
    }
  }
  free(written_at);
  return overlap;
}

uint64_t *order_first_ends(const struct history *h, const struct order *order) {
  assert(order->n == 0 || order->txn);
  uint64_t *first = xmalloc(((size_t)order->n + 1) * sizeof *first);
  first[order->n] = TIME_UNKNOWN;
  for (uint32_t i = order->n; i-- > 0;) {
    const uint64_t end = history_ended(h, order->txn[i]);
    first[i] = end < first[i + 1] ? end : first[i + 1];
  }
  return first;
}

bool order_contradicts_time(const struct history *h, const struct order *order,
                            const uint64_t *first_ends, uint32_t i) {
  assert(i < order->n);
  return history_began(h, order->txn[i]) >
         first_ends[order->snapshot ? order->snapshot[i] : i + 1];
}

bool order_keeps_real_time(const struct history *h, const struct order *order) {
  uint64_t *first_ends = order_first_ends(h, order);
  bool keeps = true;
  for (uint32_t i = 0; i < order->n && keeps; i++)
    keeps = !order_contradicts_time(h, order, first_ends, i);
  free(first_ends);
  return keeps;
}

void order_free(struct order *order) {
  FREE_EACH(order->txn, order->snapshot, order->back, order->cycle);
  *order = (struct order){0};
}
