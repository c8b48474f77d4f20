// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of a script and its statements on them as SQL that a person types:
// without what a driver adds to learn which version of a row each one saw.
#ifndef STEPS_PLAIN_SQL_H
#define STEPS_PLAIN_SQL_H

#include "drivers/words.h"
#include "steps/script.h"

#include <stdio.h>

// Creates the tables with the rows that are there at first, and drops them.
// Each command is a line.
void plain_sql_put_tables(FILE *out, const struct shell_sql *sql,
                          const struct script *script);
void plain_sql_put_drops(FILE *out, const struct shell_sql *sql,
                         const struct script *script);

// Shows what the steps left in the tables, a line each.
void plain_sql_put_last(FILE *out, const struct shell_sql *sql,
                        const struct script *script);

// The statement of a step, in a terminal that has turned to the schema, without
// the end of the line.
void plain_sql_put_statement(FILE *out, const struct shell_sql *sql,
                             const struct script *script,
                             const struct step *step);

// Is it typed as the user's own script has it?
bool plain_sql_is_own(const struct shell_sql *sql, const struct step *step);

#endif
