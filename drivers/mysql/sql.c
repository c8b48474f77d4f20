// SPDX-License-Identifier: GPL-3.0-or-later
// Composes SQL that MariaDB and MySQL both understand (drivers/mysql/sql.h).
#include "config.h"

#include "drivers/mysql/sql.h"

#include "base/memory.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *mysql_text_of_get(const struct sql_shape *shape, const char *table,
                               const char *v, const char *lock) {
  return xasprintf("SELECT %s FROM %s%s WHERE %s = ?%s", v, table,
                   shape->by_secondary ? " FORCE INDEX (s)" : "",
                   shape->by_secondary ? "s" : "k", lock);
}

// `ignore` and `update` say what happens if a row is there.
static char *text_of_insert(const struct sql_shape *shape, const char *table,
                            const char *v, const char *ignore,
                            const char *update) {
  const bool s = shape->by_secondary;
  return xasprintf("INSERT%s INTO %s (k, %s%s) VALUES (?, %s?)%s", ignore,
                   table, s ? "s, " : "", v, s ? "?, " : "", update);
}

static char *mysql_text_of_upsert(const struct sql_shape *shape,
                                  const char *table, const char *v,
                                  bool append) {
  char update[120];
  if (append)
    snprintf(update, sizeof update,
             " ON DUPLICATE KEY UPDATE %s ="
             " CONCAT(COALESCE(%s, ''), VALUES(%s))",
             v, v, v);
  else
    snprintf(update, sizeof update, " ON DUPLICATE KEY UPDATE %s = VALUES(%s)",
             v, v);
  return text_of_insert(shape, table, v, "", update);
}

static char *mysql_text_of(const struct sql_shape *shape,
                           enum mysqldb_statement statement, const char *table,
                           const char *v) {
  static const char *const locks[] = {
      [SQL_READ_PLAIN] = "",
      [SQL_READ_FOR_UPDATE] = " FOR UPDATE",
      [SQL_READ_FOR_SHARE] = " LOCK IN SHARE MODE",
  };
  switch (statement) {
  case MYSQLDB_GET:
    return mysql_text_of_get(shape, table, v, locks[shape->read]);
  case MYSQLDB_GET_LOCKED:
    return mysql_text_of_get(shape, table, v, locks[SQL_READ_FOR_SHARE]);
  case MYSQLDB_UPDATE:
    return xasprintf("UPDATE %s SET %s = ? WHERE k = ?", table, v);
  case MYSQLDB_UPSERT:
    return mysql_text_of_upsert(shape, table, v, false);
  case MYSQLDB_APPEND:
    return mysql_text_of_upsert(shape, table, v, true);
  case MYSQLDB_REPLACE:
    return xasprintf("UPDATE %s SET %s = ? WHERE k = ? AND %s = ?", table, v,
                     v);
  default:
    assert(statement == MYSQLDB_INSERT);
    return text_of_insert(shape, table, v, " IGNORE", "");
  }
}

char *mysqldb_text(const struct sql_shape *shape,
                   enum mysqldb_statement statement, uint32_t table,
                   uint32_t column) {
  char v[SQL_COLUMN_ROOM];
  char *name = sql_table_name(shape, table, '`');
  sql_column_name(shape, column, v);
  char *text = mysql_text_of(shape, statement, name, v);
  free(name);
  return text;
}

const char *mysqldb_parameters(const struct sql_shape *shape,
                               enum mysqldb_statement statement) {
  static const char *const by_statement[MYSQLDB_STATEMENTS] = {
      [MYSQLDB_GET] = "r",     [MYSQLDB_GET_LOCKED] = "r",
      [MYSQLDB_UPDATE] = "vr", [MYSQLDB_UPSERT] = "rv",
      [MYSQLDB_APPEND] = "rb", [MYSQLDB_REPLACE] = "vre",
      [MYSQLDB_INSERT] = "rv",
  };
  const char *parameters = by_statement[statement];
  if (!shape->by_secondary || *parameters != 'r' || !parameters[1])
    return parameters;
  return statement == MYSQLDB_APPEND ? "rrb" : "rrv";
}

char *mysqldb_create(const struct sql_shape *shape, uint32_t table,
                     bool lists) {
  struct arena arena = {0};
  char *name = sql_table_name(shape, table, '`');
  const bool s = shape->by_secondary;
  const char *text =
      arena_printf(&arena, "CREATE TABLE %s (k BIGINT NOT NULL PRIMARY KEY%s",
                   name, s ? ", s BIGINT NOT NULL, KEY s (s)" : "");
  for (uint32_t column = 0; column < shape->columns; column++) {
    char v[SQL_COLUMN_ROOM];
    sql_column_name(shape, column, v);
    text = arena_printf(&arena, "%s, %s %s", text, v,
                        lists ? "LONGBLOB" : "BIGINT NOT NULL DEFAULT 0");
  }
  char *copy = xasprintf("%s) ENGINE=InnoDB COMMENT='" SQL_COMMENT "'", text);
  arena_free(&arena);
  free(name);
  return copy;
}

char *mysqldb_fill(const struct sql_shape *shape, uint32_t table, uint64_t have,
                   uint64_t want) {
  assert(want > have);
  char *name = sql_table_name(shape, table, '`');
  const char *s = shape->by_secondary ? ", s" : "";
  const unsigned long long first = have, n = want - have;
  char *text;
  if (!have)
    text = xasprintf("INSERT INTO %s (k%s) VALUES (0%s)", name, s,
                     shape->by_secondary ? ", 0" : "");
  else if (shape->by_secondary)
    text = xasprintf("INSERT INTO %s (k, s) SELECT k + %llu, s + %llu FROM %s"
                     " WHERE k < %llu",
                     name, first, first, name, n);
  else
    text = xasprintf("INSERT INTO %s (k) SELECT k + %llu FROM %s"
                     " WHERE k < %llu",
                     name, first, name, n);
  free(name);
  return text;
}
