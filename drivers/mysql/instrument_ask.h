// SPDX-License-Identifier: GPL-3.0-or-later
// Statements of the user's own SQL on MariaDB and MySQL, with columns that show
// the versions of the rows that a SELECT reads.
#ifndef DRIVERS_MYSQL_INSTRUMENT_ASK_H
#define DRIVERS_MYSQL_INSTRUMENT_ASK_H

#include "drivers/mysql/instrument.h"

void mysqldb_choose_way(struct target *target, const char *text,
                        const struct sql_outline *outline,
                        const struct instrument_tables *tables,
                        struct instrument_way *way);
enum outcome mysqldb_execute_own(struct connection *connection,
                                 const char *text,
                                 const struct sql_outline *outline,
                                 const struct instrument_way *way,
                                 struct instrument_answer *answer);

// The statement with its added columns: of each table one, or two where they
// are gathered.  Free with free().
char *mysqldb_own_text(const struct mysqldb_instrument *instrument,
                       const char *text, const struct sql_outline *outline,
                       const struct instrument_way *way);

#endif
