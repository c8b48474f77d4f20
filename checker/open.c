// SPDX-License-Identifier: GPL-3.0-or-later
// From a model to a commit order or to a part that has none (checker/open.h).
#include "config.h"

#include "checker/open.h"

#include "base/memory.h"
#include "checker/order.h"
#include "checker/prefix.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// --- Kept: the witness.

static void take_witness(struct open_decision *d, const struct problem *p,
                         const uint32_t *node_at) {
  const struct model *m = p->m;
  const bool split = p->scale == 2;
  uint32_t *taken_at = split ? xmalloc(m->h->ntxns * sizeof *taken_at) : NULL;
  d->answer = OPEN_KEPT;
  d->order = xmalloc(m->h->ntxns * sizeof *d->order);
  if (split)
    d->snapshot = xmalloc(m->h->ntxns * sizeof *d->snapshot);
  for (uint32_t i = 0; i < p->nnodes; i++) {
    const uint32_t t = problem_txn(p, node_at[i]);
    if (t == NO_ID || !m->counted[t])
      continue;
    if (split && node_at[i] % 2 == 0) {
      taken_at[t] = d->norder;
      continue;
    }
    if (split)
      d->snapshot[d->norder] = problem_splits(p, t) ? taken_at[t] : d->norder;
    d->order[d->norder++] = t;
  }
  free(taken_at);
}

// --- Broken: the part that shows it.

struct part {
  const struct model *m;
  uint8_t *has_txn, *has_op;
  uint32_t *added; // per element: how many from there on are added; or NULL
  struct operations ops; // unsorted until they are all there
};

static void add_op(struct part *part, uint32_t op) {
  if (part->has_op[op])
    return;
  part->has_op[op] = 1;
  ARRAY_RESERVE(part->ops.op, part->ops.count, part->ops.room);
  part->ops.op[part->ops.count++] = op;
}

static void add_txn(struct part *part, uint32_t t) {
  if (t == NO_ID || part->has_txn[t])
    return;
  part->has_txn[t] = 1;
  for (uint32_t op = part->m->h->txn_first[t];
       op < part->m->h->txn_first[t + 1]; op++)
    add_op(part, op);
}

// All versions of the chain that ends with this one, back to its start.
static void add_chain(struct part *part, uint32_t version) {
  const struct model *m = part->m;
  while (version != NO_ID && !is_initial(m, version)) {
    add_txn(part, writer_of(m, version));
    version = m->role[version] & ROLE_TAIL ? NO_ID : m->over[version];
  }
}

// Most lists of a key begin at the same element.
static void add_list(struct part *part, struct seen_list list) {
  const struct history *h = part->m->h;
  if (!part->added)
    part->added = xcalloc((size_t)h->nelements + 1, sizeof *part->added);
  uint32_t *added = &part->added[list.first];
  for (; *added < list.count; ++*added)
    if (h->element[list.first + *added] < h->nops)
      add_op(part, h->element[list.first + *added]);
}

// What the operations saw; of the writers that are not there otherwise only the
// writes themselves.
static void add_what_was_seen(struct part *part) {
  const struct history *h = part->m->h;
  for (uint32_t n = part->ops.count, k = 0; k < n; k++) {
    const uint32_t op = part->ops.op[k];
    if (!op_reads(h->kind[op]))
      continue;
    if (h->kind[op] != OP_READ_LIST) {
      if (h->saw[op] < h->nops)
        add_op(part, h->saw[op]);
      continue;
    }
    add_list(part, h->list[h->saw[op]]);
  }
}

// Whoever wrote a key without reading it comes after the chain that starts at
// the initial version: but only if that chain is there.
static void add_chains_before_blind_writes(struct part *part) {
  const struct model *m = part->m;
  for (uint32_t n = part->ops.count, k = 0; k < n; k++) {
    const uint32_t op = part->ops.op[k];
    if (m->role[op] & ROLE_BLIND && m->over[op] != NO_ID)
      add_chain(part, m->over[op]);
  }
}

static void take_core(struct open_decision *d, struct part *part) {
  const struct model *m = part->m;
  add_chains_before_blind_writes(part);
  add_what_was_seen(part);
  d->answer = OPEN_BROKEN;
  uint32_t n = 0;
  for (uint32_t k = 0; k < part->ops.count; k++)
    if (m->counted[m->txn_of[part->ops.op[k]]])
      part->ops.op[n++] = part->ops.op[k];
  part->ops.count = n;
  operations_sort(&part->ops);
  d->core = part->ops;
  part->ops = (struct operations){0};
  subhistory_close(m->h, &d->core);
}

