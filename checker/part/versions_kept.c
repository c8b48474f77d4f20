// SPDX-License-Identifier: GPL-3.0-or-later
// The rules of checker/part/rows_cut.h, of the versions of a row that is a
// chain: each pass keeps what a rule wants, until none wants more.
#include "config.h"

#include "checker/part/versions_kept.h"

#include "base/ids.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

struct pass {
  const struct keeping *k;
  // By table: the statements that stay and have a condition, and their
  // transactions.
  struct ids *statements, *txns;
  uint8_t *seen; // per operation: who stays and did not replace it read it
  struct replacements *replaced;
  bool more;
};

// --- Statements.

static const struct recorded_statement *statement_in_pass(const struct pass *p,
                                                          uint32_t s) {
  return &p->k->h->rows->statements[s];
}

// The statement of the transaction that the operation belongs to.
static uint32_t statement_of_op(const struct pass *p, uint32_t t, uint32_t op) {
  uint32_t s = p->k->h->rows->txn_statement[t];
  while (statement_in_pass(p, s)->end <= op)
    s++;
  assert(s < p->k->h->rows->txn_statement[t + 1]);
  return s;
}

static bool has_op_on(const struct pass *p, uint32_t s, uint32_t key) {
  uint32_t op = statement_in_pass(p, s)->first;
  while (op < statement_in_pass(p, s)->end && p->k->h->key[op] != key)
    op++;
  return op < statement_in_pass(p, s)->end;
}

static bool txn_stays_on_table(const struct pass *p, uint32_t t,
                               uint32_t table) {
  const struct rows *rows = p->k->h->rows;
  bool stays = false;
  for (uint32_t s = rows->txn_statement[t]; s < rows->txn_statement[t + 1]; s++)
    stays |= p->k->statement[s] && statement_in_pass(p, s)->table == table;
  return stays;
}

static enum isolation level_of_kept(const struct pass *p, uint32_t t) {
  return p->k->options->question.recorded ? (enum isolation)p->k->h->level[t]
                                          : p->k->options->question.level;
}

// --- What the statements that stay need.

// Is it what the transaction did first of all that it wrote of the row?
static bool is_first_write_of_row(const struct pass *p, uint32_t t,
                                  uint32_t op) {
  const struct history *h = p->k->h;
  uint32_t o = h->txn_first[t];
  while (o < op && !(h->key[o] == h->key[op] && op_writes(h->kind[o])))
    o++;
  return o == op && op_writes(h->kind[op]);
}

static void note_statement_reads(struct pass *p, uint32_t t, uint32_t s) {
  const struct history *h = p->k->h;
  for (uint32_t op = statement_in_pass(p, s)->first;
       op < statement_in_pass(p, s)->end; op++)
    if (p->k->key[h->key[op]] && op_reads(h->kind[op]) &&
        h->saw[op] < h->nops && !is_first_write_of_row(p, t, op))
      p->seen[h->saw[op]] = 1;
}

static void note_statements(struct pass *p) {
  const struct rows *rows = p->k->h->rows;
  for (uint32_t t = 0; t < p->k->h->ntxns; t++)
    for (uint32_t s = rows->txn_statement[t];
         p->k->counted[t] && s < rows->txn_statement[t + 1]; s++) {
      if (!p->k->statement[s])
        continue;
      note_statement_reads(p, t, s);
      if (statement_in_pass(p, s)->condition == NO_CONDITION)
        continue;
      ids_add(&p->statements[statement_in_pass(p, s)->table], s);
      ids_add(&p->txns[statement_in_pass(p, s)->table], t);
    }
}

static void keep_version(struct pass *p, const struct row_version *v) {
  const struct history *h = p->k->h;
  const uint32_t key = h->key[v->first], *first = h->rows->txn_statement;
  for (uint32_t s = first[v->txn]; s < first[v->txn + 1]; s++)
    for (uint32_t op = statement_in_pass(p, s)->first;
         op < statement_in_pass(p, s)->end && !p->k->statement[s]; op++)
      if (h->key[op] == key && op_writes(h->kind[op])) {
        p->k->statement[s] = 1;
        p->more = true;
      }
}

// Rule 1: also what others should not have seen, since it was not the last.
static bool was_row_version_read(const struct pass *p,
                                 const struct row_version *v) {
  bool read = false;
  for (uint32_t op = v->first; op <= v->last; op++)
    read |= p->seen[op] && p->k->h->key[op] == p->k->h->key[v->first];
  return read;
}

