// SPDX-License-Identifier: GPL-3.0-or-later
// Decodes a file of version 2, whose operations are what statements did to
// rows: its chunks, session by session, are told to a builder.
#include "config.h"

#include "recorder/native/native.h"

#include "base/memory.h"
#include "base/pages.h"
#include "recorder/native/tables_text.h"

#include <assert.h>
#include <stdlib.h>

// One chunk, its columns unpacked.
struct unpacked {
  struct arena arena;
  uint64_t *outcome, *cause, *level, *endpoint, *gap, *duration, *txn_nops;
  uint64_t *txn_statements; // NULL: no statement
  uint64_t *kind, *key, *seen_session, *seen_sequence;
  uint64_t *sort, *table, *template, *statement_nops, *parameter, *number;
  uint64_t *statement_gap, *statement_duration; // NULL: no times
  uint32_t nstatements, nparameters, nnumbers, nreads;
};

struct rows_telling {
  struct loading *l;
  struct builder *builder;
  struct arena arena;
  struct tables tables;
  uint32_t *table, *condition; // their numbers in the builder
  struct decoding d;
  struct unpacked u;
  uint32_t op, statement, parameter, number, read; // told so far of the chunk
  uint64_t write;                                  // of the session
  struct told_row *rows;
  uint32_t rows_room;
};

static int refuse_rows(const struct rows_telling *t, const char *what) {
  return native_refuse_chunk(&t->d, what);
}

// ---- Tables

static void tell_first_rows(struct rows_telling *t, uint32_t table) {
  const struct table_spec *spec = &t->tables.table[table];
  int64_t image[TABLE_COLUMNS_MOST];
  for (uint64_t i = 0; i < table_first_rows(spec); i++) {
    const uint64_t key = table_first_row_at(spec, i, image);
    builder_preload(t->builder, t->table[table], (int64_t)key, image);
  }
}

static int tell_tables(struct rows_telling *t) {
  struct error why = {0};
  if (!t->l->scan.tables)
    return error_set(t->l->error,
                     "%s: the chunk that describes its tables is lost: nothing "
                     "of it is usable",
                     t->l->file.path);
  if (tables_read(t->l->scan.tables, &t->arena, &t->tables, &why))
    return error_set(t->l->error, "%s: %s", t->l->file.path, why.text);
  t->table = arena_take(&t->arena, (t->tables.ntables + 1) * sizeof *t->table);
  t->condition =
      arena_take(&t->arena, (t->tables.ntemplates + 1) * sizeof *t->condition);
  for (uint32_t i = 0; i < t->tables.ntables; i++) {
    const struct table_spec *spec = &t->tables.table[i];
    t->table[i] = builder_table(t->builder, spec->name, spec->columns.names,
                                spec->columns.count);
    tell_first_rows(t, i);
  }
  for (uint32_t i = 0; i < t->tables.ntemplates; i++)
    t->condition[i] =
        builder_condition(t->builder, t->table[t->tables.templates[i].table],
                          &t->tables.templates[i].predicate);
  return 0;
}

// ---- Chunks

// So that a small file cannot ask for much memory.
static uint32_t count_in_column(const struct rows_telling *t,
                                enum column_id id) {
  const uint64_t most =
      (uint64_t)t->d.place->header.stored_bytes * CHUNK_COUNTS_PER_BYTE;
  return !t->d.there[id]                 ? 0
         : t->d.column[id].count <= most ? t->d.column[id].count
                                         : UINT32_MAX;
}

static int unpack(struct rows_telling *t, enum column_id id, uint32_t count,
                  uint64_t limit, uint64_t **numbers) {
  const struct packed_column *column;
  if (native_column(&t->d, id, count, &column))
    return -1;
  *numbers = arena_take(&t->u.arena, (count + (size_t)1) * sizeof **numbers);
  column_unpack(column, 0, count, *numbers);
  for (uint32_t i = 0; limit && i < count; i++)
    if ((*numbers)[i] >= limit)
      return refuse_rows(t,
                         "has a number that cannot be: a newer isostress wrote "
                         "it");
  return 0;
}

