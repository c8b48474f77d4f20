// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of rows on MariaDB and MySQL.
#ifndef DRIVERS_MYSQL_ROWS_H
#define DRIVERS_MYSQL_ROWS_H

#include "drivers/mysql/session.h"

// As in struct driver.
#define MYSQLDB_EXECUTES                                                       \
  (1u << STATEMENT_SELECT | 1u << STATEMENT_LOCKING_SELECT |                   \
   1u << STATEMENT_INSERT | 1u << STATEMENT_UPDATE | 1u << STATEMENT_DELETE |  \
   1u << STATEMENT_INSERT_NEW)
enum outcome mysqldb_execute_rows(struct connection *connection,
                                  const struct statement *statement,
                                  uint64_t stamp, struct row_list *rows);
void mysqldb_forget_rows(struct mysqldb_session *session);

// Decides how rows are deleted; -1 with a sentence if the server cannot do what
// was asked for.
int mysqldb_choose_deletes(struct mysqldb_target *target, MYSQL *mysql,
                           struct error *error);

// Makes all tables of a run; -1 with a sentence.
int mysqldb_make_rows(const struct mysqldb_target *target, MYSQL *mysql,
                      const struct keyspace *keys, struct error *error);

// ---- target.c

// Executes a statement; -1 with a sentence in which `what` cannot be done.
int mysqldb_make(const struct mysqldb_target *target, MYSQL *mysql,
                 const char *sql, const char *what, struct error *error);

// A table of this name that we have not made stays as it is: -1 with a
// sentence.
int mysqldb_check_owner(const struct mysqldb_target *target, MYSQL *mysql,
                        const char *table, struct error *error);

#endif
