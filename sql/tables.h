// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of rows and the SQL statements on them, as a workload proposes them
// and a driver executes them.
//
// A row has a key, which is a number from 0 on, and columns, which are 64-bit
// integers that are never NULL.  A driver gives each table two more columns:
// the stamp of the statement that wrote the version of the row that is there,
// and the stamp of the version before it.  So a reader learns which statement
// wrote what it sees, and a statement that writes learns what it replaced.
#ifndef SQL_TABLES_H
#define SQL_TABLES_H

#include "base/operation.h"
#include "sql/predicate.h"
#include "sql/statement.h"

#include <stdbool.h>
#include <stdint.h>

// The value that a column has in the rows that are there at first: that of row
// `key` is least + key / step % count.
struct first_value {
  int64_t least;
  uint64_t step, count; // both at least 1
};

enum { TABLES_MOST = 16, TABLE_COLUMNS_MOST = PREDICATE_COLUMNS };
#define STATEMENT_KEY_END INT64_MAX // keys are below

struct table_spec {
  const char *name;
  struct predicate_columns columns;
  const struct first_value *first; // per column
  uint64_t nrows; // at first: those of the keys from 0 to nrows - 1
  // Further rows that are there at first, each its key and its columns: of
  // scripts, and of histories that come from elsewhere.
  const int64_t *listed;
  uint32_t nlisted;
  uint32_t indexed;    // the column that an index of the user's choice is on
  const char *own_key; // what the user's schema calls the key; NULL: id
};

// A condition of any number of statements.
struct template_spec {
  uint32_t table;
  struct predicate predicate;
};

struct tables {
  const struct table_spec *table;
  const struct template_spec *templates;
  uint32_t ntables, ntemplates;
};

// SET column = number or, if it adds, SET column = column + number.
struct column_set {
  uint8_t column;
  bool adds;
  int64_t number;
};

struct statement {
  enum statement_sort sort;
  uint32_t table;
  uint32_t template;     // its condition; of a sort that has one
  const int64_t *params; // of the condition
  // SELECT: returns the rows of the `limit` lowest keys; 0: all.  The condition
  // then ends with AND id <= $n, where $n is its last parameter; the caller
  // puts STATEMENT_KEY_END there and, if so many rows came, the last key
  // afterwards: then the condition says which rows these were.
  uint32_t limit;
  // INSERT and INSERT_NEW: the key of the row to insert.  INSERT_NEW has the
  // condition id = $1, whose parameter is the key.
  uint64_t key;
  const struct column_set *sets; // UPDATE: what it changes; others that insert:
  uint32_t nsets;                // all columns in their order, none adds
};

// The effect of a statement on one row: its enum op_kind.
struct seen_row {
  uint8_t kind;
  uint64_t key;
  uint64_t saw; // stamp of the version that it read or replaced; 0: that of the
                // row that was there at first, or none if it inserted the row
  uint32_t image; // where its columns are in the list's `numbers`: as it
                  // returned or wrote them; of a delete, those before
};

// Zero-initialised is empty.
struct row_list {
  struct seen_row *rows; // owned, as `numbers` is; free with row_list_free
  int64_t *numbers;
  uint32_t count, room, nnumbers, numbers_room;
  // An INSERT was refused, because the key was taken, and the transaction goes
  // on; or INSERT_NEW did nothing, because of a row that may be there for the
  // database alone (a soft delete).  No history has such a statement.
  bool refused;
  // All rows of the statement's table as it found them, before it wrote any, of
  // a database that tells more than statements return; else NULL.  Owned.
  struct row_list *found;
};

void row_list_clear(struct row_list *list);
void row_list_free(struct row_list *list);

// Adds a row and returns the place of its `ncolumns` columns, which the caller
// fills in before the next call.
int64_t *row_list_add(struct row_list *list, enum op_kind kind, uint64_t key,
                      uint64_t saw, uint32_t ncolumns);

static inline const int64_t *row_list_image(const struct row_list *list,
                                            uint32_t row) {
  return list->numbers + list->rows[row].image;
}

// The columns of a row that was there at first.
void table_first_row(const struct table_spec *table, uint64_t key,
                     int64_t *columns);

// The number of rows that are there at first, and one of them, counted from 0:
// returns its key.
static inline uint64_t table_first_rows(const struct table_spec *table) {
  return table->nrows + table->nlisted;
}
uint64_t table_first_row_at(const struct table_spec *table, uint64_t i,
                            int64_t *columns);

// Changes the columns of a row as the statement sets them.
void statement_apply(const struct statement *statement, int64_t *columns);

// The sort that a history has: whether the database calculated what an UPDATE
// wrote from the row as it found it.
enum statement_sort statement_recorded(const struct statement *statement);

// Does it insert one row at most, and change none?
static inline bool statement_inserts(enum statement_sort sort) {
  return sort == STATEMENT_INSERT || sort == STATEMENT_INSERT_NEW;
}

// The kind of the operation on a row that a statement changed.
static inline enum op_kind statement_kind(enum statement_sort sort) {
  return sort == STATEMENT_UPDATE   ? OP_ROW_UPDATE
         : sort == STATEMENT_DELETE ? OP_ROW_DELETE
         : statement_inserts(sort)  ? OP_ROW_INSERT
                                    : OP_ROW;
}

#endif
