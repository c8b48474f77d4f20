// SPDX-License-Identifier: GPL-3.0-or-later
// Searches for short cycles, breadth first, from the edges that closed one
// (checker/graph/cycle.h).
#include "config.h"

#include "checker/graph/cycle.h"

#include "base/memory.h"
#include "checker/graph/candidate.h"
#include "checker/graph/classify.h"
#include "checker/graph/search.h"
#include "checker/verdict/level_rules.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// Edges that one search may look at, in rounds: the next round only if nothing
// was found.  All searches together have a budget of one look for each
// operation that counts, so that they take about as long as deciding that the
// history keeps the level; or of so many, if it is small or very large.
static const uint64_t rounds[] = {1 << 12, 1 << 17, 1 << 23};
enum {
  NROUNDS = sizeof rounds / sizeof *rounds,
  MIN_LOOKS = 1 << 22,
  MAX_LOOKS = 1 << 25
};

static uint64_t budget_of(const struct model *m) {
  const uint64_t nops = m->counts.operations;
  const uint64_t looks = nops < MAX_LOOKS ? nops : MAX_LOOKS;
  return looks < MIN_LOOKS ? MIN_LOOKS : looks;
}

// The limit of the searches that come first, short enough for many of them.
#define BRIEFLY (UINT64_C(1) << 8)

void cycle_free(struct cycle *cycle) {
  free(cycle->edges);
  *cycle = (struct cycle){0};
}

const struct edge *cycle_only_edge(const struct cycle *cycle, uint32_t kinds) {
  const struct edge *only = NULL;
  uint32_t count = 0;
  for (uint32_t i = 0; i < cycle->nedges; i++)
    if (kinds >> cycle->edges[i].kind & 1) {
      only = &cycle->edges[i];
      count++;
    }
  return count == 1 ? only : NULL;
}

// Looks for cycles through the closing edge, if there is one of that kind, in
// the modes one after the other until there is one.  A brief search tries no
// further mode when one was cut short.
static void search_through(struct cycle_search *s, struct cycle *best,
                           enum mode last, uint64_t limit) {
  struct edge closing;
  const bool inside = search_closes_inside(s);
  if (!inside && !candidate_edge(s, s->closing.from, s->closing.to,
                                 s->closing.rw, &closing))
    return;
  for (enum mode mode = MODE_NO_RW; mode <= last; mode++) {
    s->mode = mode;
    const bool one_rw = mode == MODE_DIRECT || mode == MODE_ONE_RW;
    if (one_rw && s->closing.rw)
      continue; // without another one: it was looked for
    if (mode == MODE_DIRECT && mode < last)
      continue; // the next mode finds these as well
    if (!search_cycle(s, limit)) {
      if (limit == BRIEFLY && !s->looks)
        return;
      continue;
    }
    uint32_t n;
    struct edge *edges = search_way(s, &n);
    if (!inside)
      edges[n++] = closing;
    candidate_offer(s, best, edges, n, limit);
    return;
  }
}

// Looks for the best cycle through back edge i.
static void search_back_edge(struct cycle_search *s, struct cycle *best,
                             const struct order *order, uint32_t i,
                             enum mode last, uint64_t limit) {
  assert(i < order->nback);
  for (int rw = 0; rw <= 1; rw++) {
    if (order->snapshot && rw != order->back[i].rw)
      continue;
    s->closing = order->back[i];
    s->closing.rw = rw;
    search_through(s, best, last, limit);
  }
}

// Below PC only cycles with one RW edge at most break a level, and below CC
// only those whose reader had observed the other writer directly.
static enum mode last_mode(const struct order *order, enum isolation level) {
  return level_observes_directly(level) ? MODE_DIRECT
         : level_saturates(level)       ? MODE_ONE_RW
         : order->snapshot              ? MODE_APART
                                        : MODE_ANY;
}

static void search_all(struct cycle_search *s, struct cycle *best,
                       const struct order *order, enum isolation level,
                       uint64_t limit) {
  const enum mode last = last_mode(order, level);
  for (uint32_t i = 0; i < order->nback && s->budget; i++) {
    if (candidate_is_best(best))
      return;
    search_back_edge(s, best, order, i, last, limit);
  }
}

