// SPDX-License-Identifier: GPL-3.0-or-later
// Shapes of tables and statements (drivers/sql_text/sql_shape.h).
#include "config.h"

#include "drivers/sql_text/sql_shape.h"

#include "base/memory.h"
#include "drivers/options.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MAX_TABLES = 64, MAX_COLUMNS = 64 };

static int check_sql_table(const char *name, const char *schema,
                           struct error *error) {
  const char *dot = strchr(name, '.');
  bool valid = *name && strlen(name) < 60 && dot != name &&
               !(dot && (!dot[1] || strchr(dot + 1, '.')));
  for (const char *c = name; *c; c++)
    valid &= isalnum((unsigned char)*c) || *c == '_' || *c == '.';
  return valid
             ? 0
             : error_set_usage(error,
                               "table=%s is not possible; it can be a name "
                               "or %s.NAME of letters, digits and underscores",
                               name, schema);
}

int sql_shape_read(struct sql_shape *shape, const char *const *values,
                   const char *const *writes, const char *const *indexes,
                   const char *schema, struct error *error) {
  static const char *const reads[] = {"plain", "for-update", "for-share", NULL};
  int index, read;
  if (check_sql_table(values[SQL_TABLE], schema, error) ||
      option_number("tables", values[SQL_TABLES], 1, MAX_TABLES, &shape->tables,
                    error) ||
      option_number("columns", values[SQL_COLUMNS], 1, MAX_COLUMNS,
                    &shape->columns, error) ||
      (index = option_choice("index", values[SQL_INDEX], indexes, error)) < 0 ||
      (read = option_choice("read", values[SQL_READ], reads, error)) < 0 ||
      (shape->write =
           option_choice("write", values[SQL_WRITE], writes, error)) < 0)
    return -1;
  snprintf(shape->table, sizeof shape->table, "%s", values[SQL_TABLE]);
  shape->index = (enum sql_index)index;
  shape->by_secondary = index == SQL_INDEX_SECONDARY;
  shape->read = (enum sql_read)read;
  return 0;
}

int sql_shape_check_keys(const struct sql_shape *shape, struct error *error) {
  return shape->index < SQL_INDEX_NONE
             ? 0
             : error_set_usage(error, "this index is one of tables of rows; "
                                      "index can be primary or secondary here");
}

uint64_t sql_rows(const struct sql_shape *shape, uint64_t nkeys,
                  uint32_t table) {
  const uint64_t rows = (nkeys + shape->columns - 1) / shape->columns;
  return rows / shape->tables + (rows % shape->tables > table);
}

char *sql_table_name(const struct sql_shape *shape, uint32_t table,
                     char quote) {
  const char *dot = strchr(shape->table, '.');
  char number[16] = "";
  if (shape->tables > 1)
    snprintf(number, sizeof number, "_%u", table + 1);
  if (!dot)
    return xasprintf("%c%s%s%c", quote, shape->table, number, quote);
  return xasprintf("%c%.*s%c.%c%s%s%c", quote, (int)(dot - shape->table),
                   shape->table, quote, quote, dot + 1, number, quote);
}

void sql_column_name(const struct sql_shape *shape, uint32_t column,
                     char name[SQL_COLUMN_ROOM]) {
  if (shape->columns == 1)
    snprintf(name, SQL_COLUMN_ROOM, "v");
  else
    snprintf(name, SQL_COLUMN_ROOM, "v%u", column + 1);
}

size_t sql_longer_name(const char *table, size_t length) {
  if (length >= strlen(table))
    return 0;
  const char *next = strchr(table + length + 1, '_');
  return next ? (size_t)(next - table) : strlen(table);
}

bool sql_is_ours(const char *comment) {
  return !strncmp(comment, SQL_COMMENT, strlen(SQL_COMMENT));
}

char *sql_comment_of_run(uint64_t run) {
  return xasprintf(SQL_COMMENT " (%llu)", (unsigned long long)run);
}
