// SPDX-License-Identifier: GPL-3.0-or-later
// Transactions of statements on tables of rows, which go on by what they have
// read: a workload may propose these in place of plans.
#ifndef WORKLOAD_PROGRAM_H
#define WORKLOAD_PROGRAM_H

#include "sql/tables.h"

#include <stdbool.h>
#include <stdint.h>

struct workload_options;

// The facts about a transaction that are known before it runs.
struct row_program {
  uint32_t shape; // row of the workload's table of shapes
  bool reads_only;
};

struct row_programs {
  // Set of 1 << sort of the statements that it uses, for the driver check.
  unsigned executes;
  // Not required: the set of those that the shapes of a run use.
  unsigned (*executes_in)(const struct workload_options *options);

  // The tables of a run, which depend on the options alone; free with free().
  // Their first conditions, one for each table, are TRUE: the runner reads
  // whole tables at the end.
  struct tables *(*tables)(const struct workload_options *options);

  // The session's next transaction, as workload->next.
  void (*next)(void *state, struct row_program *program);

  // Starts the transaction, for the first time or again: each attempt makes the
  // same random choices.
  void (*start)(void *state);

  // The next statement, by the rows of the last one (NULL before the first).
  // False: the transaction commits.  What the statement points to stays until
  // the next call.
  bool (*step)(void *state, const struct row_list *last,
               struct statement *next);

  // Not required.  When step said false: the transaction does not commit, by
  // its own choice, and is not tried again.
  bool (*rolls_back)(void *state);

  // Not required.  The place in the user's text of the step that was taken
  // last, such as "book.pgbench:6", and why the transaction rolls back, where
  // it does.
  const char *(*place)(void *state, const char **why);
};

#endif