// The shortest cycle that the walk met, as a last resort.
static void offer_met_cycle(struct cycle_search *s, struct cycle *best,
                            const struct order *order) {
  struct edge *edges = xmalloc(order->ncycle * sizeof *edges);
  uint32_t n = 0;
  for (uint32_t i = 0; i < order->ncycle; i++) {
    const uint32_t from = order->cycle[i];
    const uint32_t to = order->cycle[(i + 1) % order->ncycle];
    if (!order->snapshot) {
      if (candidate_edge(s, from, to, false, &edges[n]) ||
          candidate_edge(s, from, to, true, &edges[n]))
        n++;
    } else if (from / 2 != to / 2 &&
               candidate_edge(s, from / 2, to / 2, to % 2, &edges[n])) {
      n++;
    }
  }
  candidate_offer(s, best, edges, n, rounds[0]);
}

// Those beyond the first round are for where that found nothing, and where
// there must be something.
static void search_further(struct tangle *t, const struct model *m,
                           enum isolation level, struct cycle *cycle) {
  struct cycle_search s;
  search_open(&s, m, t->budget);
  for (int round = 1; round < NROUNDS && cycle->anomaly == ANOMALY_NONE;
       round++)
    search_all(&s, cycle, &t->order, level, rounds[round]);
  if (cycle->anomaly == ANOMALY_NONE)
    offer_met_cycle(&s, cycle, &t->order);
  t->budget = s.budget;
  search_close(&s);
}

static void find_in_tangle(struct cycle *cycle, const struct model *m,
                           struct tangle *t, enum isolation level) {
  assert(t->order.ncycle);
  const struct cycle *best = NULL;
  tangle_search(t, m, level);
  for (uint32_t i = 0; i < t->ncycles; i++)
    if (!best || candidate_is_better(&t->cycles[i], best))
      best = &t->cycles[i];
  if (best) {
    const size_t bytes = best->nedges * sizeof *best->edges;
    *cycle = *best;
    cycle->edges = memcpy(xmalloc(bytes), best->edges, bytes);
  } else if (!level_saturates(level))
    search_further(t, m, level, cycle);
}

// Looks for a cycle through each edge that is not done, and adds it to the
// tangle.  False if the budget ended.
static bool look_at_each(struct tangle *t, struct cycle_search *s,
                         enum mode last, uint8_t *done, uint64_t limit) {
  for (uint32_t i = 0; i < t->order.nback; i++) {
    struct cycle cycle = {0};
    if (done[i])
      continue;
    if (!s->budget)
      return false;
    search_back_edge(s, &cycle, &t->order, i, last, limit);
    done[i] = cycle.anomaly != ANOMALY_NONE;
    if (!done[i])
      continue;
    ARRAY_RESERVE(t->cycles, t->ncycles, t->room);
    t->cycles[t->ncycles++] = cycle;
  }
  return t->order.nback < ORDER_MAX_BACK_EDGES;
}

// First briefly, for what breaks the weakest levels is mostly near, so that as
// many as can be are found before the budget, of which the rest is left, ends.
// False if it ended before all were looked at.
static bool look_near_and_far(struct tangle *t, const struct model *m,
                              enum mode last) {
  const enum mode near = last < MODE_ONE_RW ? last : MODE_ONE_RW;
  uint8_t *done = xcalloc(t->order.nback, 1);
  struct cycle_search s;
  search_open(&s, m, t->budget);
  s.in_time = true;
  const bool all = look_at_each(t, &s, near, done, BRIEFLY) &&
                   look_at_each(t, &s, last, done, rounds[0]);
  t->budget = s.budget;
  search_close(&s);
  free(done);
  return all;
}

static void forget_cycles(struct tangle *t) {
  for (uint32_t i = 0; i < t->ncycles; i++)
    cycle_free(&t->cycles[i]);
  t->ncycles = 0;
}

bool tangle_make(struct tangle *tangle, const struct model *m, bool snapshots) {
  const struct order *order = &tangle->order;
  if (!order->txn || order->stopped || (order->snapshot != NULL) != snapshots) {
    tangle_free(tangle);
    order_build(&tangle->order, m, snapshots);
  }
  return !order->stopped;
}

void tangle_free(struct tangle *tangle) {
  forget_cycles(tangle);
  free(tangle->cycles);
  order_free(&tangle->order);
  *tangle = (struct tangle){0};
}

void tangle_search(struct tangle *tangle, const struct model *m,
                   enum isolation level) {
  if (tangle->searched >= level)
    return;
  forget_cycles(tangle);
  tangle->budget = budget_of(m);
  tangle->all = look_near_and_far(tangle, m, last_mode(&tangle->order, level));
  tangle->searched = level;
}

