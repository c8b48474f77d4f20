// SPDX-License-Identifier: GPL-3.0-or-later
// Events below PC (checker/rows/statement_events.h).
#include "config.h"

#include "checker/rows/statement_events.h"

#include "base/memory.h"
#include "checker/verdict/level_rules.h"

#include <assert.h>
#include <stdlib.h>

static bool reads_at_once(const struct engine_of_rows *e, uint32_t t) {
  return level_counts_session(problem_level(&e->p, t));
}

static bool has_event(const struct engine_of_rows *e, uint32_t s) {
  const uint32_t at = ids_below(e->events.items, e->events.count, s);
  return at < e->events.count && e->events.items[at] == s;
}

bool statement_events_add(struct engine_of_rows *e, uint32_t t) {
  const uint32_t *first = &e->h->rows->txn_statement[t];
  if (has_event(e, first[0]))
    return false;
  const uint32_t end = reads_at_once(e, t) ? first[0] + 1 : first[1];
  for (uint32_t s = first[0]; s < end; s++)
    ids_add(&e->events, s);
  ids_sort(e->events.items, e->events.count);
  return true;
}

void statement_events_remove(struct engine_of_rows *e, const uint8_t *marked) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < e->events.count; i++)
    if (!marked[open_rows_txn(e, e->events.items[i])])
      e->events.items[kept++] = e->events.items[i];
  e->events.count = kept;
}

// --- The graph.

struct event_edges {
  struct ids from, to;
};

static void put_event_edge(struct event_edges *edges, uint32_t from,
                           uint32_t to) {
  ids_add(&edges->from, from);
  ids_add(&edges->to, to);
}

// The writers that the operations read from are before the node.
static void put_observed(const struct engine_of_rows *e,
                         struct event_edges *edges, uint32_t t, uint32_t first,
                         uint32_t end, uint32_t node) {
  const struct history *h = e->h;
  for (uint32_t op = first; op < end; op++)
    if (op_reads(h->kind[op]) && h->saw[op] < h->nops &&
        writer_of(&e->m, h->saw[op]) != t)
      put_event_edge(edges, problem_commit(&e->p, writer_of(&e->m, h->saw[op])),
                     node);
}

static void put_event(const struct engine_of_rows *e, struct event_edges *edges,
                      uint32_t i) {
  const struct history *h = e->h;
  const struct rows *rows = h->rows;
  const uint32_t s = e->events.items[i], t = open_rows_txn(e, s);
  const uint32_t node = e->p.nnodes + i, first = rows->txn_statement[t];
  const bool at_once = reads_at_once(e, t);
  if (at_once)
    put_observed(e, edges, t, h->txn_first[t], h->txn_first[t + 1], node);
  else
    put_observed(e, edges, t,
                 s == first ? h->txn_first[t] : rows->statements[s - 1].first,
                 rows->statements[s].first, node);
  if ((at_once || e->rc_sees_session) && e->m.previous[t] != NO_ID)
    put_event_edge(edges, problem_commit(&e->p, e->m.previous[t]), node);
  const bool is_last = at_once || s + 1 == rows->txn_statement[t + 1];
  put_event_edge(edges, node, is_last ? problem_commit(&e->p, t) : node + 1);
}

// Puts the edges of the events behind those that each node of a side has.
static void add_side(uint32_t **side_first, uint32_t **side, uint32_t nnodes,
                     uint32_t nall, const struct ids *from,
                     const struct ids *to) {
  const uint32_t *first = *side_first, *nodes = *side;
  uint32_t *start = xcalloc((size_t)nall + 2, sizeof *start);
  for (uint32_t i = 0; i < from->count; i++)
    start[from->items[i] + 2]++;
  for (uint32_t n = 0; n < nnodes; n++)
    start[n + 2] += first[n + 1] - first[n];
  for (uint32_t n = 0; n < nall; n++)
    start[n + 2] += start[n + 1];
  uint32_t *items = xmalloc(start[nall + 1] * sizeof *items);
  for (uint32_t n = 0; n < nnodes; n++)
    for (uint32_t i = first[n]; i < first[n + 1]; i++)
      items[start[n + 1]++] = nodes[i];
  for (uint32_t i = 0; i < from->count; i++)
    items[start[from->items[i] + 1]++] = to->items[i];
  FREE_EACH(*side_first, *side);
  *side_first = start;
  *side = items;
}

