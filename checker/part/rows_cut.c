// SPDX-License-Identifier: GPL-3.0-or-later
// Cuts a part out of a history with rows (checker/part/rows_cut.h).
#include "config.h"

#include "checker/part/rows_cut.h"

#include "base/ids.h"
#include "base/memory.h"
#include "checker/part/versions_kept.h"
#include "recorder/builder/builder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct cutting {
  const struct history *h;
  const uint8_t *counted;
  const struct cut *cut;
  uint8_t *key;       // per key: is it in the part?
  uint8_t *statement; // per statement: is it?
  struct builder *b;
  uint32_t *condition; // per condition of the whole: that of the part
  struct told_row *rows;
  struct replacements replaced;
  struct ids txns, statements, ops;
};

static bool writes_part(const struct cutting *c,
                        const struct recorded_statement *s) {
  bool writes = false;
  for (uint32_t op = s->first; op < s->end; op++)
    writes |= op_writes(c->h->kind[op]) && c->key[c->h->key[op]];
  return writes;
}

static bool keeps_txn(const struct cutting *c, uint32_t t) {
  const struct rows *rows = c->h->rows;
  bool keeps = false;
  for (uint32_t s = rows->txn_statement[t]; s < rows->txn_statement[t + 1]; s++)
    keeps |= c->statement[s];
  return c->counted[t] && keeps;
}

// An INSERT that says which keys it would insert brings all of them.
static bool take_named_keys(struct cutting *c, uint32_t s) {
  const struct history *h = c->h;
  bool more = false;
  for (uint32_t key = 0; key < h->nkeys; key++)
    if (!c->key[key] && rows_satisfies(h, s, key, NULL)) {
      c->key[key] = 1;
      more = true;
    }
  return more;
}

static bool close_keys(struct cutting *c) {
  const struct rows *rows = c->h->rows;
  bool more = false;
  for (uint32_t s = 0; s < rows->nstatements; s++)
    if (rows->statements[s].sort == STATEMENT_INSERT_NEW && c->statement[s])
      more |= take_named_keys(c, s);
  return more;
}

static bool keep_writers(struct cutting *c) {
  const struct rows *rows = c->h->rows;
  bool more = false;
  for (uint32_t s = 0; s < rows->nstatements; s++)
    if (!c->statement[s] && writes_part(c, &rows->statements[s])) {
      c->statement[s] = 1;
      more = true;
    }
  return more;
}

// Until all is there that what is there needs.
static void close_part(struct cutting *c) {
  for (bool more = true; more;) {
    const struct keeping keeping = {.h = c->h,
                                    .counted = c->counted,
                                    .versions = c->cut->versions,
                                    .options = c->cut->options,
                                    .key = c->key,
                                    .statement = c->statement};
    more = close_keys(c);
    more |= c->cut->versions ? versions_keep(&keeping, &c->replaced)
                             : keep_writers(c);
  }
}

// A version that no operation wrote is none that was there at first.
static uint64_t stamp_in_cut(const struct cutting *c, uint32_t op) {
  const struct history *h = c->h;
  const uint32_t saw = replacement_of(&c->replaced, op, h->saw[op]);
  return saw < h->nops           ? history_op_value(h, saw)
         : saw != SAW_THIN_AIR   ? VALUE_INITIAL
         : h->kind[op] == OP_ROW ? history_op_value(h, op)
                                 : VALUE_NOBODYS;
}

static uint32_t condition_in_cut(struct cutting *c,
                                 const struct recorded_statement *s) {
  if (s->condition == NO_CONDITION)
    return NO_CONDITION;
  if (c->condition[s->condition] == ROWS_NONE)
    c->condition[s->condition] = builder_condition(
        c->b, s->table, &c->h->rows->templates[s->condition].predicate);
  return c->condition[s->condition];
}

static void take_statement(struct cutting *c,
                           const struct recorded_statement *s) {
  const struct history *h = c->h;
  struct told_statement told = {.sort = s->sort,
                                .table = s->table,
                                .condition = condition_in_cut(c, s),
                                .parameters =
                                    h->rows->parameters + s->parameters};
  c->rows = xrealloc(c->rows, s->end - s->first + 1, sizeof *c->rows);
  for (uint32_t op = s->first; op < s->end; op++) {
    if (!c->key[h->key[op]])
      continue;
    ids_add(&c->ops, op);
    if (op_writes(h->kind[op]))
      told.stamp = history_op_value(h, op);
    c->rows[told.nrows++] =
        (struct told_row){.key = h->rows->key_id[h->key[op]],
                          .kind = h->kind[op],
                          .saw = stamp_in_cut(c, op),
                          .image = rows_image(h->rows, h->rows->image[op])};
  }
  told.rows = c->rows;
  builder_statement(c->b, &told);
}

static void take_txn_of_cut(struct cutting *c, uint32_t t) {
  const struct history *h = c->h;
  ids_add(&c->txns, t);
  builder_txn(c->b, history_session(h, t), (enum outcome)h->outcome[t],
              (enum isolation)h->level[t],
              h->begin ? h->begin[t] : TIME_UNKNOWN,
              h->end ? h->end[t] : TIME_UNKNOWN);
  for (uint32_t s = h->rows->txn_statement[t];
       s < h->rows->txn_statement[t + 1]; s++)
    if (c->statement[s]) {
      ids_add(&c->statements, s);
      take_statement(c, &h->rows->statements[s]);
    }
}

// All tables, so that they keep their numbers, and the rows that were there.
static void take_all_tables(struct cutting *c) {
  const struct history *h = c->h;
  const struct rows *rows = h->rows;
  for (uint32_t i = 0; i < rows->ntables; i++)
    builder_table(c->b, rows->tables[i].name,
                  (const char *const *)rows->tables[i].columns,
                  rows->tables[i].ncolumns);
  for (uint32_t key = 0; key < h->nkeys; key++)
    if (c->key[key] && rows->key_image[key] != ROWS_NONE)
      builder_preload(c->b, rows->key_table[key], rows->key_id[key],
                      rows_image(rows, rows->key_image[key]));
}

struct rows_part cut_history(const struct history *h, const uint8_t *counted,
                             const struct cut *cut) {
  struct cutting c = {.h = h,
                      .counted = counted,
                      .cut = cut,
                      .b = builder_open(),
                      .condition = ids_none(h->rows->ntemplates)};
  struct rows_part part;
  struct error error;
  c.key = memcpy(xmalloc(h->nkeys), cut->key, h->nkeys);
  c.statement = memcpy(xmalloc(h->rows->nstatements), cut->statement,
                       h->rows->nstatements);
  close_part(&c);
  take_all_tables(&c);
  for (uint32_t t = 0; t < h->ntxns; t++)
    if (keeps_txn(&c, t))
      take_txn_of_cut(&c, t);
  const int result = builder_finish(c.b, &part.history, &error);
  assert(!result); // its writes are those of the whole
  (void)result;
  part.txns = c.txns;
  part.statements = c.statements;
  part.ops = c.ops;
  FREE_EACH(c.condition, c.key, c.statement, c.rows, c.replaced.items);
  return part;
}

void rows_part_free(struct rows_part *part) {
  history_free(&part->history);
  FREE_EACH(part->txns.items, part->statements.items, part->ops.items);
  *part = (struct rows_part){0};
}
