// SPDX-License-Identifier: GPL-3.0-or-later
// UPDATE, DELETE and INSERT (sql/translator.h), of one row each.
#include "config.h"

#include "sql/maker.h"

#include <stdlib.h>
#include <string.h>

// All of a statement is one line, so that it has the line of the statement.
static void put_read(struct translator *t, const struct sql_table *table,
                     const char *id, const char *lock) {
  fprintf(t->out, "  let id =%s; read %s[id] into row %s; ", id, table->name,
          lock);
}

static void put_row(FILE *out, const struct sql_table *table,
                    const struct sql_value *values) {
  fprintf(out, "write %s[id] [", table->name);
  for (uint32_t i = 0; i < table->ncolumns; i++)
    if (values[i].text)
      fprintf(out, "%s(%s)", i ? ", " : "", values[i].text);
    else
      fprintf(out, "%srow[%u]", i ? ", " : "", i + 1);
  fputc(']', out);
}

// Puts the statement on the row that WHERE finds; the client is told how many
// rows it changed.
static void put_change(struct translator *t, const struct sql_table *table,
                       const struct sql_where *where,
                       const struct sql_value *values) {
  char *when = sql_where_finds(where);
  // Databases lock the row that the statement writes, and none where it writes
  // none.
  char *lock = xasprintf("for update where %s", when);
  put_read(t, table, where->id, lock);
  fprintf(t->out, "if %s; ", when);
  if (values)
    put_row(t->out, table, values);
  else
    fprintf(t->out, "write %s[id] none", table->name);
  fputs("; answer 1; else; answer 0; end\n", t->out);
  free(lock);
  free(when);
}

static void free_values(struct sql_value *values) {
  for (int i = 0; i < SQL_COLUMNS_MAX; i++)
    sql_value_free(&values[i]);
}

static int make_assignment(struct translator *t, const struct sql_table *table,
                           uint32_t column) {
  struct sql_step *step = t->maker->step;
  if (!step->sets)
    step->sets =
        arena_take(&t->maker->all->arena, SQL_COLUMNS_MAX * sizeof *step->sets);
  if (step->nsets == SQL_COLUMNS_MAX)
    return sql_refuse(t->r, "SET has at most %d columns", SQL_COLUMNS_MAX);
  for (uint32_t i = 0; i < step->nsets; i++)
    if (step->sets[i].column == sql_row_column(table, column))
      return sql_refuse(t->r, "SET has the column %s twice",
                        table->columns[column]);
  return sql_make_assignment(t, table, column, &step->sets[step->nsets++]);
}

static int take_assignment(struct translator *t, const struct sql_table *table,
                           uint32_t column, struct sql_value *value) {
  sql_value_free(value);
  return sql_require(t->r, "=") ? -1
         : t->maker             ? make_assignment(t, table, column)
                                : sql_take_value(t, table, value);
}

static int assignments(struct translator *t, const struct sql_table *table,
                       struct sql_value *values) {
  if (!sql_at(t->r, "set"))
    return sql_expected(t->r, "\"SET\"");
  do {
    char name[64];
    if (sql_advance(t->r) || sql_name(t->r, "a column", name))
      return -1;
    const uint32_t column = sql_find_column(table, name);
    if (column == UINT32_MAX)
      return sql_refuse(t->r, "%s has no column \"%s\"", table->name, name);
    if (column == table->key)
      return sql_refuse(t->r, "a primary key cannot be changed here; DELETE "
                              "and INSERT instead");
    if (take_assignment(t, table, column, &values[column]))
      return -1;
  } while (sql_at(t->r, ","));
  return 0;
}

// The table of the statement, which begins.
static int table_here(struct translator *t, const struct sql_table **table) {
  if (sql_table_here(t->r, t->schema, table))
    return -1;
  if (t->maker)
    sql_make_statement(t, *table);
  return 0;
}

int sql_update(struct translator *t) {
  const struct sql_table *table;
  struct sql_value values[SQL_COLUMNS_MAX] = {{0}};
  struct sql_where where = {0};
  const int failed = table_here(t, &table) || assignments(t, table, values) ||
                     sql_take_id(t, table, &where);
  if (!failed && t->maker)
    sql_put_statement(t, STATEMENT_UPDATE);
  else if (!failed)
    put_change(t, table, &where, values);
  free_values(values);
  sql_where_free(&where);
  return failed ? -1 : sql_require(t->r, ";");
}