static struct part part_open(const struct model *m) {
  return (struct part){.m = m,
                       .has_txn = xcalloc(m->h->ntxns, 1),
                       .has_op = xcalloc(m->h->nops, 1)};
}

static void part_close(struct part *part) {
  free(part->has_txn);
  free(part->has_op);
  free(part->added);
  free(part->ops.op);
}

// A gate stands for the chain that starts at the initial version.
static void add_node(struct part *part, const struct problem *p,
                     uint32_t node) {
  const struct model *m = p->m;
  if (node < p->first_gate) {
    add_txn(part, problem_txn(p, node));
  } else if (node < p->first_instant) {
    const uint32_t key = (node - p->first_gate) / 2;
    const uint32_t head = p->head_op[p->key_first[key]];
    if (m->role[head] & ROLE_TAIL)
      add_chain(part, m->over[head]);
  }
}

// --- A cycle of known edges.

// Breadth first over the edges of the graph from a node to itself; there is a
// way.  Returns the nodes, to be freed.
static uint32_t *shortest_cycle(const struct static_graph *g, uint32_t start,
                                uint32_t *n) {
  uint32_t *before = xmalloc(g->nnodes * sizeof *before);
  uint32_t *queue = xmalloc(((size_t)g->nnodes + 1) * sizeof *queue);
  uint32_t head = 0, tail = 0;
  memset(before, 0xff, g->nnodes * sizeof *before);
  queue[tail++] = start;
  while (before[start] == NO_ID) {
    assert(head < tail);
    const uint32_t node = queue[head++];
    for (uint32_t e = g->out_first[node]; e < g->out_first[node + 1]; e++)
      if (before[g->out[e]] == NO_ID) {
        before[g->out[e]] = node;
        queue[tail++] = g->out[e];
        if (g->out[e] == start)
          break;
      }
  }
  *n = 0;
  for (uint32_t node = before[start];; node = before[node]) {
    queue[(*n)++] = node;
    if (node == start)
      break;
  }
  free(before);
  return queue;
}

// The search for a way back from a reader.
struct way_back {
  const struct model *m;
  uint32_t *from; // per transaction: the one after it on the way, or NO_ID
  uint32_t *queue, head, tail;
  const uint32_t *ended; // by their ends...
  uint32_t nended, at;   // ...those before `at` are met
};

static void meet(struct way_back *way, uint32_t t, uint32_t from) {
  if (way->from[t] != NO_ID)
    return;
  way->from[t] = from;
  way->queue[way->tail++] = t;
}

static void meet_all_before(struct way_back *way, uint32_t t) {
  const struct model *m = way->m;
  if (m->previous[t] != NO_ID)
    meet(way, m->previous[t], t);
  for (uint32_t op = m->h->txn_first[t]; op < m->h->txn_first[t + 1]; op++) {
    const bool reads = op_reads(m->h->kind[op]);
    const struct shown shown = reads ? shown_by(m, op) : (struct shown){0};
    for (uint32_t i = 0; i < shown.count; i++)
      meet(way, m->txn_of[shown.write[i]], t);
  }
  for (; way->at < way->nended &&
         ended(m->h, way->ended[way->at]) < began(m->h, t);
       way->at++)
    meet(way, way->ended[way->at], t);
}

// Why a reader had observed a transaction: what it read from and, if that
// counts, what had ended before it, back to there.
static void add_past(struct part *part, uint32_t reader, uint32_t past) {
  const struct model *m = part->m;
  const uint32_t n = m->h->ntxns;
  struct way_back way = {.m = m,
                         .from = xmalloc(n * sizeof *way.from),
                         .queue = xmalloc(n * sizeof *way.queue)};
  memset(way.from, 0xff, n * sizeof *way.from);
  if (m->real_time) {
    way.ended = m->guess;
    way.nended = m->nguess;
  }
  meet(&way, reader, reader);
  while (way.head < way.tail && way.from[past] == NO_ID)
    meet_all_before(&way, way.queue[way.head++]);
  for (uint32_t t = past; way.from[t] != NO_ID && t != reader; t = way.from[t])
    add_txn(part, t);
  free(way.from);
  free(way.queue);
}

