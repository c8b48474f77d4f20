// SPDX-License-Identifier: GPL-3.0-or-later
// Collects tables, statements and rows (recorder/builder/builder.h), in the
// order of arrival until all sessions are known.
#include "config.h"

#include "recorder/builder/building.h"

#include "base/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// So many lists of parameters are remembered: a statement that is given the
// same ones refers to these.
enum { KNOWN_PARAMETERS = 1 << 16 };

// The rows collected so far; `rows` as it will be in the history, by arrival.
struct told_rows {
  struct rows *rows;
  uint32_t tables_room, templates_room, statements_room, parameters_room;
  uint32_t numbers_room, images_room, nimages, key_room;
  // By statement: its transaction.  By key id, up to `nkeys`: rows.key_... and
  // the image that the row was told with last.
  uint32_t *txn, *latest;
  uint32_t txn_room, nkeys;
  uint32_t *known_parameters; // by hash: where such a list may be, + 1, or 0
  // Per table: its rows, by their keys.
  struct table_rows {
    struct number_map keys;
    uint64_t *numbers; // by id in `keys`: the row's number outside
    uint32_t room;
  } of_table[ROW_TABLES];
};

static struct told_rows *told(struct builder *b) {
  if (!b->rows) {
    b->rows = xcalloc(1, sizeof *b->rows);
    b->rows->rows = xcalloc(1, sizeof *b->rows->rows);
  }
  return b->rows;
}

uint32_t builder_table(struct builder *b, const char *name,
                       const char *const *columns, uint32_t ncolumns) {
  struct told_rows *t = told(b);
  struct rows *rows = t->rows;
  assert(rows->ntables < ROW_TABLES && ncolumns <= PREDICATE_COLUMNS);
  ARRAY_RESERVE(rows->tables, rows->ntables, t->tables_room);
  struct row_table *table = &rows->tables[rows->ntables];
  *table = (struct row_table){.name = xstrdup(name), .ncolumns = ncolumns};
  table->columns = xmalloc((ncolumns + 1) * sizeof *table->columns);
  for (uint32_t i = 0; i < ncolumns; i++)
    table->columns[i] = xstrdup(columns[i]);
  return rows->ntables++;
}

uint32_t builder_table_named(const struct builder *b, const char *name,
                             size_t length) {
  for (uint32_t i = 0; b->rows && i < b->rows->rows->ntables; i++) {
    const char *is = b->rows->rows->tables[i].name;
    if (strlen(is) == length && !memcmp(is, name, length))
      return i;
  }
  return ROWS_NONE;
}

const struct rows *builder_rows(struct builder *b) { return told(b)->rows; }

struct predicate_columns builder_columns(const struct builder *b,
                                         uint32_t table) {
  return row_columns(&b->rows->rows->tables[table]);
}

uint32_t builder_condition(struct builder *b, uint32_t table,
                           const struct predicate *predicate) {
  struct told_rows *t = told(b);
  struct rows *rows = t->rows;
  assert(table < rows->ntables);
  for (uint32_t i = 0; i < rows->ntemplates; i++)
    if (rows->templates[i].table == table &&
        predicate_equals(&rows->templates[i].predicate, predicate))
      return i;
  if (rows->ntemplates == NO_CONDITION) {
    b->too_large = true;
    return 0;
  }
  ARRAY_RESERVE(rows->templates, rows->ntemplates, t->templates_room);
  rows->templates[rows->ntemplates] =
      (struct row_template){.table = table, .predicate = *predicate};
  return rows->ntemplates++;
}

// Copies columns; returns where they are.
static uint32_t copy_row_image(struct told_rows *t, uint32_t table,
                               const int64_t *image) {
  struct rows *rows = t->rows;
  if (!image)
    return ROWS_NONE;
  const uint32_t first = rows->nnumbers;
  for (uint32_t i = 0; i < rows->tables[table].ncolumns; i++) {
    ARRAY_RESERVE(rows->numbers, rows->nnumbers, t->numbers_room);
    rows->numbers[rows->nnumbers++] = image[i];
  }
  return first;
}

