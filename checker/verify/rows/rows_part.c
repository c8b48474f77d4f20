// SPDX-License-Identifier: GPL-3.0-or-later
// Is the part of a history with rows one (checker/verify/rows/rows_part.h)?
#include "config.h"

#include "checker/verify/rows/rows_part.h"

#include "base/memory.h"
#include "checker/verify/rows/condition.h"
#include "checker/verify/rows/rows_left_out.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NOWHERE UINT32_MAX

struct part_comparison {
  const struct history *h, *part;
  const uint8_t *counted;
  const struct check_options *options;
  const uint32_t *txn_of, *statement_of;
  uint8_t *statement;    // per statement of the history: is it in the part?
  uint32_t *key_in_part; // per key of the history, or NOWHERE
  uint32_t *op_of;       // per operation of the part: that of the history
  struct error *error;
};

static int refuse_part(const struct part_comparison *c, const char *what,
                       uint32_t id) {
  return error_set(c->error, "the part is none of the history: %s %u", what,
                   id);
}

static bool same_table(const struct history *h, const struct history *part,
                       uint32_t table) {
  const struct row_table *a = &h->rows->tables[table];
  const struct row_table *b = &part->rows->tables[table];
  bool same = a->ncolumns == b->ncolumns && !strcmp(a->name, b->name);
  for (uint32_t i = 0; same && i < a->ncolumns; i++)
    same = !strcmp(a->columns[i], b->columns[i]);
  return same;
}

static int compare_tables(const struct part_comparison *c) {
  const struct rows *rows = c->h->rows;
  if (!c->part->rows || c->part->rows->ntables != rows->ntables)
    return refuse_part(c, "tables", rows->ntables);
  for (uint32_t i = 0; i < rows->ntables; i++)
    if (!same_table(c->h, c->part, i))
      return refuse_part(c, "table", i);
  return 0;
}

static bool same_image(const struct part_comparison *c, uint32_t table,
                       const int64_t *a, const int64_t *b) {
  return a && b ? !memcmp(a, b, c->h->rows->tables[table].ncolumns * sizeof *a)
                : a == b;
}

// Finds the keys of the part in the history; each is one row there, with the
// same first image.
static int compare_part_keys(struct part_comparison *c) {
  const struct rows *all = c->h->rows, *some = c->part->rows;
  uint32_t nfound = 0;
  for (uint32_t key = 0; key < c->h->nkeys; key++) {
    c->key_in_part[key] = NOWHERE;
    for (uint32_t k = 0; k < c->part->nkeys; k++)
      if (all->key_table[key] != ROWS_NONE &&
          all->key_table[key] == some->key_table[k] &&
          all->key_id[key] == some->key_id[k]) {
        if (c->key_in_part[key] != NOWHERE)
          return refuse_part(c, "two rows that are key", key);
        c->key_in_part[key] = k;
        nfound++;
        if (!same_image(c, all->key_table[key],
                        rows_image(all, all->key_image[key]),
                        rows_image(some, some->key_image[k])))
          return refuse_part(c, "first version of key", key);
      }
  }
  return nfound == c->part->nkeys ? 0 : refuse_part(c, "keys", c->part->nkeys);
}

static uint64_t time_if_known(const uint64_t *times, uint32_t t) {
  return times ? times[t] : TIME_UNKNOWN;
}

static bool is_sound_txn(const struct part_comparison *c, uint32_t p) {
  const struct history *h = c->h, *part = c->part;
  const uint32_t t = c->txn_of[p];
  assert(p < part->ntxns);
  if (t >= h->ntxns || !c->counted[t] || (p && c->txn_of[p - 1] >= t))
    return false;
  const bool same =
      !p || (history_session(part, p - 1) == history_session(part, p)) ==
                (history_session(h, c->txn_of[p - 1]) == history_session(h, t));
  return same && h->outcome[t] == part->outcome[p] &&
         h->level[t] == part->level[p] &&
         time_if_known(h->begin, t) == time_if_known(part->begin, p) &&
         time_if_known(h->end, t) == time_if_known(part->end, p);
}

// Do the conditions choose the same of all rows of the part, as they were at
// first and as operations wrote or read them?  Then the statement of the part
// may have a shorter one.
static bool choose_same_versions(const struct part_comparison *c,
                                 const struct recorded_statement *a,
                                 const struct recorded_statement *b) {
  const struct history *part = c->part;
  const struct rows *rows = part->rows;
  bool alike = true;
  for (uint32_t v = 0; alike && v < part->nops + part->nkeys; v++) {
    const uint32_t key = v < part->nops ? part->key[v] : v - part->nops;
    const int64_t *columns = condition_columns(part, v);
    if (columns && rows->key_table[key] == b->table)
      alike = condition_holds(c->h->rows, a, rows->key_id[key], columns) ==
              condition_holds(rows, b, rows->key_id[key], columns);
  }
  return alike;
}

static bool same_statement(const struct part_comparison *c,
                           const struct recorded_statement *a,
                           const struct recorded_statement *b) {
  if (a->sort != b->sort || a->table != b->table ||
      (a->condition == NO_CONDITION) != (b->condition == NO_CONDITION))
    return false;
  if (a->condition == NO_CONDITION)
    return true;
  const struct rows *all = c->h->rows, *some = c->part->rows;
  const struct predicate *p = &all->templates[a->condition].predicate;
  const bool same =
      predicate_equals(p, &some->templates[b->condition].predicate) &&
      !memcmp(all->parameters + a->parameters, some->parameters + b->parameters,
              p->nparameters * sizeof *all->parameters);
  return same ||
         (a->sort != STATEMENT_INSERT_NEW && choose_same_versions(c, a, b));
}

