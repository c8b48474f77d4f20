// SPDX-License-Identifier: GPL-3.0-or-later
// The edges that leave a transaction (checker/graph/edges.h).
#include "config.h"

#include "checker/graph/edges.h"

#include <assert.h>

struct visiting {
  const struct model *m;
  uint32_t t;
  edge_visitor *visit;
  void *context;
};

static bool show_edge(const struct visiting *v, enum edge_kind kind,
                      uint32_t from_op, uint32_t to_op) {
  const uint32_t to = v->m->txn_of[to_op];
  const struct edge edge = {.kind = (uint8_t)kind,
                            .from = v->t,
                            .to = to,
                            .from_op = from_op,
                            .to_op = to_op};
  return to == v->t || v->visit(v->context, &edge);
}

static bool show_readers(const struct visiting *v, uint32_t write) {
  const struct model *m = v->m;
  for (uint32_t r = m->first_reader[write]; r != NO_ID; r = m->next_reader[r])
    if (!show_edge(v, EDGE_WR, write, r))
      return false;
  return true;
}

// Those that wrote over the version, which `op` read (RW) or wrote (WW).
static bool show_overwriters(const struct visiting *v, enum edge_kind kind,
                             uint32_t op, uint32_t version) {
  assert(version < v->m->nversions);
  const struct model *m = v->m;
  for (uint32_t w = m->first_over[version]; w != NO_ID;
       w = model_next_over(m, w)) {
    if (kind == EDGE_WW && !(m->role[w] & ROLE_BLIND))
      continue;
    if (!show_edge(v, kind, op, w))
      return false;
  }
  return true;
}

// Session successors of t, up to and including the next committed one; unknown
// ones in between order nothing.
static bool show_session(const struct visiting *v) {
  const struct model *m = v->m;
  uint32_t next = leads_session(m, v->t) ? m->next[v->t] : NO_ID;
  while (next != NO_ID) {
    const struct edge edge = {EDGE_SO, v->t, next, NO_ID, NO_ID};
    if (!v->visit(v->context, &edge))
      return false;
    next = leads_session(m, next) ? NO_ID : m->next[next];
  }
  return true;
}

void for_each_edge(const struct model *m, uint32_t t, edge_visitor *visit,
                   void *context) {
  assert(t < m->h->ntxns && m->counted[t]);
  assert(m->stage >= MODEL_WALKABLE);
  const struct visiting v = {m, t, visit, context};
  if (!show_session(&v))
    return;
  for (uint32_t op = m->h->txn_first[t]; op < m->h->txn_first[t + 1]; op++) {
    const uint32_t version = m->sees[op];
    if (is_final(m, op) && !show_readers(&v, op))
      return;
    if (version != NO_ID && !show_overwriters(&v, EDGE_RW, op, version))
      return;
    if (is_final(m, op) && !show_overwriters(&v, EDGE_WW, op, op))
      return;
  }
}
