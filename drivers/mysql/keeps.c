// SPDX-License-Identifier: GPL-3.0-or-later
// The promises of MariaDB's and MySQL's settings about acknowledged commits
// (drivers/mysql/keeps.h): their manuals' pages on
// innodb_flush_log_at_trx_commit and semi-synchronous replication.
#include "config.h"

#include "drivers/mysql/keeps.h"

#include "drivers/mysql/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Writes the value of a variable of the server, an empty text if there is none.
static void ask_variable(MYSQL *mysql, const char *show, char value[64]) {
  MYSQL_RES *rows = mysql_real_query(mysql, show, strlen(show))
                        ? NULL
                        : mysql_store_result(mysql);
  MYSQL_ROW row = rows ? mysql_fetch_row(rows) : NULL;
  snprintf(value, 64, "%s", row && row[1] ? row[1] : "");
  mysql_free_result(rows);
}

// The names of MariaDB, of MySQL before 8.0.26 and after.
static bool replicates_synchronously(MYSQL *mysql) {
  char on[64], point[64];
  ask_variable(mysql,
               "SHOW GLOBAL VARIABLES WHERE Variable_name IN"
               " ('rpl_semi_sync_master_enabled',"
               " 'rpl_semi_sync_source_enabled')",
               on);
  ask_variable(mysql,
               "SHOW GLOBAL VARIABLES WHERE Variable_name IN"
               " ('rpl_semi_sync_master_wait_point',"
               " 'rpl_semi_sync_source_wait_point')",
               point);
  return !strcasecmp(on, "ON") && !strcasecmp(point, "AFTER_SYNC");
}

static void add_mysql_reason(char *text, size_t room, const char *words) {
  const size_t used = strlen(text);
  snprintf(text + used, room - used, "%s%s", used ? ", " : "", words);
}

enum keeps_commits mysqldb_keeps(struct target *base, char *text, size_t room) {
  struct error error;
  char flush[64], replicas[64];
  *text = '\0';
  MYSQL *mysql = mysqldb_connect(mysqldb_of(base), &error);
  if (!mysql)
    return KEEPS_UNKNOWN;
  ask_variable(mysql, "SHOW VARIABLES LIKE 'innodb_flush_log_at_trx_commit'",
               flush);
  ask_variable(mysql,
               "SHOW GLOBAL STATUS WHERE Variable_name IN ('Slaves_connected',"
               " 'Rpl_semi_sync_source_clients')",
               replicas);
  if (*flush && strcmp(flush, "1") != 0)
    add_mysql_reason(text, room, "innodb_flush_log_at_trx_commit is not 1");
  if (atoi(replicas) && !replicates_synchronously(mysql))
    add_mysql_reason(text, room, "replicas are asynchronous");
  mysql_close(mysql);
  return *text ? KEEPS_NOT : *flush ? KEEPS_COMMITS : KEEPS_UNKNOWN;
}

bool mysqldb_takes_writes(struct connection *connection) {
  MYSQL *mysql = ((struct mysqldb_session *)connection)->mysql;
  char value[64];
  ask_variable(mysql, "SHOW GLOBAL VARIABLES LIKE 'read_only'", value);
  return !strcasecmp(value, "OFF");
}
