// SPDX-License-Identifier: GPL-3.0-or-later
// The anomalies that the store shows on demand, one row each: the 14 of MTC,
// figure 5 and table I, and eight of statements on tables of rows.
#ifndef DRIVERS_MEMORY_BUGS_H
#define DRIVERS_MEMORY_BUGS_H

#include "base/error.h"
#include "base/isolation.h"

#include <stdbool.h>
#include <stdint.h>

enum bug {
  BUG_NONE,
  BUG_THIN_AIR_READ,
  BUG_ABORTED_READ,
  BUG_FUTURE_READ,
  BUG_NOT_MY_LAST_WRITE,
  BUG_NOT_MY_OWN_WRITE,
  BUG_INTERMEDIATE_READ,
  BUG_NON_REPEATABLE_READS,
  BUG_SESSION_GUARANTEE_VIOLATION,
  BUG_NON_MONOTONIC_READ,
  BUG_FRACTURED_READ,
  BUG_CAUSALITY_VIOLATION,
  BUG_LONG_FORK,
  BUG_LOST_UPDATE,
  BUG_WRITE_SKEW,
  BUG_FIRST_OF_ROWS, // of tables of rows, from here on
  BUG_PHANTOM_READ =
      BUG_FIRST_OF_ROWS,   // a later statement finds rows that came meanwhile
  BUG_PHANTOM_WRITE_SKEW,  // rows that would match now do not stop a commit
  BUG_FRACTURED_STATEMENT, // a statement misses one row of a transaction of
                           // which it returns another
  BUG_MISSING_ROW,         // a row that always matched is not returned
  BUG_EXTRA_ROW,           // one is returned that does not match
  BUG_RESURRECTED_ROW,     // a session finds a row that it has deleted
  BUG_DOUBLE_DELETE,       // two transactions delete one version of a row
  BUG_PHANTOM_LONG_FORK,   // of two inserts, readers see one each
  BUG_COUNT
};

static inline bool bug_is_of_rows(enum bug bug) {
  return bug >= BUG_FIRST_OF_ROWS;
}

// Is it one that tables of rows show, of these alone or of registers, too?
static inline bool bug_is_of_tables(enum bug bug) {
  return bug_is_of_rows(bug) || bug == BUG_NONE || bug == BUG_ABORTED_READ ||
         bug == BUG_LOST_UPDATE;
}

// Does it make one statement see two states?
static inline bool bug_is_of_single_statements(enum bug bug) {
  return bug == BUG_FRACTURED_STATEMENT || bug == BUG_RESURRECTED_ROW;
}

struct bug_info {
  const char *name;
  // The strongest level that permits the anomaly; the store still keeps it.  At
  // that level and below, the bug changes nothing.
  enum isolation keeps;
  // The dice are thrown once per transaction; otherwise whenever a read could
  // show the anomaly.
  bool per_transaction;
  double probability; // the default
};

const struct bug_info *bug_info(enum bug bug);

// Reads "NAME" or "NAME:PROBABILITY", whatever the case; -1 with a sentence.
int bug_parse(const char *text, enum bug *bug, double *probability,
              struct error *error);

// Reads a number from `low` to `high`, without `low` itself if `above`; -1 with
// a sentence that names the option.
int parse_number(const char *option, const char *text, double low, double high,
                 bool above, double *number, struct error *error);

#endif
