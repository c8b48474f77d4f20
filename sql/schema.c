// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a schema: CREATE TABLE with an integer primary key, and INSERT of the
// rows that are there at first.
#include "config.h"

#include "sql/reading.h"

#include <stdlib.h>
#include <string.h>

// `(11)`: the width that a column is shown with.
static int pass_width(struct sql_reader *r) {
  if (!sql_at(r, "("))
    return 0;
  if (sql_advance(r))
    return -1;
  if (r->kind != SQL_NUMBER)
    return sql_expected(r, "the width of the column");
  return sql_advance(r) || sql_require(r, ")") ? -1 : 0;
}

// The value of DEFAULT, which no INSERT here needs.
static int pass_default(struct sql_reader *r) {
  if (sql_accept(r, "-") < 0)
    return -1;
  if (r->kind != SQL_NUMBER && !sql_at(r, "null"))
    return sql_expected(r, "a number");
  return sql_advance(r);
}

// Numbers that the database would give, behind GENERATED: each INSERT here says
// all values, so that it gives none.
static int pass_identity(struct sql_reader *r) {
  const int by = sql_accept(r, "by");
  if (by < 0 || sql_require(r, by ? "default" : "always") ||
      sql_require(r, "as") || sql_require(r, "identity"))
    return -1;
  if (!sql_at(r, "("))
    return 0;
  while (!sql_at(r, ")"))
    if (r->kind == SQL_END || sql_advance(r))
      return sql_expected(r, "\")\"");
  return sql_advance(r);
}

static int column_constraint(struct sql_reader *r, struct sql_table *table,
                             bool *has_key) {
  const bool primary = sql_at(r, "primary");
  if (sql_at(r, "null") || sql_at(r, "auto_increment"))
    return sql_advance(r);
  if (sql_at(r, "generated"))
    return sql_advance(r) ? -1 : pass_identity(r);
  if (sql_at(r, "default"))
    return sql_advance(r) ? -1 : pass_default(r);
  if (!sql_at(r, "not") && !primary)
    return sql_expected(r, "NOT NULL, DEFAULT, PRIMARY KEY, \",\" or \")\"");
  if (sql_advance(r) || sql_require(r, primary ? "key" : "null"))
    return -1;
  if (primary) {
    table->key = table->ncolumns - 1;
    *has_key = true;
  }
  return 0;
}

static int type_and_constraints(struct sql_reader *r, struct sql_table *table,
                                bool *has_key) {
  static const char *const types[] = {"int",        "integer", "bigint",
                                      "smallint",   "serial",  "bigserial",
                                      "smallserial"};
  bool known = false;
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    known |= sql_at(r, types[i]);
  if (!known)
    return sql_expected(r, "int, integer, bigint or smallint");
  if (sql_advance(r) || pass_width(r))
    return -1;
  while (!sql_at(r, ",") && !sql_at(r, ")"))
    if (column_constraint(r, table, has_key))
      return -1;
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
    return sql_refuse(r, "a primary key has one column here; write one that "
                         "numbers the pairs");
  return sql_require(r, ")");
}

static void note_schema_refusal(const struct sql_reader *r,
                                struct sql_schema *schema) {
  schema->is_refused = true;
  sql_note(&schema->refusals, r->error);
}

