// SPDX-License-Identifier: GPL-3.0-or-later
// The tables and statements of a run on an SQL database: the
// options that say so, and where a key is.
//
// A key is a cell (PolySI, section 6: table, primary key and column): with
// `columns` columns per row and `tables` tables, consecutive keys fill a row
// and consecutive rows go round the tables.
#ifndef DRIVERS_SQL_TEXT_SQL_SHAPE_H
#define DRIVERS_SQL_TEXT_SQL_SHAPE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The first rows of the option table of a driver that uses this.
enum sql_option {
  SQL_TABLE,
  SQL_TABLES,
  SQL_COLUMNS,
  SQL_INDEX,
  SQL_READ,
  SQL_WRITE,
  SQL_OPTIONS
};

// Those that are the same everywhere.
#define SQL_SHAPE_ROWS                                                         \
  [SQL_TABLES] = {"tables", "1",                                               \
                  "1 to 64 tables, among which rows are dealt out"},           \
  [SQL_COLUMNS] = {"columns", "1",                                             \
                   "1 to 64 columns: keys that share a row, as cells do"}
#define SQL_INDEX_HELP                                                         \
  "primary or secondary: which index reads go through; of tables of rows, "    \
  "the index on the column of most conditions: "

enum sql_index {
  SQL_INDEX_PRIMARY,
  SQL_INDEX_SECONDARY,
  SQL_INDEX_NONE, // from here on, of tables of rows
  SQL_INDEX_BTREE,
  SQL_INDEX_HASH,
  SQL_INDEX_BRIN,
  SQL_INDEX_GIN,
};

enum sql_read { SQL_READ_PLAIN, SQL_READ_FOR_UPDATE, SQL_READ_FOR_SHARE };

struct sql_shape {
  char table[64]; // name, possibly with a schema in front: letters, digits and
                  // underscores
  uint32_t tables, columns;
  bool by_secondary; // reads go through a secondary index
  enum sql_index index;
  enum sql_read read;
  int write; // which of the driver's ways to write
};

struct sql_cell {
  uint32_t table, column;
  uint64_t row;
};

static inline struct sql_cell sql_cell(const struct sql_shape *shape,
                                       uint64_t key) {
  const uint64_t row = key / shape->columns;
  return (struct sql_cell){(uint32_t)(row % shape->tables),
                           (uint32_t)(key % shape->columns),
                           row / shape->tables};
}

// The number of a statement among those of one cell each; `statement` counts
// kinds of statements.
static inline size_t sql_statement_number(const struct sql_shape *shape,
                                          unsigned statement,
                                          const struct sql_cell *cell) {
  return ((size_t)statement * shape->tables + cell->table) * shape->columns +
         cell->column;
}

// How many rows of a table hold the keys from 0 to nkeys - 1.
uint64_t sql_rows(const struct sql_shape *shape, uint64_t nkeys,
                  uint32_t table);

// Reads the first SQL_OPTIONS values of a target's options.  `writes` are the
// words for ways to write and `indexes` those of enum sql_index that the
// database has, both ending with NULL; `schema` is what the database calls what
// may stand in front of a table.  Returns 0, or -1 with a sentence.
int sql_shape_read(struct sql_shape *shape, const char *const *values,
                   const char *const *writes, const char *const *indexes,
                   const char *schema, struct error *error);

// Keys have the first two indexes only; -1 with a sentence.
int sql_shape_check_keys(const struct sql_shape *shape, struct error *error);

// The table's name between quotes of this kind; free with free().
char *sql_table_name(const struct sql_shape *shape, uint32_t table, char quote);

enum { SQL_COLUMN_ROOM = 16 };
void sql_column_name(const struct sql_shape *shape, uint32_t column,
                     char name[SQL_COLUMN_ROOM]);

// A run whose table option is a longer name that ends before a "_" of this
// table, or with it, may have made the table, too: the length of the next such
// name that is longer than `length`; 0 if there is none.
size_t sql_longer_name(const char *table, size_t length);

// The comment on each of our tables, so that setup never drops a foreign one.
#define SQL_COMMENT "made by isostress, which drops it in its next run"
bool sql_is_ours(const char *comment);

// The comment on the first table says which run made them, for whoever follows;
// free with free().
char *sql_comment_of_run(uint64_t run);

#endif
