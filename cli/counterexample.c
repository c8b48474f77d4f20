// SPDX-License-Identifier: GPL-3.0-or-later
// Collects the transactions of a counterexample (cli/counterexample.h).
#include "config.h"

#include "cli/counterexample.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

static void take_txn(bool *chosen, const struct history *history, uint32_t op) {
  if (op < history->nops)
    chosen[history_txn(history, op)] = true;
}

uint32_t *counterexample_txns(const struct history *history,
                              const struct verdict *verdict, uint32_t *count) {
  assert(verdict->kind == VERDICT_VIOLATION);
  bool *chosen = xcalloc(history->ntxns, sizeof *chosen);
  for (uint32_t i = 0; i < verdict->nedges; i++)
    chosen[verdict->edges[i].from] = true;
  for (uint32_t i = 0; verdict_by_argument(verdict) && i < verdict->npart; i++)
    take_txn(chosen, history, verdict->part[i]);
  if (verdict->op != UINT32_MAX) {
    take_txn(chosen, history, verdict->op);
    take_txn(chosen, history, verdict->other_op);
  }
  uint32_t *txns = xcalloc(history->ntxns, sizeof *txns);
  *count = 0;
  for (uint32_t t = 0; t < history->ntxns; t++)
    if (chosen[t])
      txns[(*count)++] = t;
  free(chosen);
  return txns;
}