// The image of a row that is told once more.  Most rows are told as they were
// told before, by reads above all, so that images take a third of the memory.
static uint32_t share_row_image(struct told_rows *t, uint32_t table,
                                uint32_t key_id, const int64_t *image) {
  const struct rows *rows = t->rows;
  const uint32_t latest = t->latest[key_id];
  if (!image)
    return ROWS_NONE;
  if (latest == ROWS_NONE ||
      memcmp(rows->numbers + latest, image,
             rows->tables[table].ncolumns * sizeof *image) != 0)
    t->latest[key_id] = copy_row_image(t, table, image);
  return t->latest[key_id];
}

// The number outside of the key that is a row: its name, with a zero byte
// behind it that no name of a register has.
static uint64_t name_row(struct builder *b, uint32_t table, int64_t key) {
  char name[ROW_NAME + 32];
  const int n = snprintf(name, sizeof name, "%.*s/%" PRId64, ROW_NAME,
                         b->rows->rows->tables[table].name, key);
  return builder_key_named(b, name, (size_t)n + 1);
}

// A row is named when it is first told.
static uint64_t key_of_row(struct builder *b, uint32_t table, int64_t key) {
  struct table_rows *rows = &b->rows->of_table[table];
  const uint32_t before = rows->keys.count;
  const uint32_t id = number_map_id(&rows->keys, (uint64_t)key);
  if (id == before) {
    ARRAY_RESERVE(rows->numbers, id, rows->room);
    rows->numbers[id] = name_row(b, table, key);
  }
  return rows->numbers[id];
}

static void note_row_key(struct told_rows *t, uint32_t id, uint32_t table,
                         int64_t key) {
  struct rows *rows = t->rows;
  if (id >= t->key_room) {
    t->key_room = id < 8 ? 16 : id * 2;
    rows->key_table = xrealloc(rows->key_table, t->key_room, sizeof(uint32_t));
    rows->key_image = xrealloc(rows->key_image, t->key_room, sizeof(uint32_t));
    rows->key_id = xrealloc(rows->key_id, t->key_room, sizeof(int64_t));
    t->latest = xrealloc(t->latest, t->key_room, sizeof(uint32_t));
  }
  for (; t->nkeys <= id; t->nkeys++) {
    rows->key_table[t->nkeys] = rows->key_image[t->nkeys] = ROWS_NONE;
    t->latest[t->nkeys] = ROWS_NONE;
    rows->key_id[t->nkeys] = 0;
  }
  rows->key_table[id] = table;
  rows->key_id[id] = key;
}

void builder_preload(struct builder *b, uint32_t table, int64_t key,
                     const int64_t *image) {
  struct told_rows *t = told(b);
  const uint64_t number = key_of_row(b, table, key);
  const uint32_t id = b->key_of_text[number - VALUE_NAMED];
  note_row_key(t, id, table, key);
  t->rows->key_image[id] = share_row_image(t, table, id, image);
}

// All operations before this one are none of rows, or have their images.
static void note_image(struct told_rows *t, uint32_t op, uint32_t image) {
  struct rows *rows = t->rows;
  if (op >= t->images_room) {
    t->images_room = op < 8 ? 16 : op < HISTORY_MAX / 2 ? op * 2 : HISTORY_MAX;
    rows->image = xrealloc(rows->image, t->images_room, sizeof(uint32_t));
  }
  while (t->nimages < op)
    rows->image[t->nimages++] = ROWS_NONE;
  rows->image[op] = image;
  t->nimages = op + 1;
}

static void add_told_row(struct builder *b, const struct told_statement *s,
                         const struct told_row *row) {
  struct told_rows *t = b->rows;
  const uint64_t key = key_of_row(b, s->table, row->key);
  const uint32_t op =
      op_compares(row->kind)
          ? builder_add_cas(b, row->kind, key, row->saw, s->stamp)
          : builder_add_op(b, row->kind, key,
                           op_writes(row->kind) ? s->stamp : row->saw);
  if (row->kind == OP_ROW_INSERT)
    b->h.saw[op] = SAW_INITIAL;
  note_row_key(t, b->h.key[op], s->table, row->key);
  note_image(t, op, share_row_image(t, s->table, b->h.key[op], row->image));
}

