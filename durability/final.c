// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the final reads of a history (durability/final.h).
#include "config.h"

#include "durability/final.h"

#include "base/memory.h"

#include <stdlib.h>

// SELECTs of final reads that are looked at: a run ends with one for each table
// and host.
enum { MOST_STATEMENTS = 256 };

static bool has_any_write(const struct history *h, uint32_t txn) {
  for (uint32_t op = h->txn_first[txn]; op < h->txn_first[txn + 1]; op++)
    if (op_writes(h->kind[op]))
      return true;
  return false;
}

// When the last transaction that committed a write had ended.
static uint64_t end_of_writing(const struct history *h) {
  uint64_t end = 0;
  for (uint32_t t = 0; t < h->ntxns; t++)
    if (h->outcome[t] == OUTCOME_OK && h->end[t] > end && has_any_write(h, t))
      end = h->end[t];
  return end;
}

// ---- Writers

static uint64_t end_if_committed(const struct history *h, uint32_t txn) {
  return h->outcome[txn] == OUTCOME_OK ? h->end[txn] : TIME_UNKNOWN;
}

// Keeps the two transactions that ended last.
static void note_last_writer(struct final_key *key, uint32_t txn,
                             uint64_t end) {
  if (key->writer == txn)
    return;
  if (key->writer == UINT32_MAX || end > key->writer_end) {
    key->other_end = key->writer == UINT32_MAX ? 0 : key->writer_end;
    key->writer = txn;
    key->writer_end = end;
  } else if (end > key->other_end) {
    key->other_end = end;
  }
}

static void note_last_writers(struct final *f) {
  const struct history *h = f->history;
  for (uint32_t t = 0; t < h->ntxns; t++)
    for (uint32_t op = h->txn_first[t];
         h->outcome[t] != OUTCOME_ABORTED && op < h->txn_first[t + 1]; op++)
      if (op_writes(h->kind[op]))
        note_last_writer(&f->keys[h->key[op]], t, end_if_committed(h, t));
}

// ---- Reads

static void note_final_version(struct final *f, uint32_t key, uint32_t saw) {
  const struct history *h = f->history;
  struct final_key *k = &f->keys[key];
  k->read = true;
  if (saw == SAW_INITIAL)
    return;
  const uint64_t end =
      saw < h->nops ? end_if_committed(h, history_txn(h, saw)) : TIME_UNKNOWN;
  if (end > k->latest)
    k->latest = end;
  if (saw < h->nops)
    f->seen[saw] = 1;
  // A value that was written twice may be of any of its writers.
  for (uint32_t v = saw; saw < h->nops && h->again;) {
    v = h->again[v];
    if (v == saw)
      break;
    k->latest = TIME_UNKNOWN;
    if (v < h->nops)
      f->seen[v] = 1;
  }
}

static void note_final_list(struct final *f, uint32_t key, uint32_t list) {
  const struct history *h = f->history;
  struct final_key *k = &f->keys[key];
  if (k->list == NO_LIST || h->list[list].count > h->list[k->list].count)
    k->list = list;
  for (uint32_t i = h->list[list].first; i < history_list_end(h, list); i++)
    if (h->element[i] < h->nops)
      f->seen[h->element[i]] = 1;
}

static void note_final_statements(struct final *f, uint32_t txn) {
  const struct rows *rows = f->history->rows;
  for (uint32_t s = rows->txn_statement[txn];
       s < rows->txn_statement[txn + 1] && f->nstatements < MOST_STATEMENTS;
       s++)
    if (rows->statements[s].sort == STATEMENT_SELECT)
      f->statements[f->nstatements++] = s;
}

static void note_final_reads(struct final *f, uint32_t txn) {
  const struct history *h = f->history;
  f->ntransactions++;
  for (uint32_t op = h->txn_first[txn]; op < h->txn_first[txn + 1]; op++)
    if (h->kind[op] == OP_READ_LIST)
      note_final_list(f, h->key[op], h->saw[op]);
    else if (op_reads(h->kind[op]))
      note_final_version(f, h->key[op], h->saw[op]);
  if (h->rows)
    note_final_statements(f, txn);
}

void final_find(struct final *final, const struct history *history) {
  const uint64_t written = end_of_writing(history);
  *final = (struct final){
      .history = history,
      .keys = xcalloc((size_t)history->nkeys + 1, sizeof *final->keys),
      .seen = xcalloc((size_t)history->nops + 1, 1),
      .statements = xcalloc(MOST_STATEMENTS, sizeof *final->statements)};
  for (uint32_t k = 0; k < history->nkeys; k++) {
    final->keys[k].list = NO_LIST;
    final->keys[k].writer = UINT32_MAX;
  }
  note_last_writers(final);
  for (uint32_t t = 0; t < history->ntxns; t++)
    if (history->outcome[t] == OUTCOME_OK &&
        history->begin[t] != TIME_UNKNOWN && history->begin[t] > written)
      note_final_reads(final, t);
}

void final_free(struct final *final) {
  FREE_EACH(final->keys, final->seen, final->statements);
}

// The row as the operation wrote it or, if it deleted the row, found it; NULL:
// not known.
static const int64_t *image_to_look_for(const struct history *h, uint32_t op) {
  const uint32_t saw = h->saw[op];
  if (op_leaves_row(h->kind[op]))
    return rows_image(h->rows, h->rows->image[op]);
  return saw == SAW_INITIAL ? rows_version(h, h->nops + h->key[op])
         : saw < h->nops    ? rows_version(h, saw)
                            : NULL;
}

bool final_looks_for_row(const struct final *final, uint32_t op) {
  const struct history *h = final->history;
  const struct rows *rows = h->rows;
  const uint32_t key = h->key[op];
  const int64_t *image = image_to_look_for(h, op);
  for (uint32_t i = 0; i < final->nstatements; i++) {
    const uint32_t s = final->statements[i];
    const struct recorded_statement *is = &rows->statements[s];
    if (is->table != rows->key_table[key])
      continue;
    if (is->condition == NO_CONDITION ||
        (image && rows_satisfies(h, s, key, image)))
      return true;
  }
  return false;
}