bool cycle_each_of_reads(const struct model *m, const struct edge *missed,
                         uint32_t n, cycle_visitor *visit, void *context) {
  assert(n == 0 || missed);
  struct cycle_search s;
  search_open(&s, m, budget_of(m));
  s.in_time = true;
  uint32_t i = 0;
  for (; i < n && s.budget; i++) {
    struct cycle cycle = {0};
    candidate_of_later_version(&s, &cycle, &missed[i], rounds[0]);
    if (cycle.anomaly != ANOMALY_NONE)
      visit(context, &cycle);
  }
  search_close(&s);
  return i == n;
}

// The read of the version by the transaction that wrote `op` over it.
static uint32_t read_before_overwriting(const struct model *m, uint32_t op) {
  assert(m->over[op] != NO_ID);
  uint32_t read = m->h->txn_first[m->txn_of[op]];
  while (m->sees[read] != m->over[op])
    read++;
  return read;
}

void cycle_of_divergence(struct cycle *cycle, const struct model *m,
                         uint32_t two) {
  assert(m->stage >= MODEL_WALKABLE);
  assert(m->role[two] & ROLE_DIVERGED);
  uint32_t one = m->first_over[m->over[two]];
  while (m->role[one] & ROLE_DIVERGED)
    one = model_next_over(m, one);
  const uint32_t t1 = m->txn_of[one], t2 = m->txn_of[two];
  *cycle = (struct cycle){.anomaly = ANOMALY_LOST_UPDATE, .nedges = 2};
  cycle->edges = xmalloc(2 * sizeof *cycle->edges);
  cycle->edges[0] =
      (struct edge){EDGE_RW, t1, t2, read_before_overwriting(m, one), two};
  cycle->edges[1] =
      (struct edge){EDGE_RW, t2, t1, read_before_overwriting(m, two), one};
}

// Looks for a cycle to some transaction that had ended before the one at place
// i began.
static void search_real_time(struct cycle_search *s, struct cycle *best,
                             const struct order *order, uint32_t i,
                             uint64_t limit) {
  assert(i < order->n);
  const uint32_t t = order->txn[i];
  s->mode = order->snapshot ? MODE_REAL_TIME_APART : MODE_REAL_TIME;
  s->closing = (struct back_edge){.to = t};
  if (!search_cycle(s, limit))
    return;
  uint32_t n;
  struct edge *edges = search_way(s, &n);
  edges[n] = (struct edge){EDGE_RT, edges[n - 1].to, t, NO_ID, NO_ID};
  candidate_offer(s, best, edges, n + 1, rounds[0]);
}

bool cycle_each_of_real_time(const struct model *m, const struct order *order,
                             cycle_visitor *visit, void *context) {
  struct cycle_search s;
  uint64_t *first_ends = order_first_ends(m->h, order);
  uint64_t limit = SEARCH_NO_LIMIT; // until the first one is found
  uint32_t i = order->n;
  search_open(&s, m, budget_of(m));
  while (i > 0 && s.budget) {
    struct cycle cycle = {0};
    if (order_contradicts_time(m->h, order, first_ends, --i))
      search_real_time(&s, &cycle, order, i, limit);
    if (cycle.anomaly == ANOMALY_NONE)
      continue;
    limit = rounds[0];
    visit(context, &cycle);
  }
  free(first_ends);
  search_close(&s);
  return i == 0;
}

static void keep_best(void *context, struct cycle *cycle) {
  candidate_keep_better(context, cycle);
}

void cycle_of_real_time(struct cycle *cycle, struct model *m,
                        const struct order *order) {
  *cycle = (struct cycle){0};
  if (!order_keeps_real_time(m->h, order) && model_reach(m, MODEL_WALKABLE))
    cycle_each_of_real_time(m, order, keep_best, cycle);
}

// The best cycle of known edges that breaks the level; at worst one that the
// order met and that breaks a stronger level.
static void find_best(struct cycle *cycle, const struct model *m,
                      struct tangle *tangle, enum isolation level) {
  if (tangle->order.nback)
    find_in_tangle(cycle, m, tangle, level);
  if (m->diverged != NO_ID &&
      (cycle->anomaly == ANOMALY_NONE ||
       level_conflicts(anomaly_weakest(cycle->anomaly)))) {
    cycle_free(cycle);
    cycle_of_divergence(cycle, m, m->diverged);
  }
}

void cycle_of_known_edges(struct cycle *cycle, struct model *m,
                          struct tangle *tangle, enum isolation level) {
  *cycle = (struct cycle){0};
  if (!model_reach(m, MODEL_WALKABLE) ||
      !tangle_make(tangle, m, !level_sees_all(level)))
    return;
  if (tangle->order.nback || m->diverged != NO_ID)
    find_best(cycle, m, tangle, level);
  else if (m->real_time || level_keeps_time(level))
    cycle_of_real_time(cycle, m, &tangle->order);
}
