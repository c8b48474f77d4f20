// SPDX-License-Identifier: GPL-3.0-or-later
// The damage that is left (cli/jobs/damage.h).
#include "config.h"

#include "cli/jobs/damage.h"

#include "base/memory.h"
#include "recorder/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- What is left

static bool is_statement_chosen(const struct counterexample_statements *c,
                                uint32_t op) {
  const struct rows *rows = c->history->rows;
  const uint32_t txn = history_txn(c->history, op);
  if (!c->key[c->history->key[op]])
    return false;
  for (uint32_t s = rows->txn_statement[txn]; s < rows->txn_statement[txn + 1];
       s++)
    if (op >= rows->statements[s].first && op < rows->statements[s].end)
      return c->statement[s];
  return false;
}

static bool is_statement_counted(const struct counterexample_statements *c,
                                 uint32_t op) {
  const struct history *h = c->history;
  return op_writes(h->kind[op]) &&
         h->outcome[history_txn(h, op)] != OUTCOME_ABORTED &&
         is_statement_chosen(c, op);
}

// The chosen write of the key that no other one replaced; UINT32_MAX: none, or
// more than one.
static uint32_t last_write_of_key(const struct counterexample_statements *c,
                                  uint32_t key) {
  const struct history *h = c->history;
  uint32_t last = UINT32_MAX, nlast = 0;
  for (uint32_t op = 0; op < h->nops; op++) {
    if (h->key[op] != key || !is_statement_counted(c, op))
      continue;
    bool replaced = false;
    for (uint32_t later = 0; later < h->nops && !replaced; later++)
      replaced = h->key[later] == key && later != op &&
                 is_statement_counted(c, later) && h->saw[later] == op;
    if (!replaced) {
      last = op;
      nlast++;
    }
  }
  return nlast == 1 ? last : UINT32_MAX;
}

static void put_damaged_row(FILE *out, const struct table_spec *table,
                            int64_t key, const int64_t *columns) {
  fprintf(out, " %" PRId64, key);
  for (uint32_t i = 0; i < table->columns.count; i++)
    fprintf(out, ",%" PRId64, columns[i]);
}

// The row that the table of the script began with; NULL: none.
static const int64_t *first_row(const struct table_spec *table, int64_t key) {
  const uint32_t width = table->columns.count + 1;
  for (uint32_t i = 0; i < table->nlisted; i++)
    if (table->listed[(size_t)i * width] == key)
      return table->listed + (size_t)i * width + 1;
  return NULL;
}

struct chosen_row {
  int64_t id;
  uint32_t key;
};

static int by_damaging_operation(const void *a, const void *b) {
  const struct chosen_row *x = a, *y = b;
  return (x->id > y->id) - (x->id < y->id);
}

// Writes the rows of a table; false: some are not known.
static bool put_left(FILE *out, const struct counterexample_statements *c,
                     const struct table_spec *table) {
  const struct history *h = c->history;
  struct chosen_row *rows = xcalloc((size_t)h->nkeys + 1, sizeof *rows);
  uint32_t n = 0;
  bool known = true;
  for (uint32_t key = 0; key < h->nkeys; key++)
    if (c->key[key] && h->rows->key_table[key] != ROWS_NONE &&
        !strcmp(h->rows->tables[h->rows->key_table[key]].name, table->name))
      rows[n++] = (struct chosen_row){h->rows->key_id[key], key};
  qsort(rows, n, sizeof *rows, by_damaging_operation);
  for (uint32_t i = 0; i < n; i++) {
    bool written = false;
    for (uint32_t op = 0; op < h->nops; op++)
      written |= h->key[op] == rows[i].key && is_statement_counted(c, op);
    const uint32_t last = last_write_of_key(c, rows[i].key);
    known &= !written || last != UINT32_MAX;
    const int64_t *columns = !written             ? first_row(table, rows[i].id)
                             : last != UINT32_MAX ? rows_version(h, last)
                                                  : NULL;
    if (columns)
      put_damaged_row(out, table, rows[i].id, columns);
  }
  free(rows);
  return known;
}

// "returns 1,488"; NULL: it is not known.
static char *left_rows(const struct script *script,
                       const struct counterexample_statements *c) {
  char *text;
  size_t bytes;
  bool known = true;
  FILE *out = text_stream(&text, &bytes);
  fputs("returns", out);
  for (uint32_t t = 0; t < script->ntables; t++)
    known &= put_left(out, c, &script->tables[t]);
  fclose(out);
  if (strlen(text) == strlen("returns")) {
    free(text);
    text = xstrdup("returns nothing");
  }
  if (!known)
    free(text);
  return known ? text : NULL;
}

// ---- What was lost

// Did the transaction of the write read the row before, in another version than
// the one that it replaced, which another chosen transaction had made?
static bool loses(const struct counterexample_statements *c, uint32_t write) {
  const struct history *h = c->history;
  const uint32_t txn = history_txn(h, write), saw = h->saw[write];
  if (!is_statement_counted(c, write) || !op_reads(h->kind[write]) ||
      saw >= h->nops || history_txn(h, saw) == txn ||
      !is_statement_counted(c, saw))
    return false;
  for (uint32_t op = h->txn_first[txn]; op < write; op++)
    if (h->key[op] == h->key[write] && op_reads(h->kind[op]))
      return h->saw[op] != saw;
  return false;
}

// " balance = 7": the columns that the change made otherwise than the
// transaction of the write had read them.
static void put_damage(FILE *out, const struct history *h, uint32_t write) {
  const struct row_table *table =
      &h->rows->tables[h->rows->key_table[h->key[write]]];
  const int64_t *change = rows_version(h, h->saw[write]);
  uint32_t read = h->txn_first[history_txn(h, write)];
  while (h->key[read] != h->key[write])
    read++;
  const int64_t *was = rows_version(
      h, h->saw[read] < h->nops ? h->saw[read] : h->nops + h->key[read]);
  const char *before = " ";
  for (uint32_t i = 0; change && i < table->ncolumns; i++) {
    if (was && was[i] == change[i])
      continue;
    fprintf(out, "%s%s = %" PRId64, before, table->columns[i], change[i]);
    before = ", ";
  }
  if (!change)
    fputs(" no such row", out);
}

static char *lost_sentence(const struct counterexample_statements *c,
                           uint32_t write, const struct script_names *names) {
  const struct history *h = c->history;
  char first[SCRIPT_NAME], second[SCRIPT_NAME];
  const char *one =
      names->txn(names->context, history_txn(h, h->saw[write]), first);
  const char *other = names->txn(names->context, history_txn(h, write), second);
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  fprintf(out, "One after the other, %s would have found", other);
  put_damage(out, h, write);
  fprintf(out, ", what %s left.", one);
  fclose(out);
  return text;
}

void damage_tell(struct script *script,
                 const struct counterexample_statements *c,
                 const struct script_names *names) {
  char *left = left_rows(script, c);
  char *lost = NULL;
  for (uint32_t op = 0; op < c->history->nops && !lost; op++)
    if (loses(c, op))
      lost = lost_sentence(c, op, names);
  if (left)
    script->damage = arena_printf(&script->arena, "%s%s%s", left,
                                  lost ? ". " : "", lost ? lost : "");
  free(left);
  free(lost);
}
