// SPDX-License-Identifier: GPL-3.0-or-later
// Collects the operations of a counterexample (cli/jobs/counterexample.h).
#include "config.h"

#include "cli/jobs/counterexample.h"

#include "base/memory.h"
#include "recorder/rows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// Is it told of itself, and not only as the writer of what others read?
static bool is_operation_told(const struct history *h, const struct verdict *v,
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
        h->saw[op] == write || history_txn(h, op) == history_txn(h, write))
      continue;
    if (h->saw[op] >= h->nops ||
        !is_operation_told(h, v, history_txn(h, h->saw[op])))
      return false;
  }
  return true;
}

// Can it leave something that can be there from the beginning instead?
static bool only_writes(uint8_t kind) {
  return kind == OP_WRITE || kind == OP_ROW_INSERT || kind == OP_ROW_UPDATE;
}

static bool is_needed(const struct history *h, const struct verdict *v,
                      uint32_t txn) {
  bool needed = is_operation_told(h, v, txn) || h->outcome[txn] != OUTCOME_OK;
  for (uint32_t i = 0; i < v->npart && !needed; i++)
    if (history_txn(h, v->part[i]) == txn)
      needed = !only_writes(h->kind[v->part[i]]) ||
               !can_be_initial(h, v, v->part[i]);
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

static void choose_statement_of(const struct history *h, uint32_t op,
                                struct counterexample_statements *chosen) {
  const struct rows *rows = h->rows;
  const uint32_t txn = history_txn(h, op);
  for (uint32_t s = rows->txn_statement[txn]; s < rows->txn_statement[txn + 1];
       s++)
    chosen->statement[s] |=
        op >= rows->statements[s].first && op < rows->statements[s].end;
  chosen->key[h->key[op]] = 1;
}

bool counterexample_is_reread(const struct history *h,
                              const struct verdict *v) {
  return (v->anomaly == ANOMALY_LOST_UPDATE ||
          v->anomaly == ANOMALY_NON_REPEATABLE_READS) &&
         v->op < h->nops && v->other_op < h->nops &&
         op_is_row(h->kind[v->op]) && h->saw[v->op] < h->nops;
}

// Two looks at a row, and the change between them: the row begins as the first
// look found it.  Who made the change had mostly read the row as well, which
// may be told if it read the same.
static bool choose_of_reread(const struct history *h, const struct verdict *v,
                             struct counterexample_statements *chosen) {
  if (!counterexample_is_reread(h, v))
    return false;
  const uint32_t change = h->saw[v->op];
  choose_statement_of(h, v->other_op, chosen);
  choose_statement_of(h, v->op, chosen);
  choose_statement_of(h, change, chosen);
  for (uint32_t op = h->txn_first[history_txn(h, change)]; op < change; op++)
    if (h->key[op] == h->key[change] && h->saw[op] == h->saw[v->other_op])
      choose_statement_of(h, op, chosen);
  return true;
}

void counterexample_choose_statements(
    const struct history *history, const struct verdict *verdict,
    struct counterexample_statements *chosen) {
  assert(verdict->kind == VERDICT_VIOLATION && history->rows);
  const struct history *h = verdict->rows_part ? verdict->rows_part : history;
  *chosen = (struct counterexample_statements){
      .history = h,
      .statement = xcalloc((size_t)h->rows->nstatements + 1, 1),
      .key = xcalloc((size_t)h->nkeys + 1, 1)};
  if (verdict->tried) {
    memset(chosen->statement, 1, h->rows->nstatements);
    memset(chosen->key, 1, h->nkeys);
    return;
  }
  if (choose_of_reread(h, verdict, chosen))
    return;
  uint32_t nops;
  uint32_t *ops = counterexample_ops(h, verdict, &nops);
  for (uint32_t i = 0; i < nops; i++)
    choose_statement_of(h, ops[i], chosen);
  free(ops);
}
