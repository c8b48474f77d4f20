// SPDX-License-Identifier: GPL-3.0-or-later
// Statements of a history as steps (steps/statements.h).
#include "config.h"

#include "steps/statements.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// ---- Tables

static const int64_t *first_image(const struct rows *rows, uint32_t key) {
  return rows_image(rows, rows->key_image[key]);
}

// The columns of a row before the chosen transactions; NULL: it is absent.
static const int64_t *row_at_first(const struct sequence *o, uint32_t key) {
  const struct history *h = o->history;
  for (uint32_t e = 0; e < o->nevents; e++)
    for (uint32_t op = o->events[e].first; op < o->events[e].end; op++)
      if (h->key[op] == key && op_reads(h->kind[op]) && h->saw[op] < SAW_LOST &&
          sequence_event_of(o, h->saw[op]) == NO_EVENT)
        return rows_version(h, h->saw[op]);
  return first_image(h->rows, key);
}

static void list_rows_of_answer(struct script *script, const struct sequence *o,
                                uint32_t table, struct table_spec *spec) {
  const struct history *h = o->history;
  const uint32_t width = spec->columns.count + 1;
  uint32_t n = 0;
  for (uint32_t key = 0; key < h->nkeys; key++)
    n += o->key[key] && h->rows->key_table[key] == table;
  int64_t *listed =
      arena_take(&script->arena, ((size_t)n * width + 1) * sizeof *listed);
  for (uint32_t key = 0; key < h->nkeys; key++) {
    const bool here = o->key[key] && h->rows->key_table[key] == table;
    const int64_t *image = here ? row_at_first(o, key) : NULL;
    if (!image)
      continue;
    int64_t *row = listed + (size_t)spec->nlisted++ * width;
    row[0] = h->rows->key_id[key];
    memcpy(row + 1, image, (width - 1) * sizeof *row);
  }
  spec->listed = listed;
}

static void add_table(struct script *script, const struct sequence *o,
                      uint32_t table) {
  const struct row_table *from = &o->history->rows->tables[table];
  const char **names =
      arena_take(&script->arena, (from->ncolumns + 1) * sizeof *names);
  struct table_spec *spec = &script->tables[script->ntables++];
  for (uint32_t c = 0; c < from->ncolumns; c++)
    names[c] = arena_strdup(&script->arena, from->columns[c]);
  *spec = (struct table_spec){.name = arena_strdup(&script->arena, from->name),
                              .columns = {.key = ROW_KEY_COLUMN,
                                          .names = names,
                                          .count = from->ncolumns}};
  list_rows_of_answer(script, o, table, spec);
}

uint32_t *statements_add_tables(struct script *script,
                                const struct sequence *o) {
  const struct rows *rows = o->history->rows;
  uint32_t *table = xmalloc((rows->ntables + 1) * sizeof *table);
  memset(table, 0xff, (rows->ntables + 1) * sizeof *table);
  script->tables = xcalloc((size_t)rows->ntables + 1, sizeof *script->tables);
  script->templates =
      xcalloc((size_t)o->nevents + 1, sizeof *script->templates);
  for (uint32_t e = 0; e < o->nevents; e++) {
    if (o->events[e].statement == ROWS_NONE)
      continue;
    const uint32_t t = rows->statements[o->events[e].statement].table;
    if (table[t] != ROWS_NONE)
      continue;
    table[t] = script->ntables;
    add_table(script, o, t);
  }
  return table;
}

const int64_t *statements_columns(const struct history *h, uint32_t op) {
  const int64_t *image = rows_image(h->rows, h->rows->image[op]);
  if (image || !op_reads(h->kind[op]) || h->saw[op] == SAW_THIN_AIR ||
      h->saw[op] == SAW_LOST)
    return image;
  return rows_version(h, h->saw[op] == SAW_INITIAL ? h->nops + h->key[op]
                                                   : h->saw[op]);
}

// ---- Statements

static bool is_chosen_key(const struct sequence *o, uint32_t op) {
  return o->key[o->history->key[op]];
}

// With its numbers in the place of parameters.
static uint32_t add_condition_of_history(struct script *script,
                                         const struct rows *rows,
                                         const struct recorded_statement *s,
                                         uint32_t table) {
  char *text;
  size_t bytes;
  struct error error;
  struct template_spec *condition = &script->templates[script->ntemplates];
  FILE *out = text_stream(&text, &bytes);
  rows_write_condition(out, rows, s);
  fclose(out);
  condition->table = table;
  const int failed = predicate_read(&condition->predicate, text,
                                    &script->tables[table].columns, &error);
  assert(!failed); // it was written to be read
  (void)failed;
  free(text);
  return script->ntemplates++;
}

static void set_column(struct statement *s, struct column_set *sets,
                       uint32_t column, bool adds, int64_t number) {
  sets[s->nsets++] = (struct column_set){
      .column = (uint8_t)column, .adds = adds, .number = number};
}

