// SPDX-License-Identifier: GPL-3.0-or-later
// The SQL that a run uses on MariaDB or MySQL, by the shape of its tables and
// statements.
#ifndef DRIVERS_MYSQL_SQL_H
#define DRIVERS_MYSQL_SQL_H

#include "drivers/sql_text/sql_shape.h"

enum mysqldb_statement {
  MYSQLDB_GET,        // a register or a list
  MYSQLDB_GET_LOCKED, // what is there now, whatever the snapshot
  MYSQLDB_UPDATE,
  MYSQLDB_UPSERT,
  MYSQLDB_APPEND,
  MYSQLDB_REPLACE, // if the expected value is there
  MYSQLDB_INSERT,  // if nothing is there
  MYSQLDB_STATEMENTS
};

// Ways to write.
enum { MYSQLDB_WRITE_UPDATE, MYSQLDB_WRITE_UPSERT };

// A statement; free with free().
char *mysqldb_text(const struct sql_shape *shape,
                   enum mysqldb_statement statement, uint32_t table,
                   uint32_t column);

// The statement's parameters in order: r the row, v the value to be written, b
// the same as eight bytes, e the value expected.
const char *mysqldb_parameters(const struct sql_shape *shape,
                               enum mysqldb_statement statement);

// CREATE TABLE; free with free().  Lists are the concatenation of their
// elements, eight bytes each, the most significant first.
char *mysqldb_create(const struct sql_shape *shape, uint32_t table, bool lists);

// Adds the rows from `have` up to `want`, at most twice as many, or the first
// one if there is none; free with free().
char *mysqldb_fill(const struct sql_shape *shape, uint32_t table, uint64_t have,
                   uint64_t want);

#endif
