// SPDX-License-Identifier: GPL-3.0-or-later
// The SQL part of a history: tables, conditions, statements, and the rows that
// they returned, inserted, changed and deleted.
//
// A row is a key of the history, named "orders/17"; what a statement did to a
// row is an operation of the transaction (OP_ROW...).  The versions of a row
// are told apart by the stamp of the statement that wrote them, as values of a
// register are: value_of_write(s, n) is the stamp of the n-th statement of
// session s that writes, where a write of a register counts as one.  Before
// anything was written a row is absent, or as it was preloaded.
#ifndef RECORDER_ROWS_H
#define RECORDER_ROWS_H

#include "recorder/statement_times.h"
#include "sql/predicate.h"
#include "sql/statement.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  ROWS_NONE = UINT32_MAX,       // no image, no table, no statement
  NO_CONDITION = (1 << 20) - 1, // in place of a row of rows.templates
  ROW_TABLES = 256,             // at most
  ROW_NAME = 64, // bytes of the name of a table or column, at most
};

#define ROW_KEY_COLUMN "id" // of every table

struct row_table {
  char *name;
  char **columns; // without the key
  uint32_t ncolumns;
};

// A condition, of any number of statements.
struct row_template {
  uint32_t table;
  struct predicate predicate;
};

// A statement as it was recorded.  Its operations stand together in its
// transaction; there may be none.
struct recorded_statement {
  uint32_t sort : 4;       // enum statement_sort
  uint32_t table : 8;      // row of rows.tables
  uint32_t condition : 20; // row of rows.templates, or NO_CONDITION
  uint32_t parameters;     // where its parameters begin in rows.parameters
  uint32_t first, end;     // its operations
};

// All zero is empty.  `history->rows` is NULL where there is no statement.
struct rows {
  uint32_t ntables, ntemplates, nstatements, nparameters, nnumbers;
  struct row_table *tables;
  struct row_template *templates;
  struct recorded_statement *statements;
  struct packed_times times; // of all statements, or of none: not recorded
  int64_t *parameters;
  uint32_t *txn_statement; // per transaction, and one more: its first statement
  int64_t *numbers;        // the columns of all images

  // Per operation: where the image of the row begins in `numbers`, as the
  // operation wrote or read it; ROWS_NONE: a delete, or not known.
  uint32_t *image;

  // Per key: its table, or ROWS_NONE for what is no row; its primary key; and
  // the image that was preloaded, ROWS_NONE where the row was absent at first.
  uint32_t *key_table;
  int64_t *key_id;
  uint32_t *key_image;

  struct row_words *words; // borrowed (recorder/row_words.h); NULL: there are
                           // none
};

struct history;
struct row_words;

void rows_free(struct rows *rows);

// The names of the table's columns, as predicates take them.
struct predicate_columns row_columns(const struct row_table *table);

static inline const int64_t *rows_image(const struct rows *rows, uint32_t at) {
  return at == ROWS_NONE ? NULL : rows->numbers + at;
}

// The image of a version: one that an operation wrote or, from nops on, the one
// that the key had at first.  NULL: the row is absent in it.
const int64_t *rows_version(const struct history *history, uint32_t version);

// Has the statement to return or to write the row, if it finds it like this?
// NULL: absent, which only STATEMENT_INSERT_NEW looks for.  The statement has a
// condition.
bool rows_satisfies(const struct history *history, uint32_t statement,
                    uint32_t key, const int64_t *image);

// The statement that the operation belongs to; ROWS_NONE: none.
uint32_t rows_statement(const struct rows *rows, uint32_t op);

// The first operation of the statement that the operation belongs to; of none,
// the operation.
uint32_t rows_event(const struct rows *rows, uint32_t op);

// Did the statement of the transaction's operation calculate what it wrote from
// the row as it found it (STATEMENT_ADD)?
bool rows_adds(const struct rows *rows, uint32_t txn, uint32_t op);

// When the statement of the transaction's operation was sent and answered; both
// TIME_UNKNOWN unless recorded.
struct statement_times rows_times(const struct rows *rows, uint32_t txn,
                                  uint32_t op);

// The statement of an aborted transaction which wrote the version that the
// operation read, though it is not known to have changed the row: it failed, or
// its answer was lost, so that it says no rows.  ROWS_NONE: there is none.  The
// history is one with rows, or these as registers.
uint32_t rows_rolled_back(const struct history *history, uint32_t op);

// Writes the condition of a statement, with its parameters put in.
void rows_write_condition(FILE *out, const struct rows *rows,
                          const struct recorded_statement *statement);

// The history's rows as registers, for who knows only these: a row that came
// back was read, one that was inserted is a compare-and-set of nothing, and one
// that was changed or deleted a compare-and-set.  The operations of a statement
// are one event.  All arrays but those that rows_as_registers_free frees are
// the history's.
struct history rows_as_registers(const struct history *history);
// Gives the registers a `saw` of their own, for who is about to change it.
void rows_copy_saw(struct history *registers);
void rows_as_registers_free(struct history *registers);

#endif