// Had the transaction read the row before with another number in the column?
// Then an UPDATE that leaves the number as it is has set it all the same.
static bool was_otherwise(const struct history *h,
                          const struct recorded_statement *s, uint32_t column) {
  if (s->first == s->end)
    return false;
  const uint32_t first = h->txn_first[history_txn(h, s->first)];
  for (uint32_t op = s->first; op < s->end; op++)
    for (uint32_t read = first; read < s->first; read++) {
      const int64_t *was = statements_columns(h, read);
      const int64_t *is = statements_columns(h, op);
      if (h->key[read] == h->key[op] && op_is_row(h->kind[read]) && was && is &&
          was[column] != is[column])
        return true;
    }
  return false;
}

// An UPDATE sets a column to the number that all its rows have afterwards, or
// adds what they have more than before, as it did if it is known to add; a
// column that stays is not set, unless the transaction had read another number
// there.
static void infer_set(const struct history *h,
                      const struct recorded_statement *s, uint32_t column,
                      struct statement *statement, struct column_set *sets) {
  bool equal = true, stays = true, adds = true;
  int64_t number = 0, more = 0;
  for (uint32_t op = s->first; op < s->end; op++) {
    const int64_t *before = rows_version(
        h, h->saw[op] < SAW_LOST ? h->saw[op] : h->nops + h->key[op]);
    const int64_t *after = rows_image(h->rows, h->rows->image[op]);
    if (!before || !after)
      return;
    const int64_t difference =
        (int64_t)((uint64_t)after[column] - (uint64_t)before[column]);
    stays &= !difference;
    equal &= op == s->first || after[column] == number;
    adds &= op == s->first || difference == more;
    number = after[column];
    more = difference;
  }
  equal &= s->sort != STATEMENT_ADD;
  if (!stays && (equal || adds))
    set_column(statement, sets, column, !equal, equal ? number : more);
  else if (stays && equal && was_otherwise(h, s, column))
    set_column(statement, sets, column, false, number);
}

static void fill_insert(const struct history *h,
                        const struct recorded_statement *s,
                        struct statement *statement, struct column_set *sets,
                        uint32_t ncolumns) {
  const int64_t *image =
      s->first < s->end ? rows_image(h->rows, h->rows->image[s->first]) : NULL;
  if (s->first < s->end) {
    statement->key = (uint64_t)h->rows->key_id[h->key[s->first]];
  } else {
    int64_t keys[PREDICATE_NODES];
    predicate_keys(&h->rows->templates[s->condition].predicate,
                   h->rows->parameters + s->parameters, keys);
    statement->key = (uint64_t)keys[0];
  }
  for (uint32_t c = 0; c < ncolumns; c++)
    set_column(statement, sets, c, false, image ? image[c] : 0);
}

const struct statement *statements_make(struct script *script,
                                        const struct sequence *o,
                                        uint32_t number, uint32_t table) {
  const struct history *h = o->history;
  const struct recorded_statement *s = &h->rows->statements[number];
  const enum statement_sort sort = s->sort == STATEMENT_ADD
                                       ? STATEMENT_UPDATE
                                       : (enum statement_sort)s->sort;
  const uint32_t ncolumns = script->tables[table].columns.count;
  if (sort == STATEMENT_INSERT && s->first == s->end)
    return NULL;
  struct statement *statement = arena_take(&script->arena, sizeof *statement);
  struct column_set *sets =
      arena_take(&script->arena, (ncolumns + 1) * sizeof *sets);
  *statement = (struct statement){.sort = sort, .table = table, .sets = sets};
  if (statement_has_condition(sort))
    statement->template = add_condition_of_history(script, h->rows, s, table);
  if (statement_inserts(sort))
    fill_insert(h, s, statement, sets, ncolumns);
  for (uint32_t c = 0; sort == STATEMENT_UPDATE && c < ncolumns; c++)
    infer_set(h, s, c, statement, sets);
  return statement;
}

// ---- Answers

struct answer {
  int64_t key;
  const int64_t *columns;
};

static int by_row_key(const void *a, const void *b) {
  const struct answer *x = a, *y = b;
  return (x->key > y->key) - (x->key < y->key);
}

const char *statements_answer(struct script *script, const struct sequence *o,
                              uint32_t number) {
  const struct history *h = o->history;
  const struct recorded_statement *s = &h->rows->statements[number];
  const uint32_t ncolumns = h->rows->tables[s->table].ncolumns;
  struct answer *rows = xcalloc((size_t)(s->end - s->first) + 1, sizeof *rows);
  uint32_t n = 0;
  bool known = true;
  for (uint32_t op = s->first; op < s->end; op++) {
    if (!is_chosen_key(o, op))
      continue;
    rows[n] =
        (struct answer){h->rows->key_id[h->key[op]], statements_columns(h, op)};
    known &= rows[n++].columns != NULL;
  }
  qsort(rows, n, sizeof *rows, by_row_key);
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  for (uint32_t i = 0; known && i < n; i++) {
    fprintf(out, "%s%" PRId64, i ? " " : "", rows[i].key);
    for (uint32_t c = 0; c < ncolumns; c++)
      fprintf(out, ",%" PRId64, rows[i].columns[c]);
  }
  fclose(out);
  const char *answer = known ? arena_strdup(&script->arena, text) : NULL;
  free(text);
  free(rows);
  return answer;
}