// A column that the chunk has to have: `count` numbers, each below `limit`
// unless that is 0.  `*numbers` gets them.
struct wanted_column {
  enum column_id id;
  uint32_t count;
  uint64_t limit;
  uint64_t **numbers;
};

static int unpack_all(struct rows_telling *t,
                      const struct wanted_column *columns, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (unpack(t, columns[i].id, columns[i].count, columns[i].limit,
               columns[i].numbers))
      return -1;
  return 0;
}

static int unpack_statement_columns(struct rows_telling *t) {
  struct unpacked *u = &t->u;
  const struct chunk_header *h = &t->d.place->header;
  const uint32_t n = u->nstatements;
  const struct wanted_column columns[] = {
      {COLUMN_NSTATEMENTS, h->ntxns, (uint64_t)n + 1, &u->txn_statements},
      {COLUMN_STATEMENT_SORT, n, STATEMENT_COUNT, &u->sort},
      {COLUMN_STATEMENT_TABLE, n, t->tables.ntables, &u->table},
      {COLUMN_STATEMENT_TEMPLATE, n, (uint64_t)t->tables.ntemplates + 1,
       &u->template},
      {COLUMN_STATEMENT_NOPS, n, (uint64_t)h->nops + 1, &u->statement_nops},
      {COLUMN_STATEMENT_GAP, n, 0, &u->statement_gap}, // those with times only
      {COLUMN_STATEMENT_DURATION, n, 0, &u->statement_duration}};
  const size_t ncolumns = sizeof columns / sizeof *columns;
  return unpack_all(t, columns,
                    t->d.there[COLUMN_STATEMENT_GAP] ? ncolumns : ncolumns - 2);
}

static int unpack_statements(struct rows_telling *t) {
  struct unpacked *u = &t->u;
  u->nstatements = count_in_column(t, COLUMN_STATEMENT_SORT);
  u->nparameters = count_in_column(t, COLUMN_PARAMETER);
  u->nnumbers = count_in_column(t, COLUMN_NUMBER);
  if (u->nstatements == UINT32_MAX || u->nparameters == UINT32_MAX ||
      u->nnumbers == UINT32_MAX)
    return refuse_rows(t, "claims to be larger than it can be");
  if (u->nstatements && !t->tables.ntables)
    return refuse_rows(t, "has statements without a table");
  if (u->nstatements && unpack_statement_columns(t))
    return -1;
  if (u->nparameters &&
      unpack(t, COLUMN_PARAMETER, u->nparameters, 0, &u->parameter))
    return -1;
  return u->nnumbers ? unpack(t, COLUMN_NUMBER, u->nnumbers, 0, &u->number) : 0;
}

static bool is_of_rows(uint64_t kind) {
  return kind == OP_ROW || kind == OP_ROW_INSERT || kind == OP_ROW_UPDATE ||
         kind == OP_ROW_DELETE;
}

static int unpack_ops(struct rows_telling *t) {
  struct unpacked *u = &t->u;
  const uint32_t n = t->d.place->header.nops;
  if (unpack(t, COLUMN_KIND, n, OP_KIND_COUNT, &u->kind) ||
      unpack(t, COLUMN_KEY, n, INT64_MAX, &u->key))
    return -1;
  u->nreads = 0;
  for (uint32_t op = 0; op < n; op++) {
    if (!is_of_rows(u->kind[op]))
      return refuse_rows(t,
                         "has operations of an unknown kind: a newer isostress "
                         "wrote it");
    u->nreads += op_reads((unsigned)u->kind[op]);
  }
  return u->nreads && (unpack(t, COLUMN_SEEN_SESSION, u->nreads, 0,
                              &u->seen_session) ||
                       unpack(t, COLUMN_SEEN_SEQUENCE, u->nreads, 0,
                              &u->seen_sequence))
             ? -1
             : 0;
}