int sql_delete(struct translator *t) {
  const struct sql_table *table;
  struct sql_where where = {0};
  const int failed = sql_require(t->r, "from") || table_here(t, &table) ||
                     sql_take_id(t, table, &where);
  if (!failed && t->maker)
    sql_put_statement(t, STATEMENT_DELETE);
  else if (!failed)
    put_change(t, table, &where, NULL);
  sql_where_free(&where);
  return failed ? -1 : sql_require(t->r, ";");
}

// ---- INSERT

static int on_conflict(struct translator *t, bool *ignores) {
  const int said = sql_accept(t->r, "on");
  *ignores = said > 0;
  if (said <= 0)
    return said;
  if (sql_require(t->r, "conflict"))
    return -1;
  if (!sql_at(t->r, "do"))
    return sql_refuse(t->r, "ON CONFLICT is of the primary key here; write ON "
                            "CONFLICT DO NOTHING, without its column");
  if (sql_advance(t->r))
    return -1;
  if (!sql_at(t->r, "nothing"))
    return sql_refuse(t->r, "ON CONFLICT DO NOTHING can be explored; for DO "
                            "UPDATE use that and an UPDATE");
  return sql_advance(t->r);
}

// Keeps in mind that there may be such a row, for scans.
static void remember(struct translator *t, const struct sql_table *table,
                     const struct sql_value *id) {
  struct sql_schema *s = t->schema;
  ARRAY_RESERVE(s->inserts, s->ninserts, s->inserts_room);
  s->inserts[s->ninserts++] =
      (struct sql_inserted){.table = (uint32_t)(table - s->tables),
                            .id = id->constant ? xstrdup(id->constant) : NULL,
                            .line = t->r->at};
}

// The value of a column: a step has that of the key apart from the others.
static int take_inserted(struct translator *t, const struct sql_table *table,
                         uint32_t column, struct sql_value *value) {
  struct sql_code code;
  if (!t->maker)
    return sql_take_value(t, NULL, value);
  if (sql_make_value(t, true, &code))
    return -1;
  struct sql_step *step = t->maker->step;
  if (!step->sets)
    step->sets =
        arena_take(&t->maker->all->arena, SQL_COLUMNS_MAX * sizeof *step->sets);
  if (column == table->key) {
    step->value = code;
    return 0;
  }
  const uint32_t at = sql_row_column(table, column);
  step->sets[at] = (struct sql_assignment){.column = at, .value = code};
  step->nsets++;
  return 0;
}

static void put_insert(struct translator *t, bool ignores) {
  if (ignores)
    sql_make_key_condition(t);
  sql_put_statement(t, ignores ? STATEMENT_INSERT_NEW : STATEMENT_INSERT);
}

int sql_insert(struct translator *t) {
  const struct sql_table *table;
  uint32_t order[SQL_COLUMNS_MAX];
  struct sql_value values[SQL_COLUMNS_MAX] = {{0}};
  bool ignores = false;
  int failed = sql_require(t->r, "into") || table_here(t, &table) ||
               sql_insert_columns(t->r, table, order) || sql_require(t->r, "(");
  for (uint32_t i = 0; !failed && i < table->ncolumns; i++)
    failed = (i && sql_require(t->r, ",")) ||
             take_inserted(t, table, order[i], &values[order[i]]);
  failed = failed || sql_require(t->r, ")");
  if (!failed && sql_at(t->r, ","))
    failed = sql_refuse(t->r, "an INSERT has one row here; use one for each");
  failed = failed || on_conflict(t, &ignores);
  if (!failed && t->maker) {
    put_insert(t, ignores);
  } else if (!failed) {
    remember(t, table, &values[table->key]);
    put_read(t, table, values[table->key].text, "for insert");
    fputs(ignores ? "if row == none; " : "if row != none; rollback; end; ",
          t->out);
    put_row(t->out, table, values);
    fputs(ignores ? "; answer 1; else; answer 0; end\n" : "\n", t->out);
  }
  free_values(values);
  return failed ? -1 : sql_require(t->r, ";");
}
