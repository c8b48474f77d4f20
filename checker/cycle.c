// SPDX-License-Identifier: GPL-3.0-or-later
// Searches for short cycles, breadth first, from the edges that closed one
// (checker/cycle.h).
#include "config.h"

#include "checker/cycle.h"

#include "base/memory.h"
#include "checker/anomaly.h"
#include "checker/walk.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// Which edges a search may take after the one that it starts with; the first
// modes find the cycles that break the weaker levels.
enum mode {
  MODE_NO_RW,  // no RW edge
  MODE_ONE_RW, // at most one
  MODE_APART,  // RW edges, but never two in a row (SI allows those)
  MODE_ANY,
  MODE_REAL_TIME, // any, to some transaction that had ended before the start
  MODE_REAL_TIME_APART, // as both
};

// Edges that one search may look at, in rounds: the next round only if nothing
// was found.  All searches together have a budget.
static const uint64_t rounds[] = {1 << 12, 1 << 17, 1 << 23};
enum { NROUNDS = sizeof rounds / sizeof *rounds, MAX_LOOKS = 1 << 25 };

// Versions after the one that was read from which a search may start.
enum { MAX_CHAIN = 1 << 16 };

struct step {
  struct edge edge;
  uint32_t before; // step that led here, NO_ID at the start
  bool flag;       // MODE_ONE_RW: one was taken; MODE_APART: just now
};

struct search {
  const struct model *m;
  enum mode mode;
  struct back_edge closing; // the cycle's last edge: from goal to start
  uint32_t *met;            // per transaction and flag: search that met it last
  uint32_t nsearches;
  struct step *steps;
  uint32_t nsteps, room, at; // `at` is being left
  uint32_t found;            // step that reached the goal, or NO_ID
  uint64_t looks;            // edges that this search may still look at
  uint64_t budget;           // edges that all of them may
};

void cycle_free(struct cycle *cycle) {
  free(cycle->edges);
  *cycle = (struct cycle){0};
}

// --- One search.

static bool in_real_time(const struct search *s) {
  return s->mode == MODE_REAL_TIME || s->mode == MODE_REAL_TIME_APART;
}

// Does the cycle close within a transaction, between its snapshot and commit?
// Then it leaves and enters that transaction by other edges than RW.
static bool closes_inside(const struct search *s) {
  return !in_real_time(s) && s->closing.from == s->closing.to;
}

static bool may_take(const struct search *s, const struct step *step,
                     bool is_rw) {
  if (is_rw && step->before == NO_ID && closes_inside(s))
    return false;
  switch (s->mode) {
  case MODE_NO_RW:
    return !is_rw;
  case MODE_ONE_RW:
  case MODE_APART:
  case MODE_REAL_TIME_APART:
    return !is_rw || !step->flag;
  case MODE_ANY:
  case MODE_REAL_TIME:
    break;
  }
  return true;
}

static bool is_goal(const struct search *s, const struct edge *edge) {
  const struct history *h = s->m->h;
  if (in_real_time(s))
    return edge->to != s->closing.to &&
           ended(h, edge->to) < began(h, s->closing.to);
  if (edge->to != s->closing.from)
    return false;
  if (edge->kind != EDGE_RW)
    return true;
  return !closes_inside(s) && (s->mode != MODE_APART || !s->closing.rw);
}

static bool take_edge(void *context, const struct edge *edge) {
  struct search *s = context;
  const struct step *step = &s->steps[s->at];
  const bool is_rw = edge->kind == EDGE_RW;
  if (s->looks == 0)
    return false;
  s->looks--;
  if (!may_take(s, step, is_rw))
    return true;
  const bool counts = s->mode == MODE_ONE_RW || s->mode == MODE_APART ||
                      s->mode == MODE_REAL_TIME_APART;
  const bool flag = counts && (is_rw || (s->mode == MODE_ONE_RW && step->flag));
  uint32_t *met = &s->met[2 * (size_t)edge->to + flag];
  const bool goal = is_goal(s, edge);
  if (*met == s->nsearches && !goal)
    return true;
  *met = s->nsearches;
  const uint32_t before = s->at;
  ARRAY_RESERVE(s->steps, s->nsteps, s->room);
  s->steps[s->nsteps++] = (struct step){*edge, before, flag};
  if (goal)
    s->found = s->nsteps - 1;
  return !goal;
}

