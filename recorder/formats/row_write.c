// SPDX-License-Identifier: GPL-3.0-or-later
// Writes tables and statements (recorder/formats/row_notation.h).
#include "config.h"

#include "recorder/formats/row_notation.h"

#include "base/memory.h"

#include <inttypes.h>

static void put_noted_image(FILE *out, const struct row_table *table,
                            const int64_t *image) {
  fputc('{', out);
  for (uint32_t i = 0; i < table->ncolumns; i++)
    fprintf(out, "%s%s=%" PRId64, i ? "," : "", table->columns[i], image[i]);
  fputc('}', out);
}

void row_table_write(FILE *out, const struct history *h, uint32_t table) {
  const struct rows *rows = h->rows;
  const struct row_table *t = &rows->tables[table];
  bool first = true;
  fprintf(out, "%s(", t->name);
  for (uint32_t i = 0; i < t->ncolumns; i++)
    fprintf(out, "%s%s", i ? ", " : "", t->columns[i]);
  fputc(')', out);
  for (uint32_t key = 0; key < h->nkeys; key++) {
    const int64_t *image = rows_image(rows, rows->key_image[key]);
    if (rows->key_table[key] != table || !image)
      continue;
    fprintf(out, "%s %" PRId64, first ? ":" : "", rows->key_id[key]);
    put_noted_image(out, t, image);
    first = false;
  }
}

static void stamp_statement(struct row_stamps *stamps, const struct rows *rows,
                            uint32_t statement, uint64_t stamp) {
  const struct recorded_statement *s = &rows->statements[statement];
  stamps->statement[statement] = stamp;
  for (uint32_t op = s->first; op < s->end; op++)
    stamps->op[op] = stamp;
}

struct row_stamps row_stamps(const struct export_writing *w, bool by_session) {
  const struct history *h = w->h;
  const struct rows *rows = h->rows;
  struct row_stamps stamps = {
      .statement = xcalloc(rows ? rows->nstatements : 0, sizeof(uint64_t)),
      .op = xcalloc(rows ? h->nops : 0, sizeof(uint64_t))};
  uint64_t n = 0;
  for (uint32_t t = 0, session = 0; rows && t < h->ntxns; t++) {
    for (; t >= h->session_first[session + 1]; session++)
      n = by_session ? 0 : n;
    for (uint32_t s = rows->txn_statement[t];
         writing_takes(w, t) && s < rows->txn_statement[t + 1]; s++)
      if (statement_writes((enum statement_sort)rows->statements[s].sort)) {
        n++;
        stamp_statement(&stamps, rows, s,
                        by_session ? value_of_write(session, n - 1) : n);
      }
  }
  return stamps;
}

int row_versions_check(const struct export_writing *w) {
  const struct history *h = w->h;
  for (uint32_t t = 0; h->rows && t < h->ntxns; t++)
    for (uint32_t s = h->rows->txn_statement[t];
         writing_takes(w, t) && s < h->rows->txn_statement[t + 1]; s++)
      for (uint32_t op = h->rows->statements[s].first;
           op < h->rows->statements[s].end; op++)
        if (op_reads(h->kind[op]) && h->saw[op] >= h->nops &&
            h->saw[op] != SAW_INITIAL)
          return error_set(
              w->error,
              "%s was not written: a row %s/%" PRId64
              " came back that a statement wrote which was rolled back, and "
              "the format %s cannot say that; --to=isostress can",
              w->path, h->rows->tables[h->rows->statements[s].table].name,
              h->rows->key_id[h->key[op]], w->format->name);
  return 0;
}

void row_stamps_free(struct row_stamps *stamps) {
  FREE_EACH(stamps->statement, stamps->op);
}

static void put_noted_row(FILE *out, const struct history *h, uint32_t op,
                          const struct row_table *table,
                          const struct row_stamps *stamps) {
  const int64_t *image = rows_image(h->rows, h->rows->image[op]);
  fprintf(out, "%" PRId64, h->rows->key_id[h->key[op]]);
  if (op_reads(h->kind[op])) {
    if (h->saw[op] < h->nops)
      fprintf(out, "@w%" PRIu64, stamps->op[h->saw[op]]);
    else
      fputs("@?", out);
  }
  if (image)
    put_noted_image(out, table, image);
}

void row_statement_write(FILE *out, const struct history *h, uint32_t statement,
                         const struct row_stamps *stamps) {
  const struct rows *rows = h->rows;
  const struct recorded_statement *s = &rows->statements[statement];
  const struct row_table *table = &rows->tables[s->table];
  fputs(statement_word((enum statement_sort)s->sort), out);
  if (s->condition != NO_CONDITION) {
    fprintf(out, " %s{", table->name);
    rows_write_condition(out, rows, s);
    fputs("}:", out);
  }
  if (s->condition == NO_CONDITION && s->first == s->end)
    fprintf(out, " %s", table->name);
  for (uint32_t op = s->first; op < s->end; op++) {
    fputc(' ', out);
    if (s->condition == NO_CONDITION)
      fprintf(out, "%s/", table->name);
    put_noted_row(out, h, op, table, stamps);
  }
}

void row_ops_write(struct export_writing *w, uint32_t t,
                   const struct row_stamps *stamps, const char *quote,
                   const char *comma,
                   void (*put_op)(struct export_writing *,
                                  const struct exported *)) {
  const struct history *h = w->h;
  const struct rows *rows = h->rows;
  struct exported said[EXPORTED_MAX];
  uint32_t s = rows ? rows->txn_statement[t] : 0;
  const uint32_t end = rows ? rows->txn_statement[t + 1] : 0;
  const char *between = "";
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1] || s < end;) {
    const bool statement = s < end && rows->statements[s].first == op;
    fputs(between, w->out);
    if (statement) {
      fputs(quote, w->out);
      row_statement_write(w->out, h, s, stamps);
      fputs(quote, w->out);
      op = rows->statements[s++].end;
    } else {
      export_op(w, t, &op, said); // says everything in one
      put_op(w, said);
    }
    between = statement || *quote ? comma : " ";
  }
}