// Was it written by nobody whose writes count?
static bool is_nobodys(const struct part_comparison *c, uint32_t saw) {
  return saw == SAW_THIN_AIR ||
         (saw < c->h->nops && !c->counted[history_txn(c->h, saw)]);
}

// The version that the operation of the history saw, and that of the part, are
// one.
static bool same_seen(const struct part_comparison *c, uint32_t op,
                      uint32_t in) {
  const uint32_t a = c->h->saw[op], b = c->part->saw[in];
  if (!op_reads(c->h->kind[op]))
    return true;
  return b < c->part->nops   ? c->op_of[b] == a
         : b == SAW_THIN_AIR ? is_nobodys(c, a)
                             : a == b;
}

static bool same_op(const struct part_comparison *c, uint32_t op, uint32_t in) {
  const struct history *h = c->h, *part = c->part;
  assert(op < h->nops && in < part->nops);
  return h->kind[op] == part->kind[in] &&
         history_op_value(h, op) == history_op_value(part, in) &&
         c->key_in_part[h->key[op]] == part->key[in] &&
         same_image(c, h->rows->key_table[h->key[op]],
                    rows_image(h->rows, h->rows->image[op]),
                    rows_image(part->rows, part->rows->image[in]));
}

// Is `b` the statement `a` without the rows of other keys?
static bool is_cut_of(struct part_comparison *c,
                      const struct recorded_statement *a,
                      const struct recorded_statement *b) {
  uint32_t in = b->first;
  if (!same_statement(c, a, b))
    return false;
  for (uint32_t op = a->first; op < a->end; op++) {
    if (c->key_in_part[c->h->key[op]] == NOWHERE)
      continue;
    if (in == b->end || !same_op(c, op, in))
      return false;
    c->op_of[in++] = op;
  }
  return in == b->end;
}

// Each statement of the part is one of the transaction, in their order.
static int compare_statements(struct part_comparison *c, uint32_t p) {
  const struct rows *all = c->h->rows, *some = c->part->rows;
  const uint32_t t = c->txn_of[p];
  uint32_t next = all->txn_statement[t];
  for (uint32_t i = some->txn_statement[p]; i < some->txn_statement[p + 1];
       i++) {
    const uint32_t s = c->statement_of[i];
    if (s < next || s >= all->txn_statement[t + 1] ||
        !is_cut_of(c, &all->statements[s], &some->statements[i]))
      return refuse_part(c, "statement", i);
    c->statement[s] = 1;
    next = s + 1;
  }
  return 0;
}

static int compare_txns(struct part_comparison *c) {
  for (uint32_t p = 0; p < c->part->ntxns; p++) {
    if (!is_sound_txn(c, p))
      return refuse_part(c, "transaction", c->txn_of[p]);
    if (compare_statements(c, p))
      return -1;
  }
  return 0;
}

// The versions that are left out may be, and those that were seen are the same,
// or else the last ones before them that are there.
static int compare_versions(const struct part_comparison *c) {
  const uint32_t nops = c->h->nops, nkeys = c->h->nkeys;
  uint8_t *in_part = xmalloc(nkeys);
  for (uint32_t key = 0; key < nkeys; key++)
    in_part[key] = c->key_in_part[key] != NOWHERE;
  const struct rows_left left = {.h = c->h,
                                 .counted = c->counted,
                                 .options = c->options,
                                 .key = in_part,
                                 .statement = c->statement};
  uint32_t *seen = rows_seen_in_part(&left, c->error);
  int result = seen ? 0 : -1;
  for (uint32_t in = 0; in < c->part->nops && !result; in++) {
    const uint32_t op = c->op_of[in], b = c->part->saw[in];
    const bool same =
        seen[op] == NOWHERE || !op_reads(c->h->kind[op]) ? same_seen(c, op, in)
        : seen[op] < nops ? b < c->part->nops && c->op_of[b] == seen[op]
                          : b == SAW_INITIAL;
    if (!same)
      result = refuse_part(c, "what was seen by operation", op);
  }
  free(in_part);
  free(seen);
  return result;
}

int compare_rows_part(const struct history *h, const uint8_t *counted,
                      const struct history *part, const uint32_t *txn_of,
                      const uint32_t *statement_of,
                      const struct check_options *options,
                      struct error *error) {
  struct part_comparison c = {.h = h,
                              .part = part,
                              .counted = counted,
                              .options = options,
                              .txn_of = txn_of,
                              .statement_of = statement_of,
                              .statement = xcalloc(h->rows->nstatements, 1),
                              .key_in_part =
                                  xmalloc(h->nkeys * sizeof(uint32_t)),
                              .op_of = xmalloc(part->nops * sizeof(uint32_t)),
                              .error = error};
  int result = compare_tables(&c);
  result = result ? result : compare_part_keys(&c);
  result = result ? result : compare_txns(&c);
  result = result ? result : compare_versions(&c);
  FREE_EACH(c.key_in_part, c.op_of, c.statement);
  return result;
}
