// SPDX-License-Identifier: GPL-3.0-or-later
// Statements whose rows are wrong whatever the commit order
// (checker/rows/engine.h).
#include "config.h"

#include "checker/rows/engine.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define NO_OP UINT32_MAX

struct returned_judging {
  const struct history *h;
  const uint8_t *counted;
  bool by_items, plain_reads; // as in struct check_options
  uint32_t *own;     // per key: the last write of the transaction, or NO_OP
  struct ids wrote;  // keys with such a write
  uint32_t *came_in; // per key: the last statement that had an operation on it
};

// Does the statement find this version?  One without a condition, which
// inserts, finds that there is no row.
static bool finds(const struct history *h, uint32_t statement, uint32_t key,
                  uint32_t version) {
  const int64_t *row = rows_version(h, version);
  return h->rows->statements[statement].condition == NO_CONDITION
             ? row == NULL
             : rows_satisfies(h, statement, key, row);
}

static bool op_shows_version(const struct history *h, uint32_t op,
                             uint32_t version) {
  const int64_t *shown = rows_image(h->rows, h->rows->image[op]);
  const int64_t *is = rows_version(h, version);
  const uint32_t table = h->rows->key_table[h->key[op]];
  return h->kind[op] != OP_ROW || !shown ||
         (is &&
          !memcmp(is, shown, h->rows->tables[table].ncolumns * sizeof *is));
}

// A version that is in the history, whoever wrote it.
static uint32_t version_returned(const struct history *h, uint32_t op) {
  return h->saw[op] == SAW_INITIAL ? h->nops + h->key[op] : h->saw[op];
}

// Did a transaction that counts, and not this one, write the version as its
// last of the key?  Where the registers do not show that.
static bool was_committed(const struct returned_judging *j, uint32_t t,
                          uint32_t version) {
  const struct history *h = j->h;
  if (version >= h->nops)
    return version < h->nops + h->nkeys;
  const uint32_t writer = history_txn(h, version);
  bool is_last = j->counted[writer] && writer != t;
  for (uint32_t op = version + 1; op < h->txn_first[writer + 1]; op++)
    is_last &= h->key[op] != h->key[version] || !op_writes(h->kind[op]);
  return is_last;
}

// Are the rows right that a statement found as they were committed last?
static bool latest_are_right(const struct returned_judging *j, uint32_t s) {
  const struct history *h = j->h;
  const struct recorded_statement *statement = &h->rows->statements[s];
  bool right = true;
  for (uint32_t op = statement->first; op < statement->end && right; op++)
    if (op_reads(h->kind[op]) && j->own[h->key[op]] == NO_OP)
      right = was_committed(j, history_txn(h, op), version_returned(h, op));
  return right;
}

static bool row_is_right(const struct returned_judging *j, uint32_t s,
                         uint32_t op) {
  const struct history *h = j->h;
  const uint32_t key = h->key[op], own = j->own[key];
  if (!op_reads(h->kind[op]))
    return own == NO_OP || finds(h, s, key, own);
  const uint32_t version = version_returned(h, op);
  if (version >= h->nops + h->nkeys) // the registers show that
    return true;
  const bool upserts = h->rows->statements[s].condition == NO_CONDITION;
  return (own == NO_OP || version == own) && op_shows_version(h, op, version) &&
         (upserts ? rows_version(h, version) != NULL
                  : finds(h, s, key, version));
}

// The rows that the transaction wrote before and the statement did not return.
static bool own_rows_are_right(const struct returned_judging *j, uint32_t s) {
  const struct history *h = j->h;
  const struct recorded_statement *statement = &h->rows->statements[s];
  const bool binds = statement->condition != NO_CONDITION && !j->by_items;
  for (uint32_t i = 0; binds && i < j->wrote.count; i++) {
    const uint32_t key = j->wrote.items[i];
    if (j->came_in[key] != s && h->rows->key_table[key] == statement->table &&
        finds(h, s, key, j->own[key]))
      return false;
  }
  return true;
}

static bool statement_is_right(struct returned_judging *j, uint32_t s) {
  const struct history *h = j->h;
  const struct recorded_statement *statement = &h->rows->statements[s];
  for (uint32_t op = statement->first; op < statement->end; op++) {
    if (j->came_in[h->key[op]] == s || !row_is_right(j, s, op))
      return false;
    j->came_in[h->key[op]] = s;
  }
  if (!own_rows_are_right(j, s) ||
      (j->plain_reads &&
       statement_may_read_latest((enum statement_sort)statement->sort) &&
       !latest_are_right(j, s)))
    return false;
  for (uint32_t op = statement->first; op < statement->end; op++)
    if (op_writes(h->kind[op])) {
      if (j->own[h->key[op]] == NO_OP)
        ids_add(&j->wrote, h->key[op]);
      j->own[h->key[op]] = op;
    }
  return true;
}

uint32_t rows_wrong_statement(const struct history *h, const uint8_t *counted,
                              const struct check_options *options) {
  struct returned_judging j = {.h = h,
                               .counted = counted,
                               .by_items = options->question.by_items,
                               .plain_reads = options->question.plain_reads,
                               .own = ids_none(h->nkeys),
                               .came_in = ids_none(h->nkeys)};
  uint32_t wrong = UINT32_MAX;
  for (uint32_t t = 0; t < h->ntxns && wrong == UINT32_MAX; t++) {
    for (uint32_t s = h->rows->txn_statement[t];
         counted[t] && s < h->rows->txn_statement[t + 1] && wrong == UINT32_MAX;
         s++)
      wrong = statement_is_right(&j, s) ? UINT32_MAX : s;
    while (j.wrote.count)
      j.own[j.wrote.items[--j.wrote.count]] = NO_OP;
  }
  free(j.own);
  free(j.came_in);
  free(j.wrote.items);
  return wrong;
}
