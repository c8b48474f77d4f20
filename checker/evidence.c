// SPDX-License-Identifier: GPL-3.0-or-later
// Takes the operations that a violation rests on (checker/evidence.h).  For an
// edge between versions these are all that lie between them, since without them
// nobody knows their order.
#include "config.h"

#include "checker/evidence.h"

#include "base/memory.h"

#include <stdlib.h>

struct evidence {
  const struct model *m;
  struct operations ops; // unsorted, with repetitions, until they are all there
  uint8_t *settled;      // per transaction: it is shown to count
};

static void take(struct evidence *e, uint32_t op) {
  if (op >= e->m->h->nops)
    return;
  ARRAY_RESERVE(e->ops.op, e->ops.count, e->ops.room);
  e->ops.op[e->ops.count++] = op;
}

// All that the transaction of an operation did with its key.
static void take_with_key(struct evidence *e, uint32_t op) {
  const struct history *h = e->m->h;
  if (op >= h->nops)
    return;
  const uint32_t t = e->m->txn_of[op];
  for (uint32_t o = h->txn_first[t]; o < h->txn_first[t + 1]; o++)
    if (h->key[o] == h->key[op])
      take(e, o);
}

// The versions of a register from `version` back to `first`.  If a blind write
// is among them, back to the initial one, for that chain is why it comes later.
static void take_chain(struct evidence *e, uint32_t version, uint32_t first) {
  const struct model *m = e->m;
  bool blind = false;
  for (uint32_t i = 0; i < m->h->nops && !is_initial(m, version); i++) {
    take_with_key(e, version);
    if (version == first && !blind)
      return;
    blind |= (m->role[version] & ROLE_BLIND) != 0;
    version = m->over[version];
  }
}

// A list read with the last append that it shows, without which it can not
// stand.
static void take_list_read(struct evidence *e, uint32_t read) {
  take_with_key(e, read);
  if (e->m->sees[read] != NO_ID)
    take_with_key(e, e->m->sees[read]);
}

// A read that shows append `one`, to tell that what it does not show comes
// later.
static void take_reader_of(struct evidence *e, uint32_t one) {
  const struct model *m = e->m;
  uint32_t version = one;
  while (version != NO_ID && m->first_reader[version] == NO_ID)
    version = m->first_over[version];
  if (version != NO_ID)
    take_list_read(e, m->first_reader[version]);
}

static void take_edge(struct evidence *e, const struct edge *edge) {
  const struct model *m = e->m;
  if (edge->kind == EDGE_SO || edge->kind == EDGE_RT)
    return;
  take_with_key(e, edge->from_op);
  take_with_key(e, edge->to_op);
  const bool list = op_is_list(m->h->kind[edge->to_op]);
  if (edge->kind == EDGE_WW && list)
    take_reader_of(e, edge->from_op);
  if (edge->kind == EDGE_RW && list)
    take_list_read(e, edge->from_op);
  if (edge->kind == EDGE_WR || list)
    return;
  const uint32_t first =
      edge->kind == EDGE_RW ? m->sees[edge->from_op] : edge->from_op;
  take_chain(e, edge->to_op, first);
  take_with_key(e, first);
}

// What a read saw, if `op` is one.
static void take_seen(struct evidence *e, uint32_t op) {
  const struct history *h = e->m->h;
  if (op >= h->nops || !op_reads(h->kind[op]))
    return;
  if (!op_is_list(h->kind[op])) {
    take_with_key(e, h->saw[op]);
    return;
  }
  const uint32_t list = h->saw[op];
  for (uint32_t i = h->list[list].first; i < history_list_end(h, list); i++)
    take_with_key(e, h->element[i]);
}

// An unknown transaction counts because others saw what it wrote: one that did,
// and what shows that this one counts.
static void take_outcomes(struct evidence *e) {
  const struct model *m = e->m;
  for (uint32_t i = 0; i < e->ops.count; i++) {
    const uint32_t t = m->txn_of[e->ops.op[i]];
    if (m->h->outcome[t] != OUTCOME_UNKNOWN || e->settled[t])
      continue;
    e->settled[t] = 1;
    for (uint32_t op = m->h->txn_first[t]; op < m->h->txn_first[t + 1]; op++)
      if (op_writes(m->h->kind[op]) && m->first_reader[op] != NO_ID) {
        take_with_key(e, op);
        take_with_key(e, m->first_reader[op]);
      }
  }
}