// A row that an INSERT met, or else inserted, is one of the history, though no
// other statement has to do with it.
static void note_keys(struct builder *b, const struct told_statement *s) {
  int64_t keys[PREDICATE_NODES];
  const uint32_t n = predicate_keys(
      &b->rows->rows->templates[s->condition].predicate, s->parameters, keys);
  for (uint32_t i = 0; i < n; i++) {
    const uint64_t number = key_of_row(b, s->table, keys[i]);
    note_row_key(b->rows, b->key_of_text[number - VALUE_NAMED], s->table,
                 keys[i]);
  }
}

static uint32_t copy_parameters(struct told_rows *t, const int64_t *parameters,
                                uint32_t count) {
  struct rows *rows = t->rows;
  const uint32_t first = rows->nparameters;
  for (uint32_t i = 0; i < count; i++) {
    ARRAY_RESERVE(rows->parameters, rows->nparameters, t->parameters_room);
    rows->parameters[rows->nparameters++] = parameters[i];
  }
  return first;
}

// Where the parameters are.  Most are the same as some before: the key of a
// row, above all.  Of two lists of one hash the latest is remembered.
static uint32_t share_parameters(struct told_rows *t, const int64_t *parameters,
                                 uint32_t count) {
  uint64_t hash = count;
  for (uint32_t i = 0; i < count; i++)
    hash = number_mix(hash + (uint64_t)parameters[i]);
  if (count == 0)
    return 0;
  if (!t->known_parameters)
    t->known_parameters =
        xcalloc(KNOWN_PARAMETERS, sizeof *t->known_parameters);
  uint32_t *known = &t->known_parameters[hash % KNOWN_PARAMETERS];
  if (*known == 0 || count > t->rows->nparameters - (*known - 1) ||
      memcmp(t->rows->parameters + (*known - 1), parameters,
             count * sizeof *parameters) != 0)
    *known = copy_parameters(t, parameters, count) + 1;
  return *known - 1;
}

// Times are of use only if all statements have them.
static void note_statement_times(struct told_rows *t, uint32_t statement,
                                 const struct statement_times *times) {
  if (times && t->rows->times.count == statement)
    statement_times_add(&t->rows->times, *times);
}

void builder_statement(struct builder *b, const struct told_statement *s) {
  struct told_rows *t = told(b);
  struct rows *rows = t->rows;
  assert(b->h.ntxns && s->sort < STATEMENT_COUNT && s->table < rows->ntables);
  assert(statement_has_condition((enum statement_sort)s->sort) ==
         (s->condition != NO_CONDITION));
  ARRAY_RESERVE(rows->statements, rows->nstatements, t->statements_room);
  ARRAY_RESERVE(t->txn, rows->nstatements, t->txn_room);
  const uint32_t number = rows->nstatements++, first = b->h.nops;
  t->txn[number] = b->h.ntxns - 1;
  note_statement_times(t, number, s->times);
  const uint32_t nparameters =
      s->condition == NO_CONDITION
          ? 0
          : rows->templates[s->condition].predicate.nparameters;
  rows->statements[number] = (struct recorded_statement){
      .sort = s->sort & 15,
      .table = s->table & (ROW_TABLES - 1),
      .condition = s->condition & NO_CONDITION,
      .parameters = share_parameters(t, s->parameters, nparameters),
      .first = first,
      .end = first};
  if (s->sort == STATEMENT_INSERT_NEW)
    note_keys(b, s);
  for (uint32_t i = 0; i < s->nrows; i++)
    add_told_row(b, s, &s->rows[i]);
  rows->statements[number].end = b->h.nops;
}

// --- Into the order of the history.

// The statements of the transaction that came as the t-th: the first one.
static uint32_t *first_statements(const struct told_rows *t, uint32_t ntxns) {
  assert(ntxns == 0 || t);
  uint32_t *first = xcalloc((size_t)ntxns + 1, sizeof *first);
  for (uint32_t i = 0; i < t->rows->nstatements; i++)
    first[t->txn[i] + 1]++;
  for (uint32_t i = 0; i < ntxns; i++)
    first[i + 1] += first[i];
  return first;
}

