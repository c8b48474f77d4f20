// SPDX-License-Identifier: GPL-3.0-or-later
// Searches for short cycles, breadth first, from the edges that closed one
// (checker/cycle.h).
#include "config.h"

#include "checker/cycle.h"

#include "base/memory.h"
#include "checker/anomaly.h"
#include "checker/search.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// Edges that one search may look at, in rounds: the next round only if nothing
// was found.  All searches together have a budget of one look for each
// operation of the history, so that they take about as long as deciding that it
// keeps the level; or of so many, if it is small or very large.
static const uint64_t rounds[] = {1 << 12, 1 << 17, 1 << 23};
enum {
  NROUNDS = sizeof rounds / sizeof *rounds,
  MIN_LOOKS = 1 << 22,
  MAX_LOOKS = 1 << 25
};

static uint64_t budget_of(const struct model *m) {
  const uint64_t looks = m->h->nops < MAX_LOOKS ? m->h->nops : MAX_LOOKS;
  return looks < MIN_LOOKS ? MIN_LOOKS : looks;
}

// Versions after the one that was read from which a search may start.
enum { MAX_CHAIN = 1 << 16 };

void cycle_free(struct cycle *cycle) {
  free(cycle->edges);
  *cycle = (struct cycle){0};
}

static bool find_edge(struct search *s, uint32_t from, uint32_t to, bool rw,
                      struct edge *edge) {
  search_spend(s, cycle_edge_between(s->m, from, to, rw, edge));
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
  search_start(s);
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
    search_start_at(s, &edge);
  }
  search_spend(s, s->steps.count);
  if (!search_run(s, limit))
    return;
  struct cycle c = {0};
  c.edges = search_way(s, &c.nedges);
  uint32_t start = s->found;
  while (s->steps.items[start].before != NO_ID)
    start = s->steps.items[start].before;
  choose_edges(s, &c);
  c.edges[c.nedges++] = s->steps.items[start].edge;
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

// Looks for cycles through the closing edge, if there is one of that kind, in
// the modes one after the other until there is one.
static void search_through(struct search *s, struct cycle *best, enum mode mode,
                           enum mode last, uint64_t limit) {
  struct edge closing;
  const bool inside = search_closes_inside(s);
  if (!inside &&
      !find_edge(s, s->closing.from, s->closing.to, s->closing.rw, &closing))
    return;
  for (; mode <= last; mode++) {
    s->mode = mode;
    if ((mode == MODE_ONE_RW && s->closing.rw) || !search(s, limit))
      continue;
    uint32_t n;
    struct edge *edges = search_way(s, &n);
    if (!inside)
      edges[n++] = closing;
    offer(s, best, edges, n, limit);
    return;
  }
}

// Looks for the best cycle through back edge i.
static void search_back_edge(struct search *s, struct cycle *best,
                             const struct order *order, uint32_t i,
                             enum mode first, enum mode last, uint64_t limit) {
  for (int rw = 0; rw <= 1; rw++) {
    if (order->snapshot && rw != order->back[i].rw)
      continue;
    s->closing = order->back[i];
    s->closing.rw = rw;
    search_through(s, best, first, last, limit);
  }
}

static enum mode last_mode(const struct order *order) {
  return order->snapshot ? MODE_APART : MODE_ANY;
}

static void search_all(struct search *s, struct cycle *best,
                       const struct order *order, uint64_t limit) {
  for (uint32_t i = 0; i < order->nback && s->budget; i++) {
    if (is_best_possible(best))
      return;
    search_back_edge(s, best, order, i, MODE_NO_RW, last_mode(order), limit);
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

void cycle_find(struct cycle *cycle, const struct model *m,
                const struct order *order) {
  assert(order->nback && order->ncycle);
  *cycle = (struct cycle){0};
  struct search s;
  search_open(&s, m, budget_of(m));
  for (int round = 0; round < NROUNDS && cycle->anomaly == ANOMALY_NONE;
       round++)
    search_all(&s, cycle, order, rounds[round]);
  if (cycle->anomaly == ANOMALY_NONE)
    offer_met_cycle(&s, cycle, order);
  search_close(&s);
}

static bool each_in_modes(const struct model *m, const struct order *order,
                          enum mode first, enum mode last, cycle_visitor *visit,
                          void *context) {
  struct search s;
  search_open(&s, m, budget_of(m));
  uint32_t i = 0;
  for (; i < order->nback && s.budget; i++) {
    struct cycle cycle = {0};
    search_back_edge(&s, &cycle, order, i, first, last, rounds[0]);
    if (cycle.anomaly != ANOMALY_NONE)
      visit(context, &cycle);
  }
  search_close(&s);
  return i == order->nback && i < ORDER_MAX_BACK_EDGES;
}

bool cycle_each(const struct model *m, const struct order *order,
                cycle_visitor *visit, void *context) {
  return each_in_modes(m, order, MODE_NO_RW, last_mode(order), visit, context);
}

bool cycle_each_of_reads(const struct model *m, const struct edge *missed,
                         uint32_t n, cycle_visitor *visit, void *context) {
  struct search s;
  search_open(&s, m, budget_of(m));
  uint32_t i = 0;
  for (; i < n && s.budget; i++) {
    struct cycle cycle = {0};
    offer_later_version(&s, &cycle, &missed[i], rounds[0]);
    if (cycle.anomaly != ANOMALY_NONE)
      visit(context, &cycle);
  }
  search_close(&s);
  return i == n;
}

void cycle_each_like(const struct model *m, const struct order *order,
                     enum anomaly anomaly, cycle_visitor *visit,
                     void *context) {
  switch (anomaly) {
  case ANOMALY_LONG_FORK:
  case ANOMALY_CYCLE_G_NONADJACENT:
    each_in_modes(m, order, MODE_APART, MODE_APART, visit, context);
    break;
  case ANOMALY_WRITE_SKEW:
  case ANOMALY_CYCLE_G2_ITEM:
    if (!order->snapshot)
      each_in_modes(m, order, MODE_IN_A_ROW, MODE_IN_A_ROW, visit, context);
    break;
  default:
    break;
  }
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
  struct edge *edges = search_way(s, &n);
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
  search_open(&s, m, budget_of(m));
  scan_open(&scan, m->h, order);
  for (uint32_t i = order->n; i-- > 0 && s.budget;) {
    // The first one is searched for until it is found.
    const bool first = cycle->anomaly == ANOMALY_NONE;
    if (contradicts_time(&scan, i))
      search_real_time(&s, cycle, order, i,
                       first ? SEARCH_NO_LIMIT : rounds[0]);
  }
  free(scan.first_end_from);
  search_close(&s);
}

bool cycle_each_of_real_time(const struct model *m, const struct order *order,
                             cycle_visitor *visit, void *context) {
  struct search s;
  struct time_scan scan;
  search_open(&s, m, budget_of(m));
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