static int unpack_txns(struct rows_telling *t) {
  struct unpacked *u = &t->u;
  const uint32_t n = t->d.place->header.ntxns;
  const struct wanted_column columns[] = {
      {COLUMN_OUTCOME, n, OUTCOME_COUNT, &u->outcome},
      {COLUMN_CAUSE, n, CAUSE_COUNT, &u->cause},
      {COLUMN_LEVEL, n, ISOLATION_COUNT, &u->level},
      {COLUMN_GAP, n, 0, &u->gap},
      {COLUMN_DURATION, n, 0, &u->duration},
      {COLUMN_NOPS, n, (uint64_t)t->d.place->header.nops + 1, &u->txn_nops},
      {COLUMN_ENDPOINT, n, HISTORY_NO_ENDPOINT + 1, &u->endpoint}};
  const size_t ncolumns = sizeof columns / sizeof *columns;
  u->endpoint = NULL; // in files of one endpoint
  return unpack_all(t, columns,
                    t->d.there[COLUMN_ENDPOINT] ? ncolumns : ncolumns - 1);
}

// ---- Telling

// The rows of a statement; its operations must be there, and their columns.
static int take_statement_rows(struct rows_telling *t, uint32_t nrows,
                               uint32_t ncolumns, bool writes) {
  struct unpacked *u = &t->u;
  if (nrows > t->d.place->header.nops - t->op)
    return refuse_rows(t, "has statements without their operations");
  if (nrows > t->rows_room) {
    t->rows_room = nrows * 2;
    t->rows = xrealloc(t->rows, t->rows_room, sizeof *t->rows);
  }
  for (uint32_t i = 0; i < nrows; i++, t->op++) {
    const unsigned kind = (unsigned)u->kind[t->op];
    struct told_row *row = &t->rows[i];
    *row =
        (struct told_row){.key = (int64_t)u->key[t->op], .kind = (uint8_t)kind};
    if (op_writes(kind) && !writes)
      return refuse_rows(t, "has a statement that writes what it cannot");
    if (op_reads(kind)) {
      assert(t->read < u->nreads);
      row->saw = u->seen_session[t->read] << VALUE_SEQUENCE_BITS |
                 u->seen_sequence[t->read];
      t->read++;
    }
    if (!op_leaves_row(kind))
      continue;
    if (ncolumns > u->nnumbers - t->number)
      return refuse_rows(t, "lacks columns of rows");
    row->image = (const int64_t *)u->number + t->number;
    t->number += ncolumns;
  }
  return 0;
}

// `now` is when the statement before ended, or the transaction began.
static void tell_times(struct rows_telling *t, uint32_t s,
                       struct statement_times *times, uint64_t *now,
                       struct told_statement *told) {
  if (!t->u.statement_gap)
    return;
  times->begin = *now += t->u.statement_gap[s];
  times->end = *now += t->u.statement_duration[s];
  told->times = times;
}

static int tell_file_statement(struct rows_telling *t, uint64_t *now) {
  struct unpacked *u = &t->u;
  assert(t->statement < u->nstatements);
  const uint32_t s = t->statement++;
  const enum statement_sort sort = (enum statement_sort)u->sort[s];
  const bool has_condition = statement_has_condition(sort);
  const uint32_t table = (uint32_t)u->table[s];
  struct told_statement told = {.sort = (uint8_t)sort,
                                .table = t->table[table],
                                .condition = NO_CONDITION};
  struct statement_times times;
  uint32_t nparameters = 0;
  tell_times(t, s, &times, now, &told);
  if (has_condition) {
    const uint32_t template = (uint32_t)u->template[s];
    if (template >= t->tables.ntemplates ||
        t->tables.templates[template].table != table)
      return refuse_rows(t, "has a condition of another table");
    if (sort == STATEMENT_INSERT_NEW &&
        !predicate_names_keys(&t->tables.templates[template].predicate))
      return refuse_rows(
          t, "has a condition that does not name the keys to insert");
    nparameters = t->tables.templates[template].predicate.nparameters;
    told.condition = t->condition[template];
  }
  if (nparameters > u->nparameters - t->parameter)
    return refuse_rows(t, "lacks parameters");
  if (nparameters)
    told.parameters = (const int64_t *)u->parameter + t->parameter;
  t->parameter += nparameters;
  if (statement_writes(sort))
    told.stamp = value_of_write(t->d.place->header.session, t->write++);
  told.nrows = (uint32_t)u->statement_nops[s];
  if (take_statement_rows(t, told.nrows, t->tables.table[table].columns.count,
                          told.stamp != 0))
    return -1;
  told.rows = t->rows;
  builder_statement(t->builder, &told);
  return 0;
}

