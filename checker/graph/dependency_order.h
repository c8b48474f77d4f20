// SPDX-License-Identifier: GPL-3.0-or-later
// Puts the transactions in an order that keeps all known edges, as near to the
// recorded times as these allow; or finds where that is impossible.
#ifndef CHECKER_GRAPH_DEPENDENCY_ORDER_H
#define CHECKER_GRAPH_DEPENDENCY_ORDER_H

#include "checker/model/model.h"

// An edge that closed a cycle.  With snapshots, RW leads from a snapshot to a
// commit and all others from a commit to a snapshot; `from` equal to `to` then
// is the step of that transaction from its snapshot to its commit.
struct back_edge {
  uint32_t from, to; // transactions
  bool rw;           // with snapshots: the edge is an RW one
};

enum { ORDER_MAX_BACK_EDGES = 1 << 16 };

struct order {
  uint32_t n;
  uint32_t *txn;      // all that count, in commit order
  uint32_t *snapshot; // as in struct verdict; NULL without snapshots

  // None if all edges are kept.  Every cycle has one of these edges, unless
  // there were too many to keep.
  struct back_edge *back;
  uint32_t nback, room;

  // The shortest cycle that was met: events, each of which leads to the next
  // and the last to the first.  An event is a transaction t; with snapshots 2t
  // for its snapshot and 2t + 1 for its commit.
  uint32_t *cycle;
  uint32_t ncycle;

  bool stopped; // the model was
};

// `snapshots`: the edges of SI over two events, else those of SER over one.
void order_build(struct order *order, const struct model *m, bool snapshots);
void order_free(struct order *order);

// Was the order of transactions that append to one list, and were never read,
// left open with snapshots that overlap?
bool order_tails_overlap(const struct model *m, const struct order *order);

// Per place of the order, and one more: the first end of the transactions from
// there on.  To be freed.
uint64_t *order_first_ends(const struct history *h, const struct order *order);

// Had a transaction ended before the one at place i began that commits after
// its commit, or with snapshots after its snapshot?  See dependency_order.c for
// why one of its followers then ended before it began.
bool order_contradicts_time(const struct history *h, const struct order *order,
                            const uint64_t *first_ends, uint32_t i);
bool order_keeps_real_time(const struct history *h, const struct order *order);

#endif
