// SPDX-License-Identifier: GPL-3.0-or-later
// The graph of known edges, the guess and the chains (checker/solver/events.h).
//
// What comes after the whole chain of the initial version goes through gates,
// so that the edges stay linear: readers of that chain's last version ->
// reading gate -> every other writer of the key; its last writer -> writing
// gate -> every other writer.  Real time goes through a time line in the same
// way.
#include "config.h"

#include "checker/solver/events.h"

#include "base/buckets.h"
#include "base/ids.h"
#include "base/memory.h"
#include "checker/verdict/level_rules.h"

#include <assert.h>
#include <stdlib.h>

enum {
  TELLING = 4, // transactions of a session from which places tell
  LOOKS = 16   // at the ends of others, for the last one before an instant
};

enum gate { GATE_READ, GATE_WRITE, GATES };

// The edges are walked twice, first to count them and then to store them.
struct edges {
  struct problem *p;
  uint32_t *out_place, *in_place; // NULL: counting
};

// Is building to be left, after so much more effort?
static bool ends(const struct edges *e, uint32_t effort) {
  return patience_ends(&e->p->patience, 1 + effort);
}

static bool ends_at(const struct edges *e, uint32_t step) {
  return patience_ends_at(&e->p->patience, step);
}

static void put_known_edge(const struct edges *e, uint32_t from, uint32_t to) {
  const struct static_graph *g = &e->p->graph;
  if (from == to)
    return;
  if (e->out_place) {
    g->out[e->out_place[from]++] = to;
    g->in[e->in_place[to]++] = from;
  } else {
    g->out_first[from + 1]++;
    g->in_first[to + 1]++;
  }
}

// An overwritten version is committed before the overwriter's commit; at SI
// before its snapshot, so that the overwriter knew of it.
static uint32_t ww_to(const struct problem *p, uint32_t t) {
  return level_conflicts_apart(problem_level(p, t)) ? problem_snapshot(p, t)
                                                    : problem_commit(p, t);
}

static uint32_t gate_of(const struct problem *p, uint32_t key, enum gate gate) {
  assert(key < p->m->h->nkeys);
  return p->first_gate + key * GATES + gate;
}

// Below PC only the order of lists is known, and readers are bound by demands.
// At PC, too, two transactions may both overwrite what they read.  Where levels
// are mixed the model has chained up only what the writer's level does.
static void set_rules_of_versions(struct problem *p) {
  p->searched = p->levels || !level_saturates(p->level);
  p->by_updates = p->levels || level_conflicts(p->level);
  p->ordered = p->searched || p->m->h->lists;
}

// Is the version before this one known?
static bool follows_known(const struct problem *p, uint32_t op) {
  return p->by_updates || p->m->role[op] & ROLE_LISTED;
}

static bool starts_chain(const struct problem *p, uint32_t op) {
  if (!is_final(p->m, op))
    return false;
  if (!follows_known(p, op))
    return p->searched || op_is_list(p->m->h->kind[op]);
  return p->m->role[op] & ROLE_TAIL;
}

// Do edges, not demands, say what the reader saw and missed?
static bool is_reader_bound(const struct problem *p, uint32_t reader) {
  return !level_saturates(problem_level(p, reader));
}

// The version before the first of a chain, or the initial one.
static uint32_t version_before_chain(const struct problem *p, uint32_t op) {
  assert(starts_chain(p, op));
  const struct model *m = p->m;
  const uint32_t before = m->over[op];
  if (follows_known(p, op))
    return before;
  if (!op_is_list(m->h->kind[op]))
    return m->h->nops + m->h->key[op];
  return is_initial(m, before) || m->role[before] & ROLE_LISTED
             ? before
             : m->over[before];
}

static uint32_t last_of_chain(const struct problem *p, uint32_t op) {
  if (!p->by_updates)
    return op;
  while (p->m->first_over[op] != NO_ID)
    op = p->m->first_over[op];
  return op;
}

// --- Known edges.

static void put_session_and_reads(const struct edges *e, uint32_t t) {
  const struct problem *p = e->p;
  const struct model *m = p->m;
  put_known_edge(e, problem_snapshot(p, t), problem_commit(p, t));
  if (m->previous[t] != NO_ID)
    put_known_edge(e, problem_commit(p, m->previous[t]),
                   problem_snapshot(p, t));
  if (!level_binds_reads(problem_level(p, t))) // so it may come before writers
    return;
  for (uint32_t op = m->h->txn_first[t]; op < m->h->txn_first[t + 1]; op++)
    if (m->sees[op] != NO_ID && !is_initial(m, m->sees[op]))
      put_known_edge(e, problem_commit(p, writer_of(m, m->sees[op])),
                     problem_snapshot(p, t));
}

