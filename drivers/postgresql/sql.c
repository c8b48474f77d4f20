// SPDX-License-Identifier: GPL-3.0-or-later
// Composes SQL (drivers/postgresql/sql.h).
#include "config.h"

#include "drivers/postgresql/sql.h"

#include "base/memory.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *postgresql_text_of_get(const struct sql_shape *shape,
                                    const char *table, const char *v) {
  static const char *const locks[] = {
      [SQL_READ_PLAIN] = "",
      [SQL_READ_FOR_UPDATE] = " FOR UPDATE",
      [SQL_READ_FOR_SHARE] = " FOR SHARE",
  };
  return xasprintf("SELECT %s FROM %s WHERE %s = $1%s", v, table,
                   shape->by_secondary ? "s" : "k", locks[shape->read]);
}

// `condition` is what must hold for the row that is there.
static char *text_of_update(const struct sql_shape *shape, const char *table,
                            const char *v, const char *condition) {
  const bool returning = shape->write == WRITE_UPDATE_RETURNING;
  return xasprintf("UPDATE %s SET %s = $2 WHERE k = $1%s%s%s", table, v,
                   condition, returning ? " RETURNING " : "",
                   returning ? v : "");
}

// `value` is stored if no row is there, else `update`, if `condition` holds.
static char *postgresql_text_of_upsert(const struct sql_shape *shape,
                                       const char *table, const char *v,
                                       const char *value, const char *update,
                                       const char *condition) {
  const bool s = shape->by_secondary;
  const bool returning = shape->write == WRITE_UPDATE_RETURNING;
  return xasprintf("INSERT INTO %s AS t (k, %s%s) VALUES ($1, %s%s)"
                   " ON CONFLICT (k) DO UPDATE SET %s = %s%s%s%s",
                   table, s ? "s, " : "", v, s ? "$1, " : "", value, v, update,
                   condition, returning ? " RETURNING t." : "",
                   returning ? v : "");
}

static char *postgresql_text_of(const struct sql_shape *shape,
                                enum postgresql_statement statement,
                                const char *table, const char *v) {
  char condition[64], update[64];
  switch (statement) {
  case POSTGRESQL_GET:
    return postgresql_text_of_get(shape, table, v);
  case POSTGRESQL_UPDATE:
    return text_of_update(shape, table, v, "");
  case POSTGRESQL_UPSERT:
    return postgresql_text_of_upsert(shape, table, v, "$2", "$2", "");
  case POSTGRESQL_APPEND:
    snprintf(update, sizeof update, "array_append(t.%s, $2)", v);
    return postgresql_text_of_upsert(shape, table, v, "ARRAY[$2]", update, "");
  case POSTGRESQL_REPLACE_VALUE:
    snprintf(condition, sizeof condition, " AND %s = $3", v);
    return text_of_update(shape, table, v, condition);
  default:
    assert(statement == POSTGRESQL_REPLACE_INITIAL);
    snprintf(condition, sizeof condition, " WHERE t.%s = 0", v);
    return postgresql_text_of_upsert(shape, table, v, "$2", "$2", condition);
  }
}

int postgresql_nparameters(enum postgresql_statement statement) {
  switch (statement) {
  case POSTGRESQL_GET:
    return 1;
  case POSTGRESQL_REPLACE_VALUE:
    return 3;
  default:
    return 2;
  }
}

char *postgresql_text(const struct sql_shape *shape,
                      enum postgresql_statement statement, uint32_t table,
                      uint32_t column) {
  char v[SQL_COLUMN_ROOM];
  char *name = sql_table_name(shape, table, '\"');
  sql_column_name(shape, column, v);
  char *text = postgresql_text_of(shape, statement, name, v);
  free(name);
  return text;
}

char *postgresql_create(const struct sql_shape *shape, uint32_t table,
                        bool lists, uint64_t nrows) {
  struct arena arena = {0};
  char *name = sql_table_name(shape, table, '\"');
  const bool s = shape->by_secondary;
  const char *text = arena_printf(
      &arena,
      "DROP TABLE IF EXISTS %s; CREATE TABLE %s (k bigint PRIMARY KEY%s", name,
      name, s ? ", s bigint NOT NULL" : "");
  for (uint32_t column = 0; column < shape->columns; column++) {
    char v[SQL_COLUMN_ROOM];
    sql_column_name(shape, column, v);
    text = arena_printf(&arena, "%s, %s bigint%s NOT NULL DEFAULT %s", text, v,
                        lists ? "[]" : "", lists ? "'{}'" : "0");
  }
  text = arena_printf(&arena, "%s); COMMENT ON TABLE %s IS '" SQL_COMMENT "';",
                      text, name);
  if (s)
    text = arena_printf(&arena, "%s CREATE INDEX ON %s (s);", text, name);
  if (nrows)
    text = arena_printf(&arena,
                        "%s INSERT INTO %s (k%s) SELECT k%s FROM"
                        " generate_series(0, %llu) AS k;",
                        text, name, s ? ", s" : "", s ? ", k" : "",
                        (unsigned long long)nrows - 1);
  char *copy = xstrdup(text);
  arena_free(&arena);
  free(name);
  return copy;
}
