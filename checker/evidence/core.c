// SPDX-License-Identifier: GPL-3.0-or-later
// From the nodes of a refutation to the transactions that they stand for
// (checker/evidence/core.h).
#include "config.h"

#include "checker/evidence/core.h"

#include "base/ids.h"
#include "base/memory.h"
#include "checker/evidence/evidence.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static struct operations finish_core(struct evidence *e) {
  evidence_before_blind_writes(e);
  evidence_seen(e);
  return evidence_take(e);
}

// A gate stands for the chain that starts at the initial version.
static void add_core_node(struct evidence *e, const struct problem *p,
                          uint32_t node) {
  assert(node < p->nnodes);
  const struct model *m = p->m;
  if (node < p->first_gate) {
    evidence_txn(e, problem_txn(p, node));
  } else if (node < p->first_instant) {
    const uint32_t key = (node - p->first_gate) / 2;
    const uint32_t head = p->head_op[p->key_first[key]];
    if (m->role[head] & ROLE_TAIL)
      evidence_versions(e, m->over[head], NO_ID);
  }
}

static void add_demand(struct evidence *e, const struct demand *demand) {
  const uint32_t *txn_of = e->m->txn_of;
  evidence_txn(e, txn_of[demand->read]);
  evidence_past(e, txn_of[demand->read], txn_of[demand->write]);
}

// --- A cycle of known edges.

// Breadth first over the edges of the graph from a node to itself; there is a
// way.  Returns the nodes, to be freed.
static uint32_t *shortest_cycle(const struct static_graph *g, uint32_t start,
                                uint32_t *n) {
  uint32_t *before = ids_none(g->nnodes);
  uint32_t *queue = xmalloc(((size_t)g->nnodes + 1) * sizeof *queue);
  uint32_t head = 0, tail = 0;
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

// Adds the demands among the transactions of the core.  A demand without a read
// has no operations to add.
static void add_demands(struct evidence *e, const struct problem *p) {
  const uint32_t n = p->m->h->ntxns;
  uint8_t *has_txn = memcpy(xmalloc(n), e->has_txn, n);
  for (uint32_t i = 0; p->demands && i < p->demands->count; i++)
    if (p->demands->items[i].read != NO_ID &&
        has_txn[p->demands->items[i].before] &&
        has_txn[p->demands->items[i].after])
      add_demand(e, &p->demands->items[i]);
  free(has_txn);
}

struct operations core_of_node(const struct problem *p, uint32_t on_cycle) {
  uint32_t n;
  uint32_t *cycle = shortest_cycle(&p->graph, on_cycle, &n);
  struct evidence e = evidence_open(p->m);
  for (uint32_t i = 0; i < n; i++)
    add_core_node(&e, p, cycle[i]);
  add_demands(&e, p);
  free(cycle);
  return finish_core(&e);
}

struct operations core_of_order(const struct model *m,
                                const struct order *order) {
  assert(order->ncycle > 0);
  struct evidence e = evidence_open(m);
  for (uint32_t i = 0; i < order->ncycle; i++)
    evidence_txn(&e, order->snapshot ? order->cycle[i] / 2 : order->cycle[i]);
  return finish_core(&e);
}

struct operations core_of_divergence(const struct model *m) {
  assert(m->diverged != NO_ID && m->stage >= MODEL_WALKABLE);
  struct evidence e = evidence_open(m);
  const uint32_t version = m->over[m->diverged];
  for (uint32_t op = m->first_over[version]; op != NO_ID;
       op = model_next_over(m, op))
    if (op == m->diverged || !(m->role[op] & (ROLE_DIVERGED | ROLE_TAIL)))
      evidence_txn(&e, m->txn_of[op]);
  return finish_core(&e);
}

// --- Choices.

struct operations core_of_choices(const struct problem *p,
                                  const struct choice_result *result) {
  struct evidence e = evidence_open(p->m);
  for (uint32_t i = 0; i < result->ncore; i++)
    add_core_node(&e, p, result->core[i]);
  for (uint32_t i = 0; i < result->ncore_chains; i++) {
    const uint32_t tail = p->tail_op[result->core_chains[i]];
    uint32_t op = p->head_op[result->core_chains[i]];
    for (; op != tail; op = p->m->first_over[op])
      evidence_txn(&e, p->m->txn_of[op]);
    evidence_txn(&e, p->m->txn_of[tail]);
  }
  add_demands(&e, p);
  return finish_core(&e);
}
