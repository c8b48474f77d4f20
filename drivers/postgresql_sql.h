// SPDX-License-Identifier: GPL-3.0-or-later
// The SQL that a run uses, by the shape of its tables and statements.
//
// A key is a cell (PolySI, section 6: table, primary key and column): with
// `columns` columns per row and `tables` tables, consecutive keys fill a row
// and consecutive rows go round the tables.
#ifndef DRIVERS_POSTGRESQL_SQL_H
#define DRIVERS_POSTGRESQL_SQL_H

#include <stdbool.h>
#include <stdint.h>

enum postgresql_statement {
  POSTGRESQL_GET, // a register or a list
  POSTGRESQL_UPDATE,
  POSTGRESQL_UPSERT,
  POSTGRESQL_APPEND,
  POSTGRESQL_REPLACE_VALUE,   // if the third parameter is there
  POSTGRESQL_REPLACE_INITIAL, // if the initial value or nothing is there
  POSTGRESQL_STATEMENTS
};

enum postgresql_read { READ_PLAIN, READ_FOR_UPDATE, READ_FOR_SHARE };
enum postgresql_write { WRITE_UPDATE, WRITE_UPSERT, WRITE_UPDATE_RETURNING };

struct postgresql_shape {
  const char *table; // name, possibly with a schema in front: letters, digits
                     // and underscores
  uint32_t tables, columns;
  bool by_secondary; // reads go through a secondary index
  enum postgresql_read read;
  enum postgresql_write write;
};

struct postgresql_cell {
  uint32_t table, column;
  uint64_t row;
};

static inline struct postgresql_cell
postgresql_cell(const struct postgresql_shape *shape, uint64_t key) {
  const uint64_t row = key / shape->columns;
  return (struct postgresql_cell){(uint32_t)(row % shape->tables),
                                  (uint32_t)(key % shape->columns),
                                  row / shape->tables};
}

// How many rows of a table hold the keys from 0 to nkeys - 1.
uint64_t postgresql_rows(const struct postgresql_shape *shape, uint64_t nkeys,
                         uint32_t table);

// The table's name in quotes, and as a constant in SQL; free with free().
char *postgresql_table(const struct postgresql_shape *shape, uint32_t table);

// Statements; free with free().  Parameters are: $1 the row, $2 the value to
// be written, $3 the value expected; all are bigint, and a statement has the
// first `postgresql_nparameters` of them.
int postgresql_nparameters(enum postgresql_statement statement);
char *postgresql_text(const struct postgresql_shape *shape,
                      enum postgresql_statement statement, uint32_t table,
                      uint32_t column);

// Makes a table, and fills it with this many rows.
char *postgresql_create(const struct postgresql_shape *shape, uint32_t table,
                        bool lists, uint64_t nrows);

// What is written as a comment on each table, so that setup never drops one
// that is not ours.
#define POSTGRESQL_COMMENT "made by isostress, which drops it in its next run"

#endif
