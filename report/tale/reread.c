// SPDX-License-Identifier: GPL-3.0-or-later
// Two looks of a transaction at one row, as edges (report/tale/reread.h).  Each
// UPDATE of a row says which version it replaced, so that the versions tell
// their own order.
//
//   T1 reads v0    T2 makes v1 of v0, and commits    T1 makes v2 of v1
//
// T1 read what T2 replaced, so T1 comes before T2; it replaced what T2 wrote,
// so T2 comes before T1.
#include "config.h"

#include "report/tale/reread.h"

#include <assert.h>

static uint32_t version_of_look(const struct history *h, uint32_t op) {
  return h->saw[op] == SAW_INITIAL ? h->nops + h->key[op] : h->saw[op];
}

// Was the later version made from the earlier one, at once or by way of others?
// Each step leads to another operation; no more steps than operations are a
// circle.
static bool version_is_made_from(const struct history *h, uint32_t later,
                                 uint32_t earlier) {
  for (uint32_t steps = 0; steps < h->nops && later < h->nops; steps++) {
    if (!op_reads(h->kind[later]))
      return false;
    later = version_of_look(h, later);
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
      !version_is_made_from(h, change, version_of_look(h, v->other_op)))
    return false;
  const uint32_t writer = history_txn(h, change);
  assert(writer != reader);
  edges[0] = (struct edge){EDGE_RW, reader, writer, v->other_op, change};
  edges[1] = (struct edge){EDGE_WR, writer, reader, change, v->op};
  return true;
}

// Does the operation write over a change, by another transaction, of the row
// that its own had read before?
static bool writes_over_change(const struct history *h, uint32_t op) {
  const uint32_t txn = history_txn(h, op);
  bool over = false;
  if (!op_is_row(h->kind[op]) || !op_writes(h->kind[op]) ||
      !op_reads(h->kind[op]) || h->saw[op] >= h->nops ||
      history_txn(h, h->saw[op]) == txn)
    return false;
  for (uint32_t o = h->txn_first[txn]; o < op; o++)
    over |= h->key[o] == h->key[op] && op_reads(h->kind[o]) &&
            h->saw[o] != h->saw[op];
  return over;
}

// That of the violation, in the history or in the part of it that is shown;
// the number of operations: there is none.
static uint32_t lost_by(const struct history *h, const struct verdict *v) {
  if (h != v->rows_part)
    return v->op < h->nops && writes_over_change(h, v->op) ? v->op : h->nops;
  uint32_t op = 0;
  while (op < h->nops && !writes_over_change(h, op))
    op++;
  return op;
}

bool reread_may_add(const struct history *history, const struct verdict *v,
                    int64_t *found, int64_t *left) {
  const struct history *h = v->rows_part ? v->rows_part : history;
  if (v->anomaly != ANOMALY_LOST_UPDATE || history->about || !h->rows)
    return false;
  const uint32_t op = lost_by(h, v);
  if (op == h->nops)
    return false;
  const uint32_t table = h->rows->key_table[h->key[op]];
  const int64_t *was = rows_version(h, h->saw[op]);
  const int64_t *is = rows_version(h, op);
  uint32_t c = 0;
  while (was && is && c < h->rows->tables[table].ncolumns && was[c] == is[c])
    c++;
  if (!was || !is || c == h->rows->tables[table].ncolumns)
    return false;
  *found = was[c];
  *left = is[c];
  return true;
}
