// SPDX-License-Identifier: GPL-3.0-or-later
// Drops the tables that runs left (`clean` of drivers/driver.h).
#include "config.h"

#include "drivers/mysql/target.h"

#include "base/memory.h"
#include "drivers/claim.h"
#include "drivers/mysql/instrument.h"
#include "drivers/mysql/rows.h"
#include "drivers/mysql/session.h"

#include <stdlib.h>
#include <string.h>

// Our tables of this name, and those whose names go on with "_": their names
// for SQL, and as the option `table` could have named them.
static char *query_of_tables(const struct mysqldb_target *target) {
  const char *table = target->shape.table, *dot = strchr(table, '.');
  const char *name = dot ? dot + 1 : table;
  const int length = dot ? (int)(dot - table) : 0;
  char *schema =
      dot ? xasprintf("'%.*s'", length, table) : xasprintf("DATABASE()");
  char *sql = xasprintf(
      "SELECT CONCAT('`', REPLACE(TABLE_SCHEMA, '`', '``'), '`.`',"
      " REPLACE(TABLE_NAME, '`', '``'), '`'), CONCAT('%.*s', TABLE_NAME)"
      " FROM information_schema.TABLES WHERE TABLE_SCHEMA = %s"
      " AND (CAST(TABLE_NAME AS BINARY) = '%s'"
      " OR CAST(LEFT(TABLE_NAME, %zu) AS BINARY) = '%s_')"
      " AND LEFT(TABLE_COMMENT, %zu) = '" SQL_COMMENT "' ORDER BY 1",
      dot ? length + 1 : 0, table, schema, name, strlen(name) + 1, name,
      strlen(SQL_COMMENT));
  free(schema);
  return sql;
}

// A run may use the table under a longer name, of which ours is the beginning.
static int check_mysql_users(const struct mysqldb_target *target, MYSQL *mysql,
                             const char *table, struct error *error) {
  char server[MYSQLDB_NAME_ROOM];
  size_t length = strlen(target->shape.table);
  while ((length = sql_longer_name(table, length))) {
    char *name = xasprintf("%.*s", (int)length, table);
    const bool used = mysqldb_is_claimed(mysql, name);
    free(name);
    if (!used)
      continue;
    mysqldb_name_server(target, server, sizeof server);
    char *names = xasprintf("the table %s", table);
    claim_refuse(server, names, "table", false, error);
    free(names);
    return -1;
  }
  return 0;
}

static int drop_table(const struct mysqldb_target *target, MYSQL *mysql,
                      const char *name, struct error *error) {
  char *sql = xasprintf("DROP TABLE %s", name);
  char *what = xasprintf("cannot drop the table %s", name);
  const int failed = mysqldb_make(target, mysql, sql, what, error);
  free(what);
  free(sql);
  return failed;
}

static int drop_mysql_tables(const struct mysqldb_target *target, MYSQL *mysql,
                             uint64_t *removed, struct error *error) {
  char *sql = query_of_tables(target);
  int failed =
      mysqldb_make(target, mysql, sql, "cannot look for tables", error);
  free(sql);
  MYSQL_RES *tables = failed ? NULL : mysql_store_result(mysql);
  MYSQL_ROW row;
  while (tables && !failed && (row = mysql_fetch_row(tables)))
    failed = check_mysql_users(target, mysql, row[1], error);
  if (tables)
    mysql_data_seek(tables, 0);
  for (; tables && !failed && (row = mysql_fetch_row(tables)); ++*removed)
    failed = drop_table(target, mysql, row[0], error);
  mysql_free_result(tables);
  return failed;
}

int mysqldb_clean(struct target *base, uint64_t *removed, struct error *error) {
  struct mysqldb_target *target = (struct mysqldb_target *)base;
  MYSQL *mysql = mysqldb_claim(target, error);
  if (!mysql)
    return -1;
  target->claim = mysql; // until the target is closed
  *removed = 0;
  return mysqldb_own_drop(target, mysql, removed, error) ||
                 drop_mysql_tables(target, mysql, removed, error)
             ? -1
             : 0;
}