// A transaction that is there only to come between two others in its session or
// in time may have nothing to show: then anything it did.
static void take_members(struct evidence *e, const struct edge *edges,
                         uint32_t nedges) {
  const struct history *h = e->m->h;
  for (uint32_t i = 0; i < nedges; i++) {
    bool found = false;
    for (uint32_t j = 0; j < e->ops.count; j++)
      found |= e->m->txn_of[e->ops.op[j]] == edges[i].from;
    const uint32_t t = edges[i].from;
    for (uint32_t op = h->txn_first[t]; !found && op < h->txn_first[t + 1];
         op++) {
      take_with_key(e, op);
      take_seen(e, op);
    }
  }
}

// Settles the outcomes, and hands the operations over.
static void finish(struct evidence *e, struct operations *ops) {
  e->settled = xcalloc(e->m->h->ntxns, 1);
  take_outcomes(e);
  free(e->settled);
  operations_sort(&e->ops);
  subhistory_close(e->m->h, &e->ops);
  *ops = e->ops;
}

// Transactions of which those that a cycle rests on are told apart.
enum { TXNS_COUNTED = 64 };

struct txns {
  uint32_t count, ids[TXNS_COUNTED];
};

static void count_txn(struct txns *txns, uint32_t t) {
  uint32_t i = 0;
  while (i < txns->count && txns->ids[i] != t)
    i++;
  if (i == txns->count && i < TXNS_COUNTED)
    txns->ids[txns->count++] = t;
}

// Those from the version that was seen, or overwritten, to the one at the
// edge's other end: they show that it is later.
static void count_versions(const struct model *m, struct txns *txns,
                           const struct edge *edge) {
  const bool rw = edge->kind == EDGE_RW;
  if (!rw && edge->kind != EDGE_WW)
    return;
  const uint32_t first = rw ? m->sees[edge->from_op] : edge->from_op;
  uint32_t version = edge->to_op;
  for (int i = 0; i < TXNS_COUNTED && version != NO_ID && version != first &&
                  !is_initial(m, version);
       i++) {
    count_txn(txns, writer_of(m, version));
    version = m->over[version];
  }
  if (!is_initial(m, first))
    count_txn(txns, writer_of(m, first));
}

// --- Public.

void evidence_of_read(const struct model *m, uint32_t op, uint32_t other_op,
                      struct operations *ops) {
  struct evidence e = {.m = m};
  take_with_key(&e, op);
  take_with_key(&e, other_op);
  take_seen(&e, op);
  take_seen(&e, other_op);
  finish(&e, ops);
}

void evidence_of_cycle(const struct model *m, const struct edge *edges,
                       uint32_t nedges, struct operations *ops) {
  struct evidence e = {.m = m};
  for (uint32_t i = 0; i < nedges; i++)
    take_edge(&e, &edges[i]);
  take_members(&e, edges, nedges);
  finish(&e, ops);
}

uint32_t evidence_txns_of_cycle(const struct model *m, const struct edge *edges,
                                uint32_t nedges) {
  struct txns txns = {0};
  for (uint32_t i = 0; i < nedges; i++) {
    count_txn(&txns, edges[i].from);
    count_versions(m, &txns, &edges[i]);
  }
  return txns.count;
}

void evidence_widen(const struct model *m, struct operations *ops) {
  struct evidence e = {.m = m};
  uint32_t last = NO_ID;
  for (uint32_t i = 0; i < ops->count; i++) {
    const uint32_t t = m->txn_of[ops->op[i]];
    for (uint32_t op = m->h->txn_first[t];
         t != last && op < m->h->txn_first[t + 1]; op++) {
      take(&e, op);
      take_seen(&e, op);
    }
    last = t;
  }
  free(ops->op);
  finish(&e, ops);
}

void evidence_everything(const struct model *m, struct operations *ops) {
  free(ops->op);
  operations_take_all(ops, m->h->nops);
}