void statement_events_join(struct engine_of_rows *e) {
  struct static_graph *g = &e->p.graph;
  const uint32_t nall = e->p.nnodes + e->events.count;
  struct event_edges edges = {0};
  assert(g->nnodes == e->p.nnodes);
  for (uint32_t i = 0; i < e->events.count; i++)
    put_event(e, &edges, i);
  add_side(&g->out_first, &g->out, g->nnodes, nall, &edges.from, &edges.to);
  add_side(&g->in_first, &g->in, g->nnodes, nall, &edges.to, &edges.from);
  g->nnodes = nall;
  FREE_EACH(edges.from.items, edges.to.items);
}

// Leaves the edges of a side that are between the nodes before `nnodes`.
static void cut_side(uint32_t *first, uint32_t *nodes, uint32_t nnodes) {
  uint32_t n = 0;
  for (uint32_t node = 0, i = first[0]; node < nnodes; node++) {
    const uint32_t end = first[node + 1];
    for (; i < end; i++)
      if (nodes[i] < nnodes)
        nodes[n++] = nodes[i];
    first[node + 1] = n;
  }
}

void statement_events_leave(struct engine_of_rows *e) {
  struct static_graph *g = &e->p.graph;
  cut_side(g->out_first, g->out, e->p.nnodes);
  cut_side(g->in_first, g->in, e->p.nnodes);
  g->nnodes = e->p.nnodes;
}

// The events come directly before the commits.
uint32_t *statement_events_guess(const struct engine_of_rows *e,
                                 const uint32_t *order, uint32_t n) {
  const struct problem *p = &e->p;
  const struct rows *rows = e->h->rows;
  uint32_t *guess =
      xmalloc(((size_t)p->nnodes + e->events.count) * sizeof *guess);
  uint32_t to = 0;
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t t = problem_txn(p, order[i]);
    if (order[i] >= p->nnodes)
      continue;
    if (t != NO_ID && e->events.count && order[i] == problem_commit(p, t)) {
      uint32_t at =
          ids_below(e->events.items, e->events.count, rows->txn_statement[t]);
      for (; at < e->events.count &&
             e->events.items[at] < rows->txn_statement[t + 1];
           at++)
        guess[to++] = p->nnodes + at;
    }
    guess[to++] = order[i];
  }
  assert(to == p->nnodes + e->events.count);
  return guess;
}

// --- Demands.

// Those of one session where RC sees its session, too.  Where the first version
// was read, as checker/weak/saturate.h says.
static void demand_of_session(const struct engine_of_rows *e, uint32_t t,
                              const uint32_t *last, struct demands *demands) {
  const struct history *h = e->h;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    const uint32_t write = last[h->key[op]], saw = h->saw[op];
    if (e->m.sees[op] == NO_ID || write == NO_ID || saw == write)
      continue;
    const bool none = saw >= h->nops;
    ARRAY_RESERVE(demands->items, demands->count, demands->room);
    demands->items[demands->count++] =
        (struct demand){.before = none ? t : e->m.txn_of[write],
                        .after = none ? e->m.txn_of[write] : e->m.txn_of[saw],
                        .write = write,
                        .read = op};
  }
}

static void demand_sessions(const struct engine_of_rows *e,
                            struct demands *demands) {
  const struct history *h = e->h;
  uint32_t *last = ids_none(h->nkeys);
  for (uint32_t s = 0; s < h->nsessions && e->m.session_order; s++) {
    const uint32_t first = h->session_first[s], end = h->session_first[s + 1];
    for (uint32_t t = first; t < end; t++) {
      if (e->m.counted[t] && e->m.levels[t] == ISOLATION_RC)
        demand_of_session(e, t, last, demands);
      for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
        if (h->outcome[t] == OUTCOME_OK && e->m.counted[t] &&
            is_final(&e->m, op))
          last[h->key[op]] = op;
    }
    for (uint32_t op = h->txn_first[first]; op < h->txn_first[end]; op++)
      last[h->key[op]] = NO_ID;
  }
  free(last);
}

void statement_demands(const struct engine_of_rows *e,
                       struct demands *demands) {
  bool present[ISOLATION_COUNT] = {false};
  for (uint32_t t = 0; t < e->h->ntxns; t++)
    present[e->m.levels[t]] |= e->m.counted[t] != 0;
  for (int level = ISOLATION_RC; level <= ISOLATION_RA; level++)
    if (present[level])
      saturate(&e->m, (enum isolation)level, NULL, 0, demands);
  if (present[ISOLATION_RC] && e->rc_sees_session)
    demand_sessions(e, demands);
}
