// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of a script and its statements on them as SQL that a person types:
// without what a driver adds to learn which version of a row each one saw.
#ifndef STEPS_PLAIN_SQL_H
#define STEPS_PLAIN_SQL_H

#include "steps/script.h"

#include <stdio.h>

// The differences between databases.  The tables are in a schema of their own,
// where no table of the user's is: it is created, each terminal turns to it,
// and it is dropped.  NULL: the database has no schemas, so that the tables are
// in a database of their own from the beginning.
struct plain_sql {
  const char *create, *use, *drop;
  const char *options;    // of CREATE TABLE
  const char *lock;       // behind a SELECT that locks
  const char *nothing[2]; // INSERT or nothing: what is in front of INTO, and
                          // what is at the end
  bool divides_exactly;   // 5 / 2 is 2.5
};

#define PLAIN_SQL_SCHEMA "isostress_try"

// Creates the tables with the rows that are there at first, and drops them.
// Each command is a line.
void plain_sql_put_tables(FILE *out, const struct plain_sql *sql,
                          const struct script *script);
void plain_sql_put_drops(FILE *out, const struct plain_sql *sql,
                         const struct script *script);

// Shows what the steps left in the tables, a line each.
void plain_sql_put_last(FILE *out, const struct plain_sql *sql,
                        const struct script *script);

// The statement of a step, in a terminal that has turned to the schema, without
// the end of the line.
void plain_sql_put_statement(FILE *out, const struct plain_sql *sql,
                             const struct script *script,
                             const struct step *step);

// Is it typed as the user's own script has it?
bool plain_sql_is_own(const struct plain_sql *sql, const struct step *step);

#endif