static void spend(struct search *s, uint64_t looks) {
  s->budget -= looks < s->budget ? looks : s->budget;
}

static void start_at(struct search *s, const struct edge *edge) {
  ARRAY_RESERVE(s->steps, s->nsteps, s->room);
  s->met[2 * (size_t)edge->to] = s->nsearches;
  s->steps[s->nsteps++] =
      (struct step){.edge = *edge,
                    .before = NO_ID,
                    .flag = s->mode == MODE_APART && s->closing.rw};
}

static void start_search(struct search *s) {
  s->nsearches++;
  s->found = NO_ID;
  s->nsteps = 0;
}

// Goes on from where the search was started, looking at `limit` edges at most.
static bool run_search(struct search *s, uint64_t limit) {
  s->looks = limit;
  for (s->at = 0; s->at < s->nsteps && s->looks && s->found == NO_ID; s->at++)
    for_each_edge(s->m, s->steps[s->at].edge.to, take_edge, s);
  spend(s, limit - s->looks);
  return s->found != NO_ID;
}

// True if a way from closing.to to the goal was found.
static bool search(struct search *s, uint64_t limit) {
  const struct edge start = {.to = s->closing.to};
  start_search(s);
  start_at(s, &start);
  return run_search(s, limit);
}

// The path that was found, as edges, with room for one more.
static struct edge *path_edges(const struct search *s, uint32_t *n) {
  *n = 0;
  for (uint32_t i = s->found; s->steps[i].before != NO_ID;
       i = s->steps[i].before)
    ++*n;
  struct edge *edges = xmalloc((*n + 1) * sizeof *edges);
  uint32_t at = *n;
  for (uint32_t i = s->found; s->steps[i].before != NO_ID;
       i = s->steps[i].before)
    edges[--at] = s->steps[i].edge;
  return edges;
}

static bool find_edge(struct search *s, uint32_t from, uint32_t to, bool rw,
                      struct edge *edge) {
  spend(s, cycle_edge_between(s->m, from, to, rw, edge));
  return edge->kind != UINT8_MAX;
}

// --- Which cycle is best.

static void choose_edges(struct search *s, struct cycle *c) {
  for (uint32_t i = 0; i < c->nedges; i++) {
    struct edge *edge = &c->edges[i], best;
    if (edge->kind != EDGE_RT &&
        find_edge(s, edge->from, edge->to, edge->kind == EDGE_RW, &best))
      *edge = best;
  }
}

static bool is_better_cycle(const struct cycle *c, const struct cycle *best) {
  if (best->anomaly == ANOMALY_NONE)
    return true;
  const enum isolation level = anomaly_info(c->anomaly)->weakest;
  const enum isolation best_level = anomaly_info(best->anomaly)->weakest;
  return level != best_level ? level < best_level : c->nedges < best->nedges;
}

static void keep_better(struct cycle *best, struct cycle *c) {
  if (is_better_cycle(c, best)) {
    struct cycle was = *best;
    *best = *c;
    *c = was;
  }
  cycle_free(c);
}

static void finish(struct search *s, struct cycle *c) {
  cycle_shorten(c, s->m);
  c->anomaly = anomaly_of_cycle(s->m, c->edges, c->nedges);
}

// The only RW edge of a cycle; NULL if it has none or several.
static const struct edge *only_rw_edge(const struct cycle *c) {
  const struct edge *only = NULL;
  for (uint32_t i = 0; i < c->nedges; i++)
    if (c->edges[i].kind == EDGE_RW) {
      if (only)
        return NULL;
      only = &c->edges[i];
    }
  return only;
}

