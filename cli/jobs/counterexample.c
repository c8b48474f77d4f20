// SPDX-License-Identifier: GPL-3.0-or-later
// Collects the operations of a counterexample (cli/jobs/counterexample.h).
#include "config.h"

#include "cli/jobs/counterexample.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

// Is it told of itself, and not only as the writer of what others read?
static bool is_told(const struct history *h, const struct verdict *v,
                    uint32_t txn) {
  for (uint32_t i = 0; i < v->nedges; i++)
    if (v->edges[i].from == txn)
      return true;
  return verdict_by_argument(v) ||
         (v->op < h->nops && history_txn(h, v->op) == txn) ||
         (v->other_op < h->nops && history_txn(h, v->other_op) == txn);
}

// Did nobody else of the part see an older version of the key, or another one
// of a transaction that is left out, too?
static bool can_be_initial(const struct history *h, const struct verdict *v,
                           uint32_t write) {
  for (uint32_t i = 0; i < v->npart; i++) {
    const uint32_t op = v->part[i];
    if (h->key[op] != h->key[write] || !op_reads(h->kind[op]) ||
        h->saw[op] == write)
      continue;
    if (h->saw[op] >= h->nops || !is_told(h, v, history_txn(h, h->saw[op])))
      return false;
  }
  return true;
}

static bool is_needed(const struct history *h, const struct verdict *v,
                      uint32_t txn) {
  bool needed = is_told(h, v, txn) || h->outcome[txn] != OUTCOME_OK;
  for (uint32_t i = 0; i < v->npart && !needed; i++)
    if (history_txn(h, v->part[i]) == txn)
      needed =
          h->kind[v->part[i]] != OP_WRITE || !can_be_initial(h, v, v->part[i]);
  return needed;
}

uint32_t *counterexample_ops(const struct history *history,
                             const struct verdict *verdict, uint32_t *count) {
  assert(verdict->kind == VERDICT_VIOLATION);
  uint32_t *ops = xcalloc(verdict->npart, sizeof *ops);
  *count = 0;
  for (uint32_t i = 0; i < verdict->npart; i++)
    if (is_needed(history, verdict, history_txn(history, verdict->part[i])))
      ops[(*count)++] = verdict->part[i];
  return ops;
}
