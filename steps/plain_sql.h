// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of a script and its statements on them as SQL that a person types:
// without what a driver adds to learn which version of a row each one saw.
#ifndef STEPS_PLAIN_SQL_H
#define STEPS_PLAIN_SQL_H

#include "steps/script.h"

#include <stdio.h>

// The differences between databases.
struct plain_sql {
  const char *options;    // of CREATE TABLE
  const char *lock;       // behind a SELECT that locks
  const char *nothing[2]; // INSERT or nothing: what is in front of INTO, and
                          // what is at the end
};

// Creates the tables with the rows that are there at first, and drops them.
// Each command is a line; the tables have names that others hardly have.
void plain_sql_put_tables(FILE *out, const struct plain_sql *sql,
                          const struct script *script);
void plain_sql_put_drops(FILE *out, const struct script *script);

// Shows what the steps left in the tables, a line each.
void plain_sql_put_last(FILE *out, const struct script *script);

// The statement of a step, without the end of the line.
void plain_sql_put_statement(FILE *out, const struct plain_sql *sql,
                             const struct script *script,
                             const struct statement *statement);

#endif