// The version made from the given one by a read-modify-write, or the next one
// of a list; NO_ID if there is none.
static uint32_t next_version(const struct model *m, uint32_t version) {
  uint32_t next = m->first_over[version];
  while (next != NO_ID && m->role[next] & (ROLE_DIVERGED | ROLE_TAIL))
    next = m->next_over[next];
  return next;
}

// A read that misses one version misses all later ones: looks for a way back to
// the reader from any of their writers.  Offers the cycle if there is one.
static void offer_later_version(struct search *s, struct cycle *best,
                                const struct edge *missed, uint64_t limit) {
  const struct model *m = s->m;
  s->mode = MODE_NO_RW;
  s->closing = (struct back_edge){missed->from, missed->to, true};
  start_search(s);
  struct edge edge = *missed;
  const uint32_t seen = m->sees[missed->from_op];
  uint32_t version = seen;
  for (uint32_t i = 0; i < MAX_CHAIN && i < limit; i++) {
    version = next_version(m, version);
    const bool all_around = version == seen; // each was made from another
    if (version == NO_ID || all_around || m->txn_of[version] == missed->from)
      break;
    edge.to_op = version;
    edge.to = m->txn_of[version];
    start_at(s, &edge);
  }
  spend(s, s->nsteps);
  if (!run_search(s, limit))
    return;
  struct cycle c = {0};
  c.edges = path_edges(s, &c.nedges);
  uint32_t start = s->found;
  while (s->steps[start].before != NO_ID)
    start = s->steps[start].before;
  choose_edges(s, &c);
  c.edges[c.nedges++] = s->steps[start].edge;
  finish(s, &c);
  keep_better(best, &c);
}

// Finishes the cycle and keeps it if it is better; takes the edges over.
static void offer(struct search *s, struct cycle *best, struct edge *edges,
                  uint32_t n, uint64_t limit) {
  struct cycle c = {.edges = edges, .nedges = n};
  choose_edges(s, &c);
  finish(s, &c);
  const struct edge *rw = only_rw_edge(&c);
  const struct edge missed = rw ? *rw : (struct edge){0};
  const bool could_be_shorter = rw && c.nedges > 2;
  keep_better(best, &c);
  if (could_be_shorter)
    offer_later_version(s, best, &missed, limit);
}

static bool is_best_possible(const struct cycle *c) {
  return c->nedges == 2 && anomaly_info(c->anomaly)->weakest == ISOLATION_RC;
}

// --- All searches.

// Looks for cycles through the closing edge, if there is one of that kind.
static void search_through(struct search *s, struct cycle *best,
                           const struct order *order, uint64_t limit) {
  struct edge closing;
  const bool inside = closes_inside(s);
  if (!inside &&
      !find_edge(s, s->closing.from, s->closing.to, s->closing.rw, &closing))
    return;
  const enum mode last = order->snapshot ? MODE_APART : MODE_ANY;
  for (enum mode mode = MODE_NO_RW; mode <= last; mode++) {
    s->mode = mode;
    if ((mode == MODE_ONE_RW && s->closing.rw) || !search(s, limit))
      continue;
    uint32_t n;
    struct edge *edges = path_edges(s, &n);
    if (!inside)
      edges[n++] = closing;
    offer(s, best, edges, n, limit);
    return;
  }
}

// Looks for the best cycle through back edge i.
static void search_back_edge(struct search *s, struct cycle *best,
                             const struct order *order, uint32_t i,
                             uint64_t limit) {
  for (int rw = 0; rw <= 1; rw++) {
    if (order->snapshot && rw != order->back[i].rw)
      continue;
    s->closing = order->back[i];
    s->closing.rw = rw;
    search_through(s, best, order, limit);
  }
}

