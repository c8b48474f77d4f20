// SPDX-License-Identifier: GPL-3.0-or-later
// The SQL that a run uses on MariaDB or MySQL, by the shape of its tables and
// statements.
//
// A key is a cell (PolySI, section 6: table, primary key and column): with
// `columns` columns per row and `tables` tables, consecutive keys fill a row
// and consecutive rows go round the tables.
#ifndef DRIVERS_MYSQL_SQL_H
#define DRIVERS_MYSQL_SQL_H

#include <stdbool.h>
#include <stdint.h>

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

enum mysqldb_read {
  MYSQLDB_READ_PLAIN,
  MYSQLDB_READ_UPDATE,
  MYSQLDB_READ_SHARE
};
enum mysqldb_write { MYSQLDB_WRITE_UPDATE, MYSQLDB_WRITE_UPSERT };

struct mysqldb_shape {
  const char *table; // name, possibly with a database in front: letters, digits
                     // and underscores
  uint32_t tables, columns;
  bool by_secondary; // reads go through a secondary index
  enum mysqldb_read read;
  enum mysqldb_write write;
};

struct mysqldb_cell {
  uint32_t table, column;
  uint64_t row;
};

static inline struct mysqldb_cell
mysqldb_cell(const struct mysqldb_shape *shape, uint64_t key) {
  const uint64_t row = key / shape->columns;
  return (struct mysqldb_cell){(uint32_t)(row % shape->tables),
                               (uint32_t)(key % shape->columns),
                               row / shape->tables};
}

// How many rows of a table hold the keys from 0 to nkeys - 1.
uint64_t mysqldb_rows(const struct mysqldb_shape *shape, uint64_t nkeys,
                      uint32_t table);

// The table's name in backticks; free with free().
char *mysqldb_table(const struct mysqldb_shape *shape, uint32_t table);

// A statement; free with free().
char *mysqldb_text(const struct mysqldb_shape *shape,
                   enum mysqldb_statement statement, uint32_t table,
                   uint32_t column);

// The statement's parameters in order: r the row, v the value to be written, b
// the same as eight bytes, e the value expected.
const char *mysqldb_parameters(const struct mysqldb_shape *shape,
                               enum mysqldb_statement statement);

// CREATE TABLE; free with free().  Lists are the concatenation of their
// elements, eight bytes each, the most significant first.
char *mysqldb_create(const struct mysqldb_shape *shape, uint32_t table,
                     bool lists);

// Adds the rows from `have` up to `want`, at most twice as many, or the first
// one if there is none; free with free().
char *mysqldb_fill(const struct mysqldb_shape *shape, uint32_t table,
                   uint64_t have, uint64_t want);

// What is written as a comment on each table, so that setup never drops one
// that is not ours.
#define MYSQLDB_COMMENT "made by isostress, which drops it in its next run"

#endif