static void sort_times(struct told_rows *t, const uint32_t *txns,
                       const uint32_t *first, uint32_t ntxns) {
  struct rows *rows = t->rows;
  struct packed_times sorted = {0};
  if (rows->times.count < rows->nstatements)
    return;
  struct statement_times *all = xmalloc(rows->nstatements * sizeof *all);
  for (uint32_t s = 0; s < rows->nstatements; s++)
    all[s] = statement_times_at(&rows->times, s);
  for (uint32_t i = 0; i < ntxns; i++)
    for (uint32_t s = first[txns[i]]; s < first[txns[i] + 1]; s++)
      statement_times_add(&sorted, all[s]);
  free(all);
  statement_times_free(&rows->times);
  rows->times = sorted;
}

void builder_sort_rows(struct builder *b, const uint32_t *txns) {
  struct told_rows *t = b->rows;
  struct rows *rows = t->rows;
  assert(!b->left_out);
  if (b->h.nops)
    note_image(t, b->h.nops - 1,
               t->nimages == b->h.nops ? rows->image[b->h.nops - 1]
                                       : ROWS_NONE);
  uint32_t *first = first_statements(t, b->h.ntxns), n = 0, nops = 0;
  struct recorded_statement *sorted =
      xmalloc(rows->nstatements * sizeof *sorted);
  uint32_t *image = xmalloc(b->h.nops * sizeof *image);
  sort_times(t, txns, first, b->h.ntxns);
  for (uint32_t i = 0; i < b->h.ntxns; i++) {
    const uint32_t txn = txns[i], from = b->h.txn_first[txn];
    for (uint32_t s = first[txn]; s < first[txn + 1]; s++, n++) {
      sorted[n] = rows->statements[s];
      sorted[n].first += nops - from;
      sorted[n].end += nops - from;
    }
    for (uint32_t op = from; op < b->h.txn_first[txn + 1]; op++)
      image[nops++] = rows->image[op];
  }
  n = 0;
  for (uint32_t i = 0; i < b->h.ntxns; i++)
    for (uint32_t s = first[txns[i]]; s < first[txns[i] + 1]; s++)
      t->txn[n++] = i;
  free(first);
  free(rows->statements);
  free(rows->image);
  rows->statements = sorted;
  rows->image = image;
  t->nimages = t->images_room = b->h.nops;
}

// Gives what is left of the room back.
static void trim_told_rows(struct rows *rows) {
  rows->statements =
      xrealloc(rows->statements, rows->nstatements, sizeof *rows->statements);
  rows->numbers =
      xrealloc(rows->numbers, rows->nnumbers, sizeof *rows->numbers);
  statement_times_trim(&rows->times);
}

void builder_hand_over_rows(struct builder *b, struct history *h) {
  struct told_rows *t = b->rows;
  struct rows *rows = t->rows;
  rows->txn_statement = first_statements(t, h->ntxns);
  if (rows->times.count < rows->nstatements)
    statement_times_free(&rows->times);
  trim_told_rows(rows);
  // So that a statement without parameters has a place for them, too.
  rows->parameters = xrealloc(rows->parameters, (size_t)rows->nparameters + 1,
                              sizeof *rows->parameters);
  if (h->nops && t->nimages < h->nops)
    note_image(t, h->nops - 1, ROWS_NONE);
  rows->image = xrealloc(rows->image, h->nops, sizeof *rows->image);
  if (h->nkeys && t->nkeys < h->nkeys)
    note_row_key(t, h->nkeys - 1, ROWS_NONE, 0);
  h->rows = rows;
  t->rows = NULL;
}

void builder_free_rows(struct builder *b) {
  if (!b->rows)
    return;
  for (uint32_t i = 0; i < ROW_TABLES; i++) {
    number_map_free(&b->rows->of_table[i].keys);
    free(b->rows->of_table[i].numbers);
  }
  rows_free(b->rows->rows);
  free(b->rows->txn);
  free(b->rows->latest);
  free(b->rows->known_parameters);
  free(b->rows);
}
