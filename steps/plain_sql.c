// SPDX-License-Identifier: GPL-3.0-or-later
// Writes statements for people (steps/plain_sql.h).
#include "config.h"

#include "steps/plain_sql.h"

#include "steps/reading.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

// ---- Tables

// A name in front of that of a table, before a terminal turns to the schema.
static const char *schema_of_table(const struct shell_sql *sql) {
  return sql->create ? SHELL_SCHEMA "." : "";
}

static const char *key_column_of(const struct script *script, uint32_t table) {
  return script->table_words ? script->table_words[table].key
                             : script->tables[table].columns.key;
}

static void put_column_names(FILE *out, const struct script *script,
                             uint32_t t) {
  const struct predicate_columns *columns = &script->tables[t].columns;
  fputs(key_column_of(script, t), out);
  for (uint32_t i = 0; i < columns->count; i++)
    fprintf(out, ", %s", columns->names[i]);
}

static void put_column_types(FILE *out, const struct script *script,
                             uint32_t t) {
  const struct predicate_columns *columns = &script->tables[t].columns;
  if (script->table_words) {
    fputs(script->table_words[t].columns, out);
    return;
  }
  fprintf(out, "(%s bigint PRIMARY KEY", columns->key);
  for (uint32_t i = 0; i < columns->count; i++)
    fprintf(out, ", %s bigint", columns->names[i]);
  putc(')', out);
}

static void put_first_rows(FILE *out, const struct table_spec *table) {
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

void plain_sql_put_tables(FILE *out, const struct shell_sql *sql,
                          const struct script *script) {
  const char *place = schema_of_table(sql);
  if (sql->create)
    fprintf(out, "%s\n", sql->create);
  for (uint32_t t = 0; t < script->ntables; t++) {
    const struct table_spec *table = &script->tables[t];
    fprintf(out, "CREATE TABLE %s%s ", place, table->name);
    put_column_types(out, script, t);
    fprintf(out, "%s;\n", sql->options);
    if (!table_first_rows(table))
      continue;
    fprintf(out, "INSERT INTO %s%s (", place, table->name);
    put_column_names(out, script, t);
    fputs(") VALUES ", out);
    put_first_rows(out, table);
    fputs(";\n", out);
  }
}

void plain_sql_put_drops(FILE *out, const struct shell_sql *sql,
                         const struct script *script) {
  for (uint32_t t = 0; t < script->ntables && !sql->drop; t++)
    fprintf(out, "DROP TABLE %s;\n", script->tables[t].name);
  if (sql->drop)
    fprintf(out, "%s\n", sql->drop);
}

void plain_sql_put_last(FILE *out, const struct shell_sql *sql,
                        const struct script *script) {
  for (uint32_t t = 0; t < script->ntables; t++) {
    fputs("SELECT ", out);
    put_column_names(out, script, t);
    fprintf(out, " FROM %s%s ORDER BY %s;\n", schema_of_table(sql),
            script->tables[t].name, key_column_of(script, t));
  }
}

// ---- Statements

static void put_typed_where(FILE *out, const struct script *script,
                            const struct statement *s) {
  struct predicate_columns columns = script->tables[s->table].columns;
  columns.key = key_column_of(script, s->table);
  fputs(" WHERE ", out);
  predicate_write(out, &script->templates[s->template].predicate, &columns,
                  PREDICATE_BOUND, s->params);
}

// An UPDATE of which nobody knows what it sets still takes its locks.
static void put_sets(FILE *out, const struct script *script,
                     const struct statement *s) {
  const struct predicate_columns *columns = &script->tables[s->table].columns;
  const char *same =
      columns->count ? columns->names[0] : key_column_of(script, s->table);
  if (s->sort == STATEMENT_UPDATE && !s->nsets)
    fprintf(out, " SET %s = %s", same, same);
  statement_put_sets(out, s, columns, " SET");
}

bool plain_sql_is_own(const struct shell_sql *sql, const struct step *step) {
  return step->typed &&
         (step->statement->sort != STATEMENT_INSERT_NEW || *sql->nothing[1]) &&
         (step->statement->sort != STATEMENT_LOCKING_SELECT || *sql->lock) &&
         (!sql->divides_exactly || !strchr(step->typed, '/'));
}

static void put_typed_insert(FILE *out, const struct shell_sql *sql,
                             const struct script *script,
                             const struct statement *s) {
  const bool or_nothing = s->sort == STATEMENT_INSERT_NEW;
  fprintf(out, "INSERT %sINTO %s (", or_nothing ? sql->nothing[0] : "",
          script->tables[s->table].name);
  put_column_names(out, script, s->table);
  fputs(") VALUES", out);
  statement_put_new_row(out, s);
  fputs(or_nothing ? sql->nothing[1] : "", out);
}

void plain_sql_put_statement(FILE *out, const struct shell_sql *sql,
                             const struct script *script,
                             const struct step *step) {
  const struct statement *s = step->statement;
  const char *table = script->tables[s->table].name;
  assert(s->sort != STATEMENT_UPSERT && !s->limit); // steps have none
  if (plain_sql_is_own(sql, step)) {
    fputs(step->typed, out);
  } else if (statement_inserts(s->sort)) {
    put_typed_insert(out, sql, script, s);
  } else {
    const bool changes = s->sort == STATEMENT_UPDATE;
    fputs(changes                       ? "UPDATE"
          : s->sort == STATEMENT_DELETE ? "DELETE FROM"
                                        : "SELECT ",
          out);
    if (s->sort == STATEMENT_SELECT || s->sort == STATEMENT_LOCKING_SELECT) {
      put_column_names(out, script, s->table);
      fputs(" FROM", out);
    }
    fprintf(out, " %s", table);
    put_sets(out, script, s);
    put_typed_where(out, script, s);
    fputs(s->sort == STATEMENT_LOCKING_SELECT ? sql->lock : "", out);
  }
  putc(';', out);
}
