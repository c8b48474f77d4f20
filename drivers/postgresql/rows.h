// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of rows on PostgreSQL.
#ifndef DRIVERS_POSTGRESQL_ROWS_H
#define DRIVERS_POSTGRESQL_ROWS_H

#include "drivers/postgresql/session.h"

// As in struct driver.
#define POSTGRESQL_EXECUTES                                                    \
  (1u << STATEMENT_SELECT | 1u << STATEMENT_LOCKING_SELECT |                   \
   1u << STATEMENT_INSERT | 1u << STATEMENT_UPDATE | 1u << STATEMENT_DELETE |  \
   1u << STATEMENT_INSERT_NEW)
enum outcome postgresql_execute(struct connection *connection,
                                const struct statement *statement,
                                uint64_t stamp, struct row_list *rows);

// Makes all tables of a run; -1 with a sentence.
int postgresql_make_rows(const struct postgresql_target *target, PGconn *pg,
                         const struct keyspace *keys, struct error *error);

// ---- target.c

// Executes statements; -1 with a sentence in which `what` cannot be done.
int postgresql_make(PGconn *pg, const char *sql, const char *what,
                    struct error *error);

// A table of this name that we have not made stays as it is: -1 with a
// sentence.
int postgresql_check_owner(PGconn *pg, const char *table, struct error *error);

#endif