static void add_demand(struct part *part, const struct demand *demand) {
  const struct model *m = part->m;
  add_txn(part, m->txn_of[demand->read]);
  add_past(part, m->txn_of[demand->read], m->txn_of[demand->write]);
}

// Those that are edges of the cycle.
static void add_demands(struct part *part, const struct problem *p,
                        const uint32_t *cycle, uint32_t n) {
  for (uint32_t i = 0; p->demands && i < p->demands->count; i++) {
    const struct demand *demand = &p->demands->items[i];
    for (uint32_t k = 0; k < n; k++)
      if (problem_txn(p, cycle[(k + 1) % n]) == demand->before &&
          problem_txn(p, cycle[k]) == demand->after)
        add_demand(part, demand);
  }
}

// Those between transactions of the part.
static void add_demands_within(struct part *part, const struct problem *p) {
  const uint32_t n = p->m->h->ntxns;
  uint8_t *has_txn = memcpy(xmalloc(n), part->has_txn, n);
  for (uint32_t i = 0; p->demands && i < p->demands->count; i++)
    if (has_txn[p->demands->items[i].before] &&
        has_txn[p->demands->items[i].after])
      add_demand(part, &p->demands->items[i]);
  free(has_txn);
}

static void blame_known_cycle(struct open_decision *d, const struct problem *p,
                              uint32_t on_cycle) {
  uint32_t n;
  uint32_t *cycle = shortest_cycle(&p->graph, on_cycle, &n);
  struct part part = part_open(p->m);
  for (uint32_t i = 0; i < n; i++)
    add_node(&part, p, cycle[i]);
  add_demands(&part, p, cycle, n);
  take_core(d, &part);
  part_close(&part);
  free(cycle);
}

static void blame_choices(struct open_decision *d, const struct problem *p,
                          const struct choice_result *result) {
  struct part part = part_open(p->m);
  for (uint32_t i = 0; i < result->ncore; i++)
    add_node(&part, p, result->core[i]);
  for (uint32_t i = 0; i < result->ncore_chains; i++) {
    const uint32_t tail = p->tail_op[result->core_chains[i]];
    uint32_t op = p->head_op[result->core_chains[i]];
    for (; op != tail; op = p->m->first_over[op])
      add_txn(&part, p->m->txn_of[op]);
    add_txn(&part, p->m->txn_of[tail]);
  }
  add_demands_within(&part, p);
  take_core(d, &part);
  part_close(&part);
}

// Two transactions that overwrote the same version: at SI and above there is no
// place for both.
static void blame_divergence(struct open_decision *d, const struct model *m) {
  struct part part = part_open(m);
  const uint32_t version = m->over[m->diverged];
  for (uint32_t op = m->first_over[version]; op != NO_ID; op = m->next_over[op])
    if (op == m->diverged || !(m->role[op] & (ROLE_DIVERGED | ROLE_TAIL)))
      add_txn(&part, m->txn_of[op]);
  take_core(d, &part);
  part_close(&part);
}

// --- Deciding.

static void decide_problem(struct open_decision *d, const struct problem *p,
                           struct check_progress *progress) {
  const struct choice_problem choices = {.graph = &p->graph,
                                         .guess = p->guess,
                                         .nkeys = p->m->h->nkeys,
                                         .key_first = p->key_first,
                                         .chains = p->chains,
                                         .readers = p->readers,
                                         .stop = p->m->stop,
                                         .progress = progress};
  struct choice_result result;
  const enum choice_answer answer = choices_solve(&choices, &result);
  if (answer == CHOICES_ORDERED)
    take_witness(d, p, result.node_at);
  else if (answer == CHOICES_IMPOSSIBLE)
    blame_choices(d, p, &result);
  choice_result_free(&result);
}