static void put_readers(const struct edges *e, uint32_t version, uint32_t but,
                        uint32_t to) {
  const struct model *m = e->p->m;
  for (uint32_t r = m->first_reader[version]; r != NO_ID; r = m->next_reader[r])
    if (m->txn_of[r] != but && is_reader_bound(e->p, m->txn_of[r]))
      put_known_edge(e, problem_snapshot(e->p, m->txn_of[r]), to);
}

// The version that `op` wrote comes after the one before it.
static void put_overwrite(const struct edges *e, uint32_t op) {
  const struct problem *p = e->p;
  const struct model *m = p->m;
  const uint32_t t = m->txn_of[op], key = m->h->key[op];
  if (starts_chain(p, op)) {
    put_known_edge(e, gate_of(p, key, GATE_READ), problem_commit(p, t));
    put_known_edge(e, gate_of(p, key, GATE_WRITE), ww_to(p, t));
    return;
  }
  const uint32_t before = m->over[op];
  if (!follows_known(p, op))
    return;
  if (!is_initial(m, before) && writer_of(m, before) != t)
    put_known_edge(e, problem_commit(p, writer_of(m, before)), ww_to(p, t));
  if (p->searched)
    put_readers(e, before, t, problem_commit(p, t));
}

// Puts the edges before the gates of a key, once per key.
static void put_gates(const struct edges *e, uint32_t key) {
  const struct problem *p = e->p;
  const struct model *m = p->m;
  if (p->key_first[key] == p->key_first[key + 1])
    return;
  const uint32_t before =
      version_before_chain(p, p->head_op[p->key_first[key]]);
  if (!is_initial(m, before))
    put_known_edge(e, problem_commit(p, writer_of(m, before)),
                   gate_of(p, key, GATE_WRITE));
  if (p->searched)
    put_readers(e, before, NO_ID, gate_of(p, key, GATE_READ));
}

// The transaction that ended as the i-th of those that certainly did: the
// model's guess has these first, in the order of their ends.
static uint32_t ended_as(const struct problem *p, uint32_t i) {
  assert(i < p->nends);
  return p->m->guess[i];
}

static uint32_t count_ends(const struct model *m) {
  uint32_t n = m->nguess;
  while (n > 0 && history_ended(m->h, m->guess[n - 1]) == TIME_UNKNOWN)
    n--;
  return n;
}