// Words that begin no column.
static bool begins_constraint(const struct sql_reader *r) {
  static const char *const words[] = {"foreign", "unique", "check", "exclude",
                                      "like"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (sql_at(r, words[i]))
      return true;
  return false;
}

// CONSTRAINT name
static int pass_constraint_name(struct sql_reader *r) {
  char name[64];
  const int named = sql_accept(r, "constraint");
  return named < 0 || (named && sql_name(r, "a name", name)) ? -1 : 0;
}

static int read_schema_item(struct sql_reader *r, struct sql_table *table,
                            bool *has_key) {
  if (sql_at(r, "key") || sql_at(r, "index")) {
    sql_skip_item(r, 1); // an index changes no answer
    return sql_advance(r);
  }
  if (pass_constraint_name(r))
    return -1;
  if (sql_at(r, "primary"))
    return table_constraint(r, table, has_key);
  if (begins_constraint(r))
    return sql_expected(r, "a column or PRIMARY KEY");
  if (table->ncolumns == SQL_COLUMNS_MAX)
    return sql_refuse(r, "a table has at most %d columns", SQL_COLUMNS_MAX);
  return sql_name(r, "a column", table->columns[table->ncolumns++]) ||
                 type_and_constraints(r, table, has_key)
             ? -1
             : 0;
}

// All columns, of which each may be refused.
static int items(struct sql_reader *r, struct sql_schema *schema,
                 struct sql_table *table) {
  const uint32_t depth = r->depth;
  bool has_key = false;
  do {
    if (!sql_advance(r) && !read_schema_item(r, table, &has_key) &&
        (sql_at(r, ",") || sql_at(r, ")")))
      continue;
    table->is_refused = true;
    note_schema_refusal(r, schema);
    if (!sql_at(r, ",") || r->depth > depth)
      sql_skip_item(r, depth);
    if (sql_advance(r))
      return -1;
  } while (sql_at(r, ","));
  table->end = r->p;
  if (has_key || table->is_refused)
    return sql_require(r, ")");
  table->is_refused = true;
  return sql_refuse(r,
                    "%s needs a PRIMARY KEY, which identifies its rows; "
                    "write id int PRIMARY KEY, and number the rows",
                    table->name);
}

static int pass_if_not_exists(struct sql_reader *r) {
  const int said = sql_accept(r, "if");
  return said < 0 ||
                 (said && (sql_require(r, "not") || sql_require(r, "exists")))
             ? -1
             : 0;
}

static int create(struct sql_reader *r, struct sql_schema *schema) {
  char ignored[64];
  if (schema->ntables == SQL_TABLES_MAX)
    return sql_refuse(r, "a schema has at most %d tables", SQL_TABLES_MAX);
  struct sql_table *table = &schema->tables[schema->ntables];
  *table = (struct sql_table){.line = r->at};
  if (sql_require(r, "table") || pass_if_not_exists(r) ||
      sql_qualifier(r, ignored) || sql_name(r, "a table", table->name))
    return -1;
  if (sql_find_table(schema, table->name))
    return sql_refuse(r, "there is a table %s already", table->name);
  if (!sql_at(r, "("))
    return sql_expected(r, "\"(\"");
  table->begin = r->token;
  table->end = r->p; // as long as the columns are not read
  schema->ntables++;
  return items(r, schema, table);
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

static void keep_first_values(struct sql_schema *schema,
                              const struct sql_table *table,
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
    keep_first_values(schema, table, values);
  return sql_require(r, ")");
}

static int read_schema_insert(struct sql_reader *r, struct sql_schema *schema,
                              FILE *out) {
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

static bool is_any_of(const struct sql_reader *r, const char *const *words) {
  bool is = false;
  for (; *words; words++)
    is |= sql_at(r, *words);
  return is;
}

// Statements that change no answer: the tables are always new, and an index
// that is not unique is a matter of speed.
static bool changes_nothing(struct sql_reader *r) {
  static const char *const words[] = {"drop",   "grant", "revoke", "comment",
                                      "set",    "use",   "begin",  "start",
                                      "commit", "lock",  "unlock", "analyze",
                                      "vacuum", "index", NULL};
  return is_any_of(r, words);
}

// ENGINE=InnoDB and the like, behind the columns.
static bool is_table_option(const struct sql_reader *r) {
  static const char *const words[] = {"engine",     "default", "charset",
                                      "character",  "collate", "comment",
                                      "without",    "with",    "auto_increment",
                                      "row_format", NULL};
  return is_any_of(r, words);
}

static int pass_statement(struct sql_reader *r) {
  sql_skip_statement(r);
  return sql_advance(r);
}

static int read_schema_statement(struct sql_reader *r,
                                 struct sql_schema *schema, FILE *out) {
  const bool creates = sql_at(r, "create");
  if (changes_nothing(r))
    return pass_statement(r);
  if (!creates && !sql_at(r, "insert"))
    return sql_expected(r, "CREATE TABLE or INSERT");
  if (sql_advance(r))
    return -1;
  if (creates && changes_nothing(r))
    return pass_statement(r);
  if (creates ? create(r, schema) : read_schema_insert(r, schema, out))
    return -1;
  return creates && is_table_option(r) ? pass_statement(r)
                                       : sql_require(r, ";");
}

int sql_read_schema(struct sql_reader *r, struct sql_schema *schema,
                    FILE *out) {
  int failed = sql_advance(r);
  while (failed || r->kind != SQL_END) {
    failed = failed || read_schema_statement(r, schema, out);
    if (!failed)
      continue;
    note_schema_refusal(r, schema);
    sql_skip_statement(r);
    failed = sql_advance(r);
  }
  return sql_tell(&schema->refusals, false, r->error);
}
