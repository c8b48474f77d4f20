// SPDX-License-Identifier: GPL-3.0-or-later
// Writes statements for people (steps/plain_sql.h).
#include "config.h"

#include "steps/plain_sql.h"

#include "steps/reading.h"

#include <assert.h>
#include <inttypes.h>

// A user of the database may have a table of the script's name.
#define TABLE "try_%s"

static void put_columns(FILE *out, const struct table_spec *table,
                        const char *behind) {
  for (uint32_t i = 0; i < table->columns.count; i++)
    fprintf(out, ", %s%s", table->columns.names[i], behind);
}

static void put_rows(FILE *out, const struct table_spec *table) {
  int64_t columns[TABLE_COLUMNS_MOST];
  const uint64_t nrows = table_first_rows(table);
  for (uint64_t i = 0; i < nrows; i++) {
    fprintf(out, "%s(%" PRIu64, i ? ", " : "",
            table_first_row_at(table, i, columns));
    for (uint32_t c = 0; c < table->columns.count; c++)
      fprintf(out, ", %" PRId64, columns[c]);
    putc(')', out);
  }
}

void plain_sql_put_tables(FILE *out, const struct plain_sql *sql,
                          const struct script *script) {
  for (uint32_t t = 0; t < script->ntables; t++) {
    const struct table_spec *table = &script->tables[t];
    fprintf(out, "CREATE TABLE " TABLE " (id bigint PRIMARY KEY", table->name);
    put_columns(out, table, " bigint");
    fprintf(out, ")%s;\n", sql->options);
    if (!table_first_rows(table))
      continue;
    fprintf(out, "INSERT INTO " TABLE " VALUES ", table->name);
    put_rows(out, table);
    fputs(";\n", out);
  }
}

void plain_sql_put_drops(FILE *out, const struct script *script) {
  for (uint32_t t = 0; t < script->ntables; t++)
    fprintf(out, "DROP TABLE " TABLE ";\n", script->tables[t].name);
}

void plain_sql_put_last(FILE *out, const struct script *script) {
  for (uint32_t t = 0; t < script->ntables; t++)
    fprintf(out, "SELECT * FROM " TABLE " ORDER BY id;\n",
            script->tables[t].name);
}

static void put_where(FILE *out, const struct script *script,
                      const struct statement *s) {
  fputs(" WHERE ", out);
  predicate_write(out, &script->templates[s->template].predicate,
                  &script->tables[s->table].columns, PREDICATE_BOUND,
                  s->params);
}

// An UPDATE of which nobody knows what it sets still takes its locks.
static void put_sets(FILE *out, const struct table_spec *table,
                     const struct statement *s) {
  const char *same = table->columns.count ? table->columns.names[0] : "id";
  if (s->sort == STATEMENT_UPDATE && !s->nsets)
    fprintf(out, " SET %s = %s", same, same);
  statement_put_sets(out, s, &table->columns, " SET");
}

void plain_sql_put_statement(FILE *out, const struct plain_sql *sql,
                             const struct script *script,
                             const struct statement *s) {
  const struct table_spec *table = &script->tables[s->table];
  const bool or_nothing = s->sort == STATEMENT_INSERT_NEW;
  assert(s->sort != STATEMENT_UPSERT && !s->limit); // steps have none
  if (statement_inserts(s->sort)) {
    fprintf(out, "INSERT %sINTO " TABLE, or_nothing ? sql->nothing[0] : "",
            table->name);
    fputs(" VALUES", out);
    statement_put_new_row(out, s);
    fputs(or_nothing ? sql->nothing[1] : "", out);
  } else {
    fprintf(out, "%s " TABLE,
            s->sort == STATEMENT_UPDATE   ? "UPDATE"
            : s->sort == STATEMENT_DELETE ? "DELETE FROM"
                                          : "SELECT * FROM",
            table->name);
    put_sets(out, table, s);
    put_where(out, script, s);
    fputs(s->sort == STATEMENT_LOCKING_SELECT ? sql->lock : "", out);
  }
  putc(';', out);
}