// How many ends are before the instant.
static uint32_t ends_before(const struct problem *p, uint64_t instant) {
  uint32_t low = 0, high = p->nends;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (p->m->h->end[ended_as(p, middle)] < instant)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Must it come after all that had ended before it began?
static bool keeps_real_time(const struct problem *p, uint32_t t) {
  return p->m->real_time || level_keeps_time(problem_level(p, t));
}

static void put_time_line(const struct edges *e) {
  const struct problem *p = e->p;
  const struct history *h = p->m->h;
  for (uint32_t i = 0; i < p->nends && !ends_at(e, i); i++) {
    put_known_edge(e, problem_commit(p, ended_as(p, i)), p->first_instant + i);
    if (i > 0)
      put_known_edge(e, p->first_instant + i - 1, p->first_instant + i);
  }
  for (uint32_t t = 0; t < h->ntxns && !ends(e, LOOKS); t++) {
    if (!p->m->counted[t] || !keeps_real_time(p, t))
      continue;
    const uint32_t before = ends_before(p, history_began(h, t));
    if (before > 0)
      put_known_edge(e, p->first_instant + before - 1, problem_snapshot(p, t));
  }
}

static void put_known_edges(const struct edges *e) {
  const struct model *m = e->p->m;
  const uint32_t *first = m->h->txn_first;
  for (uint32_t t = 0; t < m->h->ntxns && !ends(e, first[t + 1] - first[t]);
       t++)
    if (m->counted[t])
      put_session_and_reads(e, t);
  for (uint32_t op = 0; e->p->ordered && op < m->h->nops && !ends_at(e, op);
       op++)
    if (is_final(m, op))
      put_overwrite(e, op);
  for (uint32_t key = 0; e->p->ordered && key < m->h->nkeys && !ends_at(e, key);
       key++)
    put_gates(e, key);
  if (e->p->nends)
    put_time_line(e);
  for (uint32_t i = 0;
       e->p->demands && i < e->p->demands->count && !ends_at(e, i); i++)
    put_known_edge(e, problem_commit(e->p, e->p->demands->items[i].before),
                   problem_commit(e->p, e->p->demands->items[i].after));
}

static void sum_up_counts(uint32_t *first, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    first[i + 1] += first[i];
}

static void build_graph(struct problem *p) {
  struct static_graph *g = &p->graph;
  const size_t n = p->nnodes;
  *g = (struct static_graph){.nnodes = p->nnodes};
  g->out_first = xcalloc(n + 1, sizeof *g->out_first);
  g->in_first = xcalloc(n + 1, sizeof *g->in_first);
  struct edges e = {.p = p};
  put_known_edges(&e);
  if (p->patience.ended) // they are not all counted
    return;
  sum_up_counts(g->out_first, p->nnodes);
  sum_up_counts(g->in_first, p->nnodes);
  g->out = xmalloc(g->out_first[n] * sizeof *g->out);
  g->in = xmalloc(g->in_first[n] * sizeof *g->in);
  e.out_place = ids_copy(g->out_first, n);
  e.in_place = ids_copy(g->in_first, n);
  put_known_edges(&e);
  FREE_EACH(e.out_place, e.in_place);
}

// --- Chains.

static uint32_t key_of_chain(const void *context, uint32_t op) {
  const struct problem *p = context;
  return starts_chain(p, op) ? p->m->h->key[op] : NO_BUCKET;
}

static void list_chains(struct problem *p) {
  const struct history *h = p->m->h;
  const uint32_t nops = p->ordered ? h->nops : 0;
  const struct buckets heads = buckets_make(h->nkeys, nops, key_of_chain, p);
  p->key_first = heads.first;
  p->head_op = heads.items;
  p->tail_op = xmalloc(heads.first[h->nkeys] * sizeof *p->tail_op);
}

static void fill_chains(struct problem *p) {
  const struct model *m = p->m;
  const uint32_t nchains = p->key_first[m->h->nkeys];
  uint32_t nreaders = 0, room = 0;
  p->chains = xmalloc(nchains * sizeof *p->chains);
  for (uint32_t c = 0; c < nchains && !patience_ends_at(&p->patience, c); c++) {
    const uint32_t head = p->head_op[c], last = last_of_chain(p, head);
    assert(m->h->key[head] == m->h->key[last]);
    const uint32_t first = nreaders;
    for (uint32_t r = m->first_reader[last]; r != NO_ID;
         r = m->next_reader[r]) {
      if (!is_reader_bound(p, m->txn_of[r]))
        continue;
      ARRAY_RESERVE(p->readers, nreaders, room);
      p->readers[nreaders++] = problem_snapshot(p, m->txn_of[r]);
    }
    p->tail_op[c] = last;
    p->chains[c] =
        (struct version_chain){.ww_to = ww_to(p, m->txn_of[head]),
                               .rw_to = problem_commit(p, m->txn_of[head]),
                               .ww_from = problem_commit(p, m->txn_of[last]),
                               .first_reader = first,
                               .end_reader = nreaders};
  }
}

// --- The guess.

// When an event took place: snapshots near the begin, commits near the end; or,
// without times, by the place of the transaction in its session, of which all
// are taken to be equally long; where sessions are too short for their places
// to tell, one after the other as they are in the history.  The unit does not
// matter.
static uint64_t time_of_node(const struct problem *p, uint32_t t, bool commit,
                             uint32_t place, uint32_t length) {
  const struct history *h = p->m->h;
  if (h->begin && h->begin[t] != TIME_UNKNOWN && h->end[t] != TIME_UNKNOWN)
    return commit ? h->end[t] : h->begin[t];
  if (!h->begin && h->ntxns / TELLING < h->nsessions)
    return (uint64_t)t << 1 | commit;
  return (((uint64_t)place << 32) + (commit ? UINT64_C(0xe0000000) : 0)) /
         length;
}

static void put_events_in_time(struct problem *p) {
  const struct history *h = p->m->h;
  struct instant *events =
      xmalloc((size_t)h->ntxns * p->scale * sizeof *events);
  uint32_t n = 0;
  for (uint32_t s = 0; s < h->nsessions; s++) {
    const uint32_t first = h->session_first[s], end = h->session_first[s + 1];
    for (uint32_t t = first; t < end; t++) {
      const uint32_t last = p->scale - 1;
      for (uint32_t i = 0; p->m->counted[t] && i <= last; i++)
        events[n++] = (struct instant){
            time_of_node(p, t, i == last, t - first, end - first),
            t * p->scale + i};
    }
  }
  p->events = events;
  p->nevents = n;
  if (!p->searched)
    return; // any order does
  struct instant *spare = xmalloc(n * sizeof *spare);
  p->events = instants_sort(events, spare, n);
  free(p->events == spare ? events : spare);
}

struct node_walk {
  const struct static_graph *graph;
  uint8_t *state; // 0 new, 1 open, 2 placed
  uint32_t *next; // per node: the next of its predecessors to look at
  uint32_t *stack, *order, n;
  struct patience *patience;
};

// Places a node after all that must come before it.  False: there is a cycle
// through `*on_cycle`, or no time.
static bool place_after_predecessors(struct node_walk *w, uint32_t root,
                                     uint32_t *on_cycle) {
  uint32_t depth = 0;
  w->stack[depth++] = root;
  w->state[root] = 1;
  while (depth) {
    const uint32_t node = w->stack[depth - 1];
    if (w->next[node] == w->graph->in_first[node + 1]) {
      const uint32_t *in_first = w->graph->in_first;
      if (patience_ends(w->patience, 1 + in_first[node + 1] - in_first[node]))
        return false;
      w->state[node] = 2;
      w->order[w->n++] = node;
      depth--;
      continue;
    }
    const uint32_t before = w->graph->in[w->next[node]++];
    if (w->state[before] == 1) {
      *on_cycle = before;
      return false;
    }
    if (w->state[before] == 0) {
      w->state[before] = 1;
      w->stack[depth++] = before;
    }
  }
  return true;
}

// False: a cycle, or there is no time.
static bool guess_order(struct problem *p, uint32_t *on_cycle) {
  const struct instant *events = p->events;
  struct node_walk w = {.graph = &p->graph,
                        .patience = &p->patience,
                        .state = xcalloc(p->nnodes, 1),
                        .next = ids_copy(p->graph.in_first, p->nnodes),
                        .stack = xmalloc(p->nnodes * sizeof *w.stack),
                        .order = xmalloc(p->nnodes * sizeof *w.order)};
  bool acyclic = true;
  for (uint32_t i = 0; i < p->nevents && acyclic; i++)
    acyclic = w.state[events[i].id] ||
              place_after_predecessors(&w, events[i].id, on_cycle);
  for (uint32_t node = 0; node < p->nnodes && acyclic; node++)
    acyclic = w.state[node] || place_after_predecessors(&w, node, on_cycle);
  FREE_EACH(w.state, w.next, w.stack);
  p->guess = w.order;
  return acyclic;
}

// Does some transaction have to keep real time?
static bool has_time_line(const struct problem *p) {
  const struct history *h = p->m->h;
  bool any = p->m->real_time || (!p->levels && level_keeps_time(p->level));
  for (uint32_t t = 0; p->levels && t < h->ntxns; t++)
    any |= level_keeps_time((enum isolation)p->levels[t]);
  return any && h->begin && h->end;
}

// All but the edges.
static void prepare_problem(struct problem *p, const struct model *m,
                            enum isolation level, const uint8_t *levels) {
  assert(m->stage >= MODEL_WALKABLE);
  const bool split = levels || level_splits(level);
  *p = (struct problem){
      .m = m, .level = level, .levels = levels, .scale = split ? 2 : 1};
  p->patience.stop = m->stop;
  set_rules_of_versions(p);
  if (has_time_line(p))
    p->nends = count_ends(m);
  p->first_gate = m->h->ntxns * p->scale;
  p->first_instant = p->first_gate + m->h->nkeys * GATES;
  p->nnodes = p->first_instant + p->nends;
  list_chains(p);
  fill_chains(p);
  if (!p->patience.ended)
    put_events_in_time(p);
}

bool problem_build(struct problem *p, const struct model *m,
                   enum isolation level, const uint8_t *levels,
                   const struct demands *demands, uint32_t *on_cycle) {
  prepare_problem(p, m, level, levels);
  p->demands = demands;
  *on_cycle = NO_ID;
  build_graph(p);
  const bool acyclic = !p->patience.ended && guess_order(p, on_cycle);
  free(p->events);
  p->events = NULL;
  return acyclic;
}

void problem_free(struct problem *p) {
  FREE_EACH(p->graph.out_first, p->graph.out, p->graph.in_first, p->graph.in,
            p->guess, p->key_first, p->chains, p->head_op, p->tail_op,
            p->readers, p->events);
  *p = (struct problem){0};
}
