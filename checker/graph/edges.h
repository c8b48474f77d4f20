// SPDX-License-Identifier: GPL-3.0-or-later
// The edges that leave a transaction, derived from the model.
#ifndef CHECKER_GRAPH_EDGES_H
#define CHECKER_GRAPH_EDGES_H

#include "checker/model/model.h"

// Calls `visit` for each edge that leaves transaction t, until it returns
// false.  Of a WW edge to a transaction that also read the version, only the WR
// edge is shown.  The model's overwriters are linked.
typedef bool edge_visitor(void *context, const struct edge *edge);
void for_each_edge(const struct model *m, uint32_t t, edge_visitor *visit,
                   void *context);

// The write of transaction t that comes right after the version, or NO_ID.
static inline uint32_t overwriter_in(const struct model *m, uint32_t version,
                                     uint32_t t) {
  for (uint32_t op = m->h->txn_first[t]; op < m->h->txn_first[t + 1]; op++)
    if (m->over[op] == version)
      return op;
  return NO_ID;
}

#endif
