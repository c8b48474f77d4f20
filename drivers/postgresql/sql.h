// SPDX-License-Identifier: GPL-3.0-or-later
// The SQL that a run uses, by the shape of its tables and statements.
#ifndef DRIVERS_POSTGRESQL_SQL_H
#define DRIVERS_POSTGRESQL_SQL_H

#include "drivers/sql_text/sql_shape.h"

enum postgresql_statement {
  POSTGRESQL_GET, // a register or a list
  POSTGRESQL_UPDATE,
  POSTGRESQL_UPSERT,
  POSTGRESQL_APPEND,
  POSTGRESQL_REPLACE_VALUE,   // if the third parameter is there
  POSTGRESQL_REPLACE_INITIAL, // if the initial value or nothing is there
  POSTGRESQL_STATEMENTS
};

// Ways to write.
enum { WRITE_UPDATE, WRITE_UPSERT, WRITE_UPDATE_RETURNING };

// Statements; free with free().  Parameters are: $1 the row, $2 the value to
// be written, $3 the value expected; all are bigint, and a statement has the
// first `postgresql_nparameters` of them.
int postgresql_nparameters(enum postgresql_statement statement);
char *postgresql_text(const struct sql_shape *shape,
                      enum postgresql_statement statement, uint32_t table,
                      uint32_t column);

// Makes a table, and fills it with this many rows.
char *postgresql_create(const struct sql_shape *shape, uint32_t table,
                        bool lists, uint64_t nrows);

#endif
