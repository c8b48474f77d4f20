// SPDX-License-Identifier: GPL-3.0-or-later
// Two looks of a transaction at one row, as edges (report/reread.h).  Each
// UPDATE of a row says which version it replaced, so that the versions tell
// their own order.
//
//   T1 reads v0    T2 makes v1 of v0, and commits    T1 makes v2 of v1
//
// T1 read what T2 replaced, so T1 comes before T2; it replaced what T2 wrote,
// so T2 comes before T1.
#include "config.h"

#include "report/reread.h"

#include <assert.h>

static uint32_t version_seen(const struct history *h, uint32_t op) {
  return h->saw[op] == SAW_INITIAL ? h->nops + h->key[op] : h->saw[op];
}

// Was the later version made from the earlier one, at once or by way of others?
// Each step leads to another operation; no more steps than operations are a
// circle.
static bool is_made_from(const struct history *h, uint32_t later,
                         uint32_t earlier) {
  for (uint32_t steps = 0; steps < h->nops && later < h->nops; steps++) {
    if (!op_reads(h->kind[later]))
      return false;
    later = version_seen(h, later);
    if (later == earlier)
      return true;
  }
  return false;
}

static bool is_of_that_kind(const struct history *h, const struct verdict *v) {
  return (v->anomaly == ANOMALY_LOST_UPDATE ||
          v->anomaly == ANOMALY_NON_REPEATABLE_READS) &&
         v->op < h->nops && v->other_op < h->nops &&
         op_is_row(h->kind[v->op]) && op_is_row(h->kind[v->other_op]);
}

bool reread_edges(const struct history *h, const struct verdict *v,
                  struct edge edges[REREAD_EDGES]) {
  if (!is_of_that_kind(h, v))
    return false;
  const uint32_t reader = history_txn(h, v->op), change = h->saw[v->op];
  if (change >= h->nops ||
      !is_made_from(h, change, version_seen(h, v->other_op)))
    return false;
  const uint32_t writer = history_txn(h, change);
  assert(writer != reader);
  edges[0] = (struct edge){EDGE_RW, reader, writer, v->other_op, change};
  edges[1] = (struct edge){EDGE_WR, writer, reader, change, v->op};
  return true;
}