// Rule 2, of the statements that did not return the row.
static bool may_be_missed(const struct pass *p, const struct row_version *v,
                          uint32_t before) {
  const struct history *h = p->k->h;
  const uint32_t key = h->key[v->first], table = h->rows->key_table[key];
  const int64_t *row = rows_version(h, v->last),
                *row_before = rows_version(h, before);
  for (uint32_t i = 0; i < p->statements[table].count; i++) {
    const uint32_t s = p->statements[table].items[i];
    if (rows_satisfies(h, s, key, row) || has_op_on(p, s, key))
      continue;
    if (rows_satisfies(h, s, key, row_before) ||
        level_of_kept(p, p->txns[table].items[i]) < ISOLATION_CC)
      return false;
  }
  return true;
}

// Rules 1 and 3, of who replaced the version before its own.
static bool may_replace(const struct pass *p, const struct row_version *v,
                        uint32_t before) {
  const struct history *h = p->k->h;
  const uint32_t s = statement_of_op(p, v->txn, v->first);
  const uint32_t key = h->key[v->first];
  const int64_t *row = rows_version(h, before);
  const bool finds = statement_in_pass(p, s)->condition == NO_CONDITION
                         ? row != NULL
                         : rows_satisfies(h, s, key, row);
  bool ends = level_of_kept(p, v->txn) == ISOLATION_RC;
  for (uint32_t later = s + 1; later < h->rows->txn_statement[v->txn + 1];
       later++)
    ends &= !p->k->statement[later];
  return finds && h->kind[v->first] != OP_ROW_INSERT &&
         (ends || before >= h->nops ||
          level_of_kept(p, v->txn) >= ISOLATION_CC);
}

static void replace_version(struct pass *p, uint32_t op, uint32_t before) {
  struct replacements *r = p->replaced;
  ARRAY_RESERVE(r->items, r->count, r->room);
  r->items[r->count++] =
      (struct replacement){op, before < p->k->h->nops ? before : SAW_INITIAL};
}

static void keep_chain(struct pass *p, uint32_t key) {
  const struct history *h = p->k->h;
  const struct row_versions *all = p->k->versions;
  uint32_t before = h->nops + key, saw = before;
  for (uint32_t i = all->first[key]; i < all->first[key + 1]; i++) {
    const struct row_version *v = &all->versions[i];
    const uint32_t just_before = saw;
    saw = v->last;
    if (!was_row_version_read(p, v) &&
        !txn_stays_on_table(p, v->txn, h->rows->key_table[key]) &&
        may_be_missed(p, v, before))
      continue;
    keep_version(p, v);
    if (before != just_before && !may_replace(p, v, before))
      keep_version(p, &all->versions[i - 1]);
    else if (before != just_before)
      replace_version(p, v->first, before);
    before = v->last;
  }
}

static void keep_all(struct pass *p, uint32_t key) {
  const struct row_versions *all = p->k->versions;
  for (uint32_t i = all->first[key]; i < all->first[key + 1]; i++)
    keep_version(p, &all->versions[i]);
}

static int by_operation_id(const void *a, const void *b) {
  const struct replacement *x = a, *y = b;
  return (x->op > y->op) - (x->op < y->op);
}

bool versions_keep(const struct keeping *k, struct replacements *replaced) {
  const struct rows *rows = k->h->rows;
  struct pass p = {
      .k = k,
      .statements = xcalloc(rows->ntables, sizeof *p.statements),
      .txns = xcalloc(rows->ntables, sizeof *p.txns),
      .seen = xcalloc(k->h->nops, 1),
      .replaced = replaced,
  };
  replaced->count = 0;
  note_statements(&p);
  for (uint32_t key = 0; key < k->h->nkeys; key++)
    if (k->key[key] && k->versions->is_chain[key])
      keep_chain(&p, key);
    else if (k->key[key])
      keep_all(&p, key);
  if (replaced->count)
    qsort(replaced->items, replaced->count, sizeof *replaced->items,
          by_operation_id);
  for (uint32_t table = 0; table < rows->ntables; table++)
    FREE_EACH(p.statements[table].items, p.txns[table].items);
  FREE_EACH(p.statements, p.txns, p.seen);
  return p.more;
}

uint32_t replacement_of(const struct replacements *r, uint32_t op,
                        uint32_t saw) {
  uint32_t low = 0, high = r->count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (r->items[middle].op < op)
      low = middle + 1;
    else
      high = middle;
  }
  return low < r->count && r->items[low].op == op ? r->items[low].saw : saw;
}
