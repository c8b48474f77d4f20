// SPDX-License-Identifier: GPL-3.0-or-later
// The conditions of statements in numbers.  A condition (own/condition.h) is
// one of ranks: the database orders the values that a column had in any version
// of a row together with the constants, and is asked whether it compares as the
// ranks do.  So isostress evaluates no SQL, and knows of every version whether
// it satisfies the condition.
#ifndef OWN_CONDITIONS_H
#define OWN_CONDITIONS_H

#include "own/condition.h"
#include "own/run.h"
#include "own/versions.h"
#include "sql/predicate.h"

struct raw_condition {              // of a statement of a log
  const struct condition_node *all; // NULL: it is judged by rows
  uint32_t n;                       // 0: every row satisfies it
};

struct raw_column { // that conditions use
  uint32_t column;  // of struct instrument_table
  struct instrument_comparison *all;
  uint32_t n, room;
  int64_t *ranks; // of each version of its table, by its number
  bool ranked;
};

struct raw_conditions_of_table {
  struct raw_column columns[PREDICATE_COLUMNS];
  uint32_t ncolumns;
  bool imaged; // every version has its image
  bool used;   // by some condition
};

struct raw_conditions {
  struct raw_conditions_of_table *tables; // of the run's
  struct raw_condition **sessions;        // per statement of each log
  uint32_t ntables, nsessions;
  bool steady;        // no script sets how constants are read, and there is
                      // somebody who reads them
  struct arena arena; // of constants
};

// Reads the conditions of the logs, and asks the database for ranks; without a
// target all statements are judged by rows.  The versions stay as they are from
// then on.
void conditions_make(struct raw_conditions *conditions,
                     const struct raw_run *run, struct target *target,
                     const struct known_versions *versions);
void conditions_free(struct raw_conditions *conditions);

// The condition of a statement, as a predicate on the ranks of the used
// columns, whose parameters are the ranks.  False: it is judged by rows.
bool conditions_predicate(const struct raw_conditions *conditions,
                          const struct raw_run *run, uint32_t session,
                          uint32_t statement, struct predicate *predicate,
                          int64_t parameters[PREDICATE_PARAMETERS]);

#endif
