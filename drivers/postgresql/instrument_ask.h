// SPDX-License-Identifier: GPL-3.0-or-later
// Statements of the user's own SQL on PostgreSQL, with columns that show the
// versions of the rows that a SELECT reads.
#ifndef DRIVERS_POSTGRESQL_INSTRUMENT_ASK_H
#define DRIVERS_POSTGRESQL_INSTRUMENT_ASK_H

#include "drivers/postgresql/instrument.h"

void postgresql_choose_way(struct target *target, const char *text,
                           const struct sql_outline *outline,
                           const struct instrument_tables *tables,
                           struct instrument_way *way);
enum outcome postgresql_execute_own(struct connection *connection,
                                    const char *text,
                                    const struct sql_outline *outline,
                                    const struct instrument_way *way,
                                    struct instrument_answer *answer);

#endif
