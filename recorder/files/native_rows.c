// SPDX-License-Identifier: GPL-3.0-or-later
// Records statements and rows (recorder/files/native_rows.h).
#include "config.h"

#include "recorder/files/native_rows.h"

#include "base/memory.h"
#include "recorder/record/recording.h"

#include <string.h>

// ---- Can it be said?

// Did the operation return other columns than the version that it saw has?
static bool returned_other_columns(const struct history *h, uint32_t op) {
  const struct rows *rows = h->rows;
  const uint32_t n = rows->tables[rows->key_table[h->key[op]]].ncolumns;
  const int64_t *was = rows_image(rows, rows->image[op]);
  if (h->kind[op] != OP_ROW || !was ||
      (h->saw[op] >= h->nops && h->saw[op] != SAW_INITIAL))
    return false;
  const int64_t *version = rows_version(
      h, h->saw[op] == SAW_INITIAL ? h->nops + h->key[op] : h->saw[op]);
  return !version || memcmp(was, version, n * sizeof *was);
}

static const char *unspeakable(const struct history *h, uint32_t op) {
  if (!op_is_row(h->kind[op]))
    return "registers or lists beside rows";
  if (h->rows->key_id[h->key[op]] < 0)
    return "rows with a key below 0";
  if (returned_other_columns(h, op))
    return "a row that came back with other columns than were written";
  return NULL;
}

static int check_native_rows(const struct export_writing *w) {
  const struct history *h = w->h;
  const char *what =
      h->rows->ntables > TABLES_MOST ? "more than 16 tables" : NULL;
  for (uint32_t op = 0; !what && op < h->nops; op++)
    what = unspeakable(h, op);
  return what ? error_set_usage(w->error,
                                "%s: format isostress cannot represent %s: "
                                "write text or jsonl",
                                w->path, what)
              : 0;
}

// ---- Tables

// Its rows at first, each its key and its columns.
static void list_first_rows(struct native_rows *r, uint32_t number,
                            struct table_spec *table) {
  const struct rows *rows = r->h->rows;
  const uint32_t n = table->columns.count;
  int64_t *listed =
      arena_take(&r->arena, (size_t)r->h->nkeys * (1 + n) * sizeof *listed + 1);
  table->listed = listed;
  for (uint32_t key = 0; key < r->h->nkeys; key++) {
    const int64_t *image = rows_image(rows, rows->key_image[key]);
    if (rows->key_table[key] != number || !image)
      continue;
    *listed++ = rows->key_id[key];
    if (n)
      memcpy(listed, image, n * sizeof *image);
    listed += n;
    table->nlisted++;
  }
}

static void describe_tables(struct native_rows *r) {
  const struct rows *rows = r->h->rows;
  struct table_spec *table =
      arena_take(&r->arena, rows->ntables * sizeof *table + 1);
  struct template_spec *templates =
      arena_take(&r->arena, rows->ntemplates * sizeof *templates + 1);
  for (uint32_t t = 0; t < rows->ntables; t++) {
    const uint32_t n = rows->tables[t].ncolumns;
    struct first_value *first = arena_take(&r->arena, n * sizeof *first + 1);
    for (uint32_t i = 0; i < n; i++)
      first[i] = (struct first_value){.step = 1, .count = 1};
    table[t] = (struct table_spec){.name = rows->tables[t].name,
                                   .columns = row_columns(&rows->tables[t]),
                                   .first = first};
    list_first_rows(r, t, &table[t]);
  }
  for (uint32_t i = 0; i < rows->ntemplates; i++)
    templates[i] =
        (struct template_spec){.table = rows->templates[i].table,
                               .predicate = rows->templates[i].predicate};
  r->tables = (struct tables){.table = table,
                              .templates = templates,
                              .ntables = rows->ntables,
                              .ntemplates = rows->ntemplates};
}

int native_rows_open(struct native_rows *r, const struct export_writing *w) {
  *r = (struct native_rows){.h = w->h};
  if (check_native_rows(w))
    return -1;
  r->stamps = row_stamps(w, true);
  describe_tables(r);
  return 0;
}

void native_rows_close(struct native_rows *r) {
  row_stamps_free(&r->stamps);
  arena_free(&r->arena);
}

// ---- Statements

// The stamp of the version that an operation found.  Nobody writes one that is
// out of thin air.
static uint64_t find_stamp_seen(const struct native_rows *r, uint32_t op) {
  const struct history *h = r->h;
  if (!op_reads(h->kind[op]) || h->saw[op] == SAW_INITIAL)
    return 0;
  if (h->saw[op] < h->nops)
    return r->stamps.op[h->saw[op]];
  const uint32_t statement = rows_rolled_back(h, op);
  return statement != ROWS_NONE ? r->stamps.statement[statement]
                                : h->value[op] | UINT64_C(1) << 63;
}

static void list_row(const struct native_rows *r, uint32_t op,
                     uint32_t ncolumns, struct row_list *list) {
  const struct history *h = r->h;
  const int64_t *image = rows_image(h->rows, h->rows->image[op]);
  int64_t *to = row_list_add(list, (enum op_kind)h->kind[op],
                             (uint64_t)h->rows->key_id[h->key[op]],
                             find_stamp_seen(r, op), ncolumns);
  for (uint32_t i = 0; i < ncolumns; i++)
    to[i] = image ? image[i] : 0;
}

void native_rows_record(const struct native_rows *r, struct session_log *log,
                        uint32_t txn) {
  const struct rows *rows = r->h->rows;
  struct row_list list = {0};
  for (uint32_t i = rows->txn_statement[txn]; i < rows->txn_statement[txn + 1];
       i++) {
    const struct recorded_statement *s = &rows->statements[i];
    const bool conditional = s->condition != NO_CONDITION;
    const uint32_t ncolumns = rows->tables[s->table].ncolumns;
    const struct statement statement = {
        .sort = (enum statement_sort)s->sort,
        .table = s->table,
        .template = conditional ? s->condition : 0,
        .params = rows->parameters + s->parameters};
    row_list_clear(&list);
    for (uint32_t op = s->first; op < s->end; op++)
      list_row(r, op, ncolumns, &list);
    const struct statement_times times =
        rows->times.count ? statement_times_at(&rows->times, i)
                          : (struct statement_times){0, 0};
    session_log_statement(
        log, &statement,
        conditional ? rows->templates[s->condition].predicate.nparameters : 0,
        ncolumns, r->stamps.statement[i], &list,
        rows->times.count ? &times : NULL);
  }
  row_list_free(&list);
}