// The transactions in an order that keeps session order and write-read; none,
// with what is wrong in the decision, if there is no such order.
static struct open_decision causal_order(struct open_decision *d,
                                         const struct model *m) {
  struct problem p;
  struct open_decision order = {0};
  uint32_t on_cycle;
  if (!m->h->lists && !m->levels && !m->real_time)
    order.order = prefix_order(m, ISOLATION_RC, m->stop, &order.norder);
  if (order.order || model_is_stopped(m))
    return order; // of a level that is weaker, but as good a start
  if (problem_build(&p, m, ISOLATION_CC, NULL, NULL, &on_cycle))
    take_witness(&order, &p, p.guess);
  else
    blame_known_cycle(d, &p, on_cycle);
  problem_free(&p);
  return order;
}

// The demands on the readers at a level below PC.  False: there is no causal
// order, and the decision says so, or no time for it.
static bool demand(struct open_decision *d, const struct model *m,
                   enum isolation level, struct demands *demands) {
  struct open_decision first = {0};
  if (level == ISOLATION_CC) // whose demands follow the order
    first = causal_order(d, m);
  if (d->answer != OPEN_BROKEN && !model_is_stopped(m)) {
    saturate(m, level, first.order, first.norder, demands);
    if (m->real_time && level != ISOLATION_RC)
      saturate_in_time(m, level, first.order, first.norder, demands);
  }
  open_decision_free(&first);
  return d->answer != OPEN_BROKEN && !model_is_stopped(m);
}

static void decide_weak(struct open_decision *d, const struct model *m,
                        enum isolation level) {
  struct problem p;
  struct demands demands = {0};
  uint32_t on_cycle;
  if (demand(d, m, level, &demands)) {
    if (problem_build(&p, m, level, NULL, &demands, &on_cycle))
      take_witness(d, &p, p.guess);
    else
      blame_known_cycle(d, &p, on_cycle);
    problem_free(&p);
  }
  demands_free(&demands);
}

static void decide_prepared(struct open_decision *d, struct problem *p,
                            const struct demands *demands,
                            struct check_progress *progress) {
  uint32_t on_cycle;
  if (!model_is_stopped(p->m)) {
    if (problem_connect(p, demands, &on_cycle))
      decide_problem(d, p, progress);
    else
      blame_known_cycle(d, p, on_cycle);
  }
  problem_free(p);
}

// `levels` of all transactions, or NULL, and then there are no demands.
static void decide_strong(struct open_decision *d, const struct model *m,
                          enum isolation level, const uint8_t *levels,
                          const struct demands *demands,
                          struct check_progress *progress) {
  struct problem p;
  problem_prepare(&p, m, level, levels);
  decide_prepared(d, &p, demands, progress);
}

// Demands for those below PC, choices for the others.
static void decide_mixed(struct open_decision *d, const struct model *m,
                         enum isolation level,
                         struct check_progress *progress) {
  bool present[ISOLATION_COUNT] = {false};
  struct demands demands = {0};
  bool causal = true;
  for (uint32_t t = 0; t < m->h->ntxns; t++)
    present[m->levels[t]] |= m->counted[t] != 0;
  for (enum isolation weak = ISOLATION_RC; weak < ISOLATION_PC && causal;
       weak++)
    causal = !present[weak] || demand(d, m, weak, &demands);
  if (causal)
    decide_strong(d, m, level, m->levels, &demands, progress);
  demands_free(&demands);
}

static void link_all(struct model *m) {
  chains_anchor(m);
  if (!m->first_over)
    model_link_overwriters(m);
}

void open_decide(struct open_decision *d, struct model *m, enum isolation level,
                 struct check_progress *progress) {
  *d = (struct open_decision){.answer = OPEN_STOPPED};
  if (model_is_stopped(m))
    return;
  link_all(m);
  if (level >= ISOLATION_SI && m->diverged != NO_ID)
    blame_divergence(d, m);
  else if (m->levels)
    decide_mixed(d, m, level, progress);
  else if (level < ISOLATION_PC)
    decide_weak(d, m, level);
  else
    decide_strong(d, m, level, NULL, NULL, progress);
}

struct operations open_core(const struct problem *p,
                            const struct choice_result *result) {
  struct open_decision d = {0};
  blame_choices(&d, p, result);
  return d.core;
}

struct operations open_core_of_cycle(const struct problem *p,
                                     uint32_t on_cycle) {
  struct open_decision d = {0};
  blame_known_cycle(&d, p, on_cycle);
  return d.core;
}

void open_decision_free(struct open_decision *d) {
  free(d->order);
  free(d->snapshot);
  free(d->core.op);
  *d = (struct open_decision){0};
}
