// SPDX-License-Identifier: GPL-3.0-or-later
// Follows the versions of each row of a part
// (checker/verify/rows/rows_left_out.h).
#include "config.h"

#include "checker/verify/rows/rows_left_out.h"

#include "base/ids.h"
#include "base/memory.h"
#include "checker/verify/levels.h"
#include "checker/verify/rows/condition.h"

#include <assert.h>
#include <stdlib.h>

#define NOTHING UINT32_MAX

// All that a transaction wrote of a row.
struct left_out_row {
  uint32_t key, txn;
  uint32_t first, last;     // operations
  uint32_t first_statement; // that of `first`
  bool stays, goes;         // some of it
  uint32_t next;            // what replaced it, or NOTHING
};

struct leaving {
  const struct rows_left *part;
  const struct history *h;
  struct left_out_row *all;
  uint32_t n, room;
  uint32_t *of_last;  // per operation: of which it is the last, or NOTHING
  uint32_t *begins;   // per key: what replaced its first version, or NOTHING
  uint32_t *count;    // per key: how many there are
  uint8_t *is_shrunk; // per key: some of its versions go
  uint32_t *statements, *txns, nstatements; // of the part, with a condition
  uint32_t *seen;
  struct error *error;
};

static int lacks(const struct leaving *l, const struct left_out_row *row) {
  return error_set(l->error,
                   "the part is none of the history: without what transaction "
                   "%u wrote of key %u",
                   row->txn, row->key);
}

static const struct recorded_statement *statement_at(const struct leaving *l,
                                                     uint32_t s) {
  return &l->h->rows->statements[s];
}

static enum isolation level_of_reader(const struct leaving *l, uint32_t t) {
  return binding_level(l->h, l->part->options, t);
}

// Does the transaction see all that led to what it saw?
static bool sees_causes(const struct leaving *l, uint32_t t) {
  return must_see_causes(level_of_reader(l, t)) ||
         must_see_prefix(level_of_reader(l, t));
}

// --- What was written.

static void note_write(struct leaving *l, uint32_t t, uint32_t s, uint32_t op) {
  const uint32_t key = l->h->key[op];
  uint32_t i = l->n;
  while (i > 0 && l->all[i - 1].txn == t && l->all[i - 1].key != key)
    i--;
  if (i == 0 || l->all[i - 1].txn != t) {
    ARRAY_RESERVE(l->all, l->n, l->room);
    i = ++l->n;
    l->all[i - 1] = (struct left_out_row){.key = key,
                                          .txn = t,
                                          .first = op,
                                          .first_statement = s,
                                          .next = NOTHING};
    l->count[key]++;
  }
  struct left_out_row *row = &l->all[i - 1];
  row->last = op;
  row->stays |= l->part->statement[s] != 0;
  row->goes |= !l->part->statement[s];
  l->is_shrunk[key] |= row->goes;
}

static void note_statement_kept(struct leaving *l, uint32_t t, uint32_t s) {
  const struct recorded_statement *statement = statement_at(l, s);
  if (l->part->statement[s] && statement->condition != NO_CONDITION) {
    l->statements[l->nstatements] = s;
    l->txns[l->nstatements++] = t;
  }
  for (uint32_t op = statement->first; op < statement->end; op++)
    if (l->part->key[l->h->key[op]] && op_writes(l->h->kind[op]))
      note_write(l, t, s, op);
}

static void note_all(struct leaving *l) {
  const struct rows *rows = l->h->rows;
  for (uint32_t t = 0; t < l->h->ntxns; t++)
    for (uint32_t s = rows->txn_statement[t];
         l->part->counted[t] && s < rows->txn_statement[t + 1]; s++)
      note_statement_kept(l, t, s);
  for (uint32_t i = 0; i < l->n; i++)
    l->of_last[l->all[i].last] = i;
}

// --- The order of versions.

// Where what replaced the same version as this row is noted; NULL: the version
// is none that is in the order.
static uint32_t *place_after_replaced(struct leaving *l,
                                      const struct left_out_row *row) {
  const uint32_t saw = l->h->saw[row->first];
  const bool was_absent = !condition_columns(l->h, l->h->nops + row->key);
  if (l->h->kind[row->first] == OP_ROW_INSERT)
    return was_absent ? &l->begins[row->key] : NULL;
  if (saw == SAW_INITIAL)
    return &l->begins[row->key];
  return saw < l->h->nops && l->of_last[saw] != NOTHING
             ? &l->all[l->of_last[saw]].next
             : NULL;
}