static void search_all(struct search *s, struct cycle *best,
                       const struct order *order, uint64_t limit) {
  for (uint32_t i = 0; i < order->nback && s->budget; i++) {
    if (is_best_possible(best))
      return;
    search_back_edge(s, best, order, i, limit);
  }
}

// The shortest cycle that the walk met, as a last resort.
static void offer_met_cycle(struct search *s, struct cycle *best,
                            const struct order *order) {
  struct edge *edges = xmalloc(order->ncycle * sizeof *edges);
  uint32_t n = 0;
  for (uint32_t i = 0; i < order->ncycle; i++) {
    const uint32_t from = order->cycle[i];
    const uint32_t to = order->cycle[(i + 1) % order->ncycle];
    if (!order->snapshot) {
      if (find_edge(s, from, to, false, &edges[n]) ||
          find_edge(s, from, to, true, &edges[n]))
        n++;
    } else if (from / 2 != to / 2 &&
               find_edge(s, from / 2, to / 2, to % 2, &edges[n])) {
      n++;
    }
  }
  offer(s, best, edges, n, rounds[0]);
}

static void search_open(struct search *s, const struct model *m) {
  *s = (struct search){.m = m, .budget = MAX_LOOKS};
  s->met = xcalloc(2 * (size_t)m->h->ntxns, sizeof *s->met);
}

static void search_close(struct search *s) {
  free(s->met);
  free(s->steps);
}

void cycle_find(struct cycle *cycle, const struct model *m,
                const struct order *order) {
  assert(order->nback && order->ncycle);
  *cycle = (struct cycle){0};
  struct search s;
  search_open(&s, m);
  for (int round = 0; round < NROUNDS && cycle->anomaly == ANOMALY_NONE;
       round++)
    search_all(&s, cycle, order, rounds[round]);
  if (cycle->anomaly == ANOMALY_NONE)
    offer_met_cycle(&s, cycle, order);
  search_close(&s);
}

bool cycle_each(const struct model *m, const struct order *order,
                cycle_visitor *visit, void *context) {
  struct search s;
  search_open(&s, m);
  uint32_t i = 0;
  for (; i < order->nback && s.budget; i++) {
    struct cycle cycle = {0};
    search_back_edge(&s, &cycle, order, i, rounds[0]);
    if (cycle.anomaly != ANOMALY_NONE)
      visit(context, &cycle);
  }
  search_close(&s);
  return i == order->nback && i < ORDER_MAX_BACK_EDGES;
}

// The read of the version by the transaction that wrote `op` over it.
static uint32_t read_before(const struct model *m, uint32_t op) {
  uint32_t read = m->h->txn_first[m->txn_of[op]];
  while (m->sees[read] != m->over[op])
    read++;
  return read;
}

void cycle_of_divergence(struct cycle *cycle, const struct model *m,
                         uint32_t two) {
  uint32_t one = m->first_over[m->over[two]];
  while (m->role[one] & ROLE_DIVERGED)
    one = m->next_over[one];
  const uint32_t t1 = m->txn_of[one], t2 = m->txn_of[two];
  *cycle = (struct cycle){.anomaly = ANOMALY_LOST_UPDATE, .nedges = 2};
  cycle->edges = xmalloc(2 * sizeof *cycle->edges);
  cycle->edges[0] = (struct edge){EDGE_RW, t1, t2, read_before(m, one), two};
  cycle->edges[1] = (struct edge){EDGE_RW, t2, t1, read_before(m, two), one};
}

// Goes through an order from its end and tells which transactions began after
// another had ended that committed after their commit, or with snapshots after
// their snapshot; see order.c for why one of their followers then ended before
// they began.
struct time_scan {
  const struct history *h;
  const struct order *order;
  uint64_t first_end;       // of those passed
  uint64_t *first_end_from; // per place and those after it; with snapshots only
};