static int tell_file_txn(struct rows_telling *t, uint32_t i, uint64_t *now) {
  const struct unpacked *u = &t->u;
  const uint64_t begin = *now + u->gap[i], end = begin + u->duration[i];
  uint64_t statement = begin;
  const uint32_t first = t->op;
  const uint64_t nstatements = u->txn_statements ? u->txn_statements[i] : 0;
  *now = end;
  builder_txn(t->builder, t->d.place->header.session,
              (enum outcome)u->outcome[i], (enum isolation)u->level[i], begin,
              end);
  builder_cause(t->builder, (enum cause)u->cause[i]);
  if (u->endpoint && u->endpoint[i] < HISTORY_NO_ENDPOINT)
    builder_endpoint(t->builder, (uint8_t)u->endpoint[i]);
  if (nstatements > u->nstatements - t->statement)
    return refuse_rows(t, "lacks statements");
  for (uint64_t s = 0; s < nstatements; s++)
    if (tell_file_statement(t, &statement))
      return -1;
  return t->op - first == u->txn_nops[i]
             ? 0
             : refuse_rows(t, "has operations of no statement");
}

static int tell_chunk(struct rows_telling *t, struct chunk_place *place) {
  const struct chunk_header *c = &place->header;
  uint64_t now = c->origin;
  t->d = (struct decoding){.l = t->l, .place = place};
  t->op = t->statement = t->parameter = t->number = t->read = 0;
  t->write = c->first_write;
  if (native_columns(&t->d) || unpack_txns(t) || unpack_ops(t) ||
      unpack_statements(t))
    return -1;
  for (uint32_t i = 0; i < c->ntxns; i++)
    if (tell_file_txn(t, i, &now))
      return -1;
  return t->op == c->nops && t->statement == t->u.nstatements &&
                 t->write == c->first_write + c->nwrites
             ? 0
             : refuse_rows(t, "has other operations than it claims");
}

static int tell_chunks(struct rows_telling *t) {
  const struct native_scan *scan = &t->l->scan;
  for (uint32_t i = 0; i < scan->nplaces; i++) {
    if (native_is_stopped(t->l))
      return -1;
    const int status = tell_chunk(t, scan->ordered[i]);
    arena_free(&t->u.arena);
    t->u = (struct unpacked){0};
    if (status)
      return -1;
  }
  return 0;
}

// If the file is not whole, a version that nobody wrote may be one whose writer
// was lost.
static void note_lost_versions(struct history *h) {
  for (uint32_t op = 0; !h->complete && op < h->nops; op++)
    if (op_reads(h->kind[op]) && h->saw[op] == SAW_THIN_AIR)
      h->saw[op] = SAW_LOST;
}

// The builder's history has the facts of the file that it was not told.
static int finish_rows(struct rows_telling *t) {
  struct history *h = t->l->history, built = {0};
  struct builder *builder = t->builder;
  t->builder = NULL;
  if (builder_finish(builder, &built, t->l->error))
    return error_prefix(t->l->error, "%s", t->l->file.path);
  built.about = h->about;
  built.events = h->events;
  built.nevents = h->nevents;
  built.complete = h->complete;
  built.lost_txns = h->lost_txns;
  h->about = NULL;
  h->events = NULL;
  history_free(h);
  *h = built;
  note_lost_versions(h);
  return 0;
}

int native_decode_rows(struct loading *l) {
  pages_return_freed(); // rows take five times the memory of registers
  struct rows_telling t = {.l = l, .builder = builder_open()};
  const int status =
      tell_tables(&t) || tell_chunks(&t) || finish_rows(&t) ? -1 : 0;
  if (t.builder)
    builder_free(t.builder);
  arena_free(&t.arena);
  free(t.rows);
  return status;
}
