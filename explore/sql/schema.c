// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a schema: CREATE TABLE with an integer primary key, and INSERT of the
// rows that are there at first.
#include "config.h"

#include "explore/sql/reading.h"

#include <stdlib.h>
#include <string.h>

static int type_and_constraints(struct sql_reader *r, struct sql_table *table,
                                bool *has_key) {
  static const char *const types[] = {"int", "integer", "bigint", "smallint"};
  bool known = false;
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    known |= sql_at(r, types[i]);
  if (!known)
    return sql_refuse(r, "columns are int, integer, bigint or smallint, not %s",
                      r->text);
  if (sql_advance(r))
    return -1;
  while (!sql_at(r, ",") && !sql_at(r, ")")) {
    const bool is_not = sql_at(r, "not"), primary = sql_at(r, "primary");
    if (!is_not && !primary)
      return sql_refuse(r,
                        "\"%s\" cannot be explored; a column is NOT NULL or "
                        "PRIMARY KEY",
                        r->text);
    if (sql_advance(r) || sql_require(r, primary ? "key" : "null"))
      return -1;
    if (primary) {
      table->key = table->ncolumns - 1;
      *has_key = true;
    }
  }
  return 0;
}

static int table_constraint(struct sql_reader *r, struct sql_table *table,
                            bool *has_key) {
  char name[64];
  if (sql_require(r, "primary") || sql_require(r, "key") ||
      sql_require(r, "(") || sql_name(r, "a column", name))
    return -1;
  table->key = sql_find_column(table, name);
  *has_key = true;
  if (table->key == UINT32_MAX)
    return sql_refuse(r, "%s has no column \"%s\"", table->name, name);
  if (sql_at(r, ","))
    return sql_refuse(r, "a primary key has one column here");
  return sql_require(r, ")");
}

static int create(struct sql_reader *r, struct sql_schema *schema) {
  bool has_key = false;
  if (schema->ntables == SQL_TABLES_MAX)
    return sql_refuse(r, "a schema has at most %d tables", SQL_TABLES_MAX);
  struct sql_table *table = &schema->tables[schema->ntables];
  *table = (struct sql_table){.line = r->at};
  if (sql_require(r, "table") || sql_name(r, "a table", table->name))
    return -1;
  if (sql_find_table(schema, table->name))
    return sql_refuse(r, "there is a table %s already", table->name);
  if (!sql_at(r, "("))
    return sql_expected(r, "\"(\"");
  table->begin = r->token;
  do {
    if (sql_advance(r))
      return -1;
    if (sql_at(r, "primary")) {
      if (table_constraint(r, table, &has_key))
        return -1;
      continue;
    }
    if (table->ncolumns == SQL_COLUMNS_MAX)
      return sql_refuse(r, "a table has at most %d columns", SQL_COLUMNS_MAX);
    if (sql_name(r, "a column", table->columns[table->ncolumns++]) ||
        type_and_constraints(r, table, &has_key))
      return -1;
  } while (sql_at(r, ","));
  if (!has_key)
    return sql_refuse(r, "%s needs a PRIMARY KEY, which identifies its rows",
                      table->name);
  schema->ntables++;
  table->end = r->p;
  return sql_require(r, ")");
}

static int integer(struct sql_reader *r, char text[72]) {
  const int minus = sql_accept(r, "-");
  if (minus < 0)
    return -1;
  if (r->kind != SQL_NUMBER)
    return sql_expected(r, "an integer");
  snprintf(text, 72, "%s%s", minus ? "-" : "", r->text);
  return sql_advance(r);
}

static void keep_number(struct sql_schema *schema, uint32_t table,
                        const char *text) {
  ARRAY_RESERVE(schema->rows[table], schema->nnumbers[table],
                schema->numbers_room[table]);
  schema->rows[table][schema->nnumbers[table]++] = strtoll(text, NULL, 10);
}

static void keep_row(struct sql_schema *schema, const struct sql_table *table,
                     char values[SQL_COLUMNS_MAX][72]) {
  const uint32_t t = (uint32_t)(table - schema->tables);
  keep_number(schema, t, values[table->key]);
  for (uint32_t i = 0; i < table->ncolumns; i++)
    if (i != table->key)
      keep_number(schema, t, values[i]);
}

static int insert_row(struct sql_reader *r, struct sql_schema *schema,
                      const struct sql_table *table, const uint32_t *order,
                      FILE *out) {
  char values[SQL_COLUMNS_MAX][72];
  if (sql_require(r, "("))
    return -1;
  for (uint32_t i = 0; i < table->ncolumns; i++)
    if ((i && sql_require(r, ",")) || integer(r, values[order[i]]))
      return -1;
  fprintf(out, "initially %s[%s]=[", table->name, values[table->key]);
  for (uint32_t i = 0; i < table->ncolumns; i++)
    fprintf(out, "%s%s", i ? ", " : "", values[i]);
  fputs("]\n", out);
  if (schema->keeps_rows)
    keep_row(schema, table, values);
  return sql_require(r, ")");
}

static int insert(struct sql_reader *r, struct sql_schema *schema, FILE *out) {
  const struct sql_table *table;
  uint32_t order[SQL_COLUMNS_MAX];
  if (sql_require(r, "into") || sql_table_here(r, schema, &table) ||
      sql_insert_columns(r, table, order) ||
      insert_row(r, schema, table, order, out))
    return -1;
  while (sql_at(r, ","))
    if (sql_advance(r) || insert_row(r, schema, table, order, out))
      return -1;
  return 0;
}

int sql_read_schema(struct sql_reader *r, struct sql_schema *schema,
                    FILE *out) {
  if (sql_advance(r))
    return -1;
  while (r->kind != SQL_END) {
    const bool creates = sql_at(r, "create");
    if (!creates && !sql_at(r, "insert"))
      return sql_refuse(r, "a schema has CREATE TABLE and INSERT, not \"%s\"",
                        r->text);
    if (sql_advance(r) ||
        (creates ? create(r, schema) : insert(r, schema, out)) ||
        sql_require(r, ";"))
      return -1;
  }
  return 0;
}