static void scan_open(struct time_scan *scan, const struct history *h,
                      const struct order *order) {
  *scan = (struct time_scan){.h = h, .order = order, .first_end = TIME_UNKNOWN};
  if (!order->snapshot)
    return;
  scan->first_end_from =
      xmalloc(((size_t)order->n + 1) * sizeof *scan->first_end_from);
  scan->first_end_from[order->n] = TIME_UNKNOWN;
  for (uint32_t i = order->n; i-- > 0;) {
    const uint64_t end = ended(h, order->txn[i]);
    const uint64_t later = scan->first_end_from[i + 1];
    scan->first_end_from[i] = end < later ? end : later;
  }
}

// To be called for each place, the last one first.
static bool contradicts_time(struct time_scan *scan, uint32_t i) {
  const uint32_t t = scan->order->txn[i];
  const uint64_t end = ended(scan->h, t), first_end = scan->first_end;
  scan->first_end = end < first_end ? end : first_end;
  return began(scan->h, t) >
         (scan->first_end_from ? scan->first_end_from[scan->order->snapshot[i]]
                               : first_end);
}

bool order_keeps_real_time(const struct history *h, const struct order *order) {
  struct time_scan scan;
  bool keeps = true;
  scan_open(&scan, h, order);
  for (uint32_t i = order->n; i-- > 0 && keeps;)
    keeps = !contradicts_time(&scan, i);
  free(scan.first_end_from);
  return keeps;
}

// Looks for a cycle to some transaction that had ended before the one at place
// i began.
static void search_real_time(struct search *s, struct cycle *best,
                             const struct order *order, uint32_t i,
                             uint64_t limit) {
  const uint32_t t = order->txn[i];
  s->mode = order->snapshot ? MODE_REAL_TIME_APART : MODE_REAL_TIME;
  s->closing = (struct back_edge){.to = t};
  if (!search(s, limit))
    return;
  uint32_t n;
  struct edge *edges = path_edges(s, &n);
  edges[n] = (struct edge){EDGE_RT, edges[n - 1].to, t, NO_ID, NO_ID};
  offer(s, best, edges, n + 1, rounds[0]);
}

void cycle_of_real_time(struct cycle *cycle, struct model *m,
                        const struct order *order) {
  *cycle = (struct cycle){0};
  if (order_keeps_real_time(m->h, order))
    return;
  if (!m->first_over)
    model_link_overwriters(m);
  struct search s;
  struct time_scan scan;
  search_open(&s, m);
  scan_open(&scan, m->h, order);
  for (uint32_t i = order->n; i-- > 0 && s.budget;) {
    // The first one is searched for until it is found.
    const bool first = cycle->anomaly == ANOMALY_NONE;
    if (contradicts_time(&scan, i))
      search_real_time(&s, cycle, order, i, first ? UINT64_MAX : rounds[0]);
  }
  free(scan.first_end_from);
  search_close(&s);
}

bool cycle_each_of_real_time(const struct model *m, const struct order *order,
                             cycle_visitor *visit, void *context) {
  struct search s;
  struct time_scan scan;
  search_open(&s, m);
  scan_open(&scan, m->h, order);
  uint32_t i = order->n;
  while (i > 0 && s.budget) {
    struct cycle cycle = {0};
    i--;
    if (contradicts_time(&scan, i))
      search_real_time(&s, &cycle, order, i, rounds[0]);
    if (cycle.anomaly != ANOMALY_NONE)
      visit(context, &cycle);
  }
  free(scan.first_end_from);
  search_close(&s);
  return i == 0;
}

void cycle_best(struct cycle *cycle, struct model *m,
                const struct order *order) {
  *cycle = (struct cycle){0};
  if (!m->first_over)
    model_link_overwriters(m);
  if (order->nback)
    cycle_find(cycle, m, order);
  if (m->diverged != NO_ID &&
      (cycle->anomaly == ANOMALY_NONE ||
       anomaly_info(cycle->anomaly)->weakest >= ISOLATION_SI)) {
    cycle_free(cycle);
    cycle_of_divergence(cycle, m, m->diverged);
  }
}