// Rows of which versions go must be chains.
static int link_rows(struct leaving *l) {
  for (uint32_t i = 0; i < l->n; i++) {
    struct left_out_row *row = &l->all[i];
    if (!l->is_shrunk[row->key])
      continue;
    uint32_t *place = place_after_replaced(l, row);
    if (l->part->options->question.plain_reads ||
        proves_nothing(level_of_reader(l, row->txn)) ||
        (row->stays && row->goes) || !place || *place != NOTHING)
      return lacks(l, row);
    *place = i;
  }
  return 0;
}

// --- The rules.

static bool stays_on_table(const struct leaving *l, uint32_t t,
                           uint32_t table) {
  const uint32_t *first = l->h->rows->txn_statement;
  bool stays = false;
  for (uint32_t s = first[t]; s < first[t + 1]; s++)
    stays |= l->part->statement[s] && statement_at(l, s)->table == table;
  return stays;
}

static bool is_about(const struct leaving *l, uint32_t s, uint32_t key) {
  const struct recorded_statement *statement = statement_at(l, s);
  bool returned = statement->table != l->h->rows->key_table[key];
  for (uint32_t op = statement->first; op < statement->end; op++)
    returned |= l->h->key[op] == key;
  return !returned;
}

// May every statement of the part have missed the version, which goes, by
// having read the one before?
static bool may_go(const struct leaving *l, const struct left_out_row *row,
                   uint32_t before) {
  if (stays_on_table(l, row->txn, l->h->rows->key_table[row->key]))
    return false;
  for (uint32_t i = 0; i < l->nstatements; i++) {
    const uint32_t s = l->statements[i];
    if (!is_about(l, s, row->key) ||
        condition_finds(l->h, statement_at(l, s), row->key, row->last))
      continue;
    if (condition_finds(l->h, statement_at(l, s), row->key, before) ||
        !sees_causes(l, l->txns[i]))
      return false;
  }
  return true;
}

// May it have replaced the version before, which it did not?
static bool may_have_replaced(const struct leaving *l,
                              const struct left_out_row *row, uint32_t before) {
  const struct recorded_statement *s = statement_at(l, row->first_statement);
  bool is_last = must_see_earlier_reads(level_of_reader(l, row->txn));
  for (uint32_t later = row->first_statement + 1;
       later < l->h->rows->txn_statement[row->txn + 1]; later++)
    is_last &= !l->part->statement[later];
  return op_reads(l->h->kind[row->first]) &&
         condition_met(l->h, s, row->first, before) &&
         (before >= l->h->nops || is_last || sees_causes(l, row->txn));
}

static int follow(struct leaving *l, uint32_t key) {
  uint32_t before = l->h->nops + key, just_before = before, met = 0;
  for (uint32_t i = l->begins[key]; i != NOTHING; i = l->all[i].next, met++) {
    const struct left_out_row *row = &l->all[i];
    if (row->goes ? !may_go(l, row, before)
                  : before != just_before && !may_have_replaced(l, row, before))
      return lacks(l, row);
    just_before = row->last;
    if (row->goes)
      continue;
    l->seen[row->first] = before;
    before = row->last;
  }
  return met == l->count[key]
             ? 0
             : error_set(l->error,
                         "the part is none of the history: the "
                         "versions of key %u have no order",
                         key);
}

uint32_t *rows_seen_in_part(const struct rows_left *part, struct error *error) {
  const struct history *h = part->h;
  const uint32_t nstatements = h->rows->nstatements;
  struct leaving l = {.part = part,
                      .h = h,
                      .of_last = ids_none(h->nops),
                      .begins = ids_none(h->nkeys),
                      .count = xcalloc(h->nkeys, sizeof *l.count),
                      .is_shrunk = xcalloc(h->nkeys, 1),
                      .statements = xmalloc(nstatements * sizeof(uint32_t)),
                      .txns = xmalloc(nstatements * sizeof(uint32_t)),
                      .seen = ids_none(h->nops),
                      .error = error};
  note_all(&l);
  int result = link_rows(&l);
  for (uint32_t key = 0; key < h->nkeys && !result; key++)
    if (l.is_shrunk[key])
      result = follow(&l, key);
  FREE_EACH(l.all, l.of_last, l.begins, l.count, l.is_shrunk, l.statements,
            l.txns);
  if (result) {
    free(l.seen);
    l.seen = NULL;
  }
  return l.seen;
}
