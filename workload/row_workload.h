// SPDX-License-Identifier: GPL-3.0-or-later
// Workloads of statements have this in common: random choices that a
// transaction makes again when it is tried again, statements by conditions, and
// tables made of a list.  Only files of this room include it.
#ifndef WORKLOAD_ROW_WORKLOAD_H
#define WORKLOAD_ROW_WORKLOAD_H

#include "workload/planner.h"

// A session's state begins with it.
struct row_workload {
  struct planner planner; // its keys are what the workload says
  uint32_t session, nsessions, ntables;
  uint64_t inserted; // rows, by transactions before this one
  // The transaction.
  uint32_t shape, at;    // the number of its next statement
  uint64_t seed, random; // of its choices
  uint64_t fresh;        // rows that it has inserted
  // The statement.
  int64_t params[PREDICATE_PARAMETERS];
  struct column_set sets[TABLE_COLUMNS_MOST];
};

void row_workload_open(struct row_workload *rows,
                       const struct workload *workload,
                       const struct workload_options *options,
                       uint32_t session);

// Slot `close` of row_programs.
void row_workload_close(void *state);

// Begins the next transaction: its shape, and the seed of its choices.
void row_workload_next(struct row_workload *rows, struct row_program *program);

// Slot `start` of row_programs.
void row_workload_start(void *state);

// A number below `below`.
uint64_t row_draw(struct row_workload *rows, uint64_t below);

// A number that no other insert of the run has.
static inline uint64_t row_fresh(struct row_workload *rows) {
  return (rows->inserted + rows->fresh++) * rows->nsessions + rows->session;
}

// A table and the conditions on it, as a workload lists them.  The condition
// TRUE of each table comes first.
struct row_set {
  const char *name;
  const char *const *columns; // ends with NULL
  uint32_t indexed;
  // Rows that are there at first, and the values of their columns.
  uint64_t nrows;
  const struct first_value *first;
};
struct row_condition {
  uint32_t table;
  const char *text;
};

// Conditions have the number of their place in the list behind those of the
// tables.  Free the tables with free().
struct tables *row_tables_make(const struct row_set *list, uint32_t ntables,
                               const struct row_condition *conditions,
                               uint32_t nconditions);

// The statement by a condition, whose parameters are rows->params.
static inline bool row_by(const struct row_workload *rows,
                          enum statement_sort sort, uint32_t table,
                          uint32_t condition, struct statement *next) {
  *next = (struct statement){.sort = sort,
                             .table = table,
                             .template = rows->ntables + condition,
                             .params = rows->params,
                             .sets = rows->sets};
  return true;
}

// Adds a column to those that the statement sets, or adds to.
static inline void row_set(struct row_workload *rows, struct statement *next,
                           uint32_t column, bool adds, int64_t number) {
  rows->sets[next->nsets++] = (struct column_set){
      .column = (uint8_t)column, .adds = adds, .number = number};
}

// INSERT of a row whose columns are these numbers, in their order.
static inline bool row_insert(struct row_workload *rows, uint32_t table,
                              uint64_t key, const int64_t *columns,
                              uint32_t ncolumns, struct statement *next) {
  *next = (struct statement){.sort = STATEMENT_INSERT,
                             .table = table,
                             .params = rows->params,
                             .key = key,
                             .sets = rows->sets};
  for (uint32_t c = 0; c < ncolumns; c++)
    row_set(rows, next, c, false, columns[c]);
  return true;
}

#endif
