// SPDX-License-Identifier: GPL-3.0-or-later
// How much a history that keeps a level could have shown: its chances of each
// anomaly.  Knows the history and base/ only.
#ifndef CHECKER_CHANCES_CHANCES_H
#define CHECKER_CHANCES_CHANCES_H

#include "recorder/history.h"

// The sorts of chances: one read; one row that a statement found; one
// transaction; two transactions of different sessions that overlap in time; or
// three, of which two of different sessions overlap with the third, the reader.
enum chance_of {
  CHANCE_READ,
  CHANCE_ROW,
  CHANCE_ONE,
  CHANCE_PAIR,
  CHANCE_TRIPLE
};

// Does it take transactions that overlap?
static inline bool chance_needs_times(enum chance_of of) {
  return of >= CHANCE_PAIR;
}

struct chance_kind {
  const char *anomaly; // its name
  enum chance_of of;
  const char *what; // counts: "one reads a key that the other writes twice"
  bool lists;       // only lists can show it
  bool rows;        // only statements with conditions can show it
};

// Row i of the table of what counts; NULL behind the last one.
enum { CHANCE_KINDS = 27 };
const struct chance_kind *chance_kind(uint32_t i);

// Row i is of chance_kind(i).
struct chances {
  bool timed;        // false: there are no times, and pairs and triples are 0
  bool all;          // all were counted, so that `low` and `high` are the same
  uint32_t sampled;  // transactions whose pairs and triples were counted
  uint64_t overlaps; // of these with one of another session, at any key
  bool left_out; // two transactions met that have more keys in common than are
                 // counted
  bool crowded;  // one met so many that only some of its triples are counted
  // An interval that holds the number of chances.  `high` UINT64_MAX: it is
  // not known, and `low` were seen.
  uint64_t low[CHANCE_KINDS], high[CHANCE_KINDS];
};

struct chances_options {
  bool real_time;   // also what only that can tell
  bool plain_reads; // of statements, only plain SELECTs read
  uint64_t steps; // that pairs and triples may take, a step being an operation
                  // that is looked at; 0: about half a second, or as many as
                  // the history has operations
  const volatile bool *stop;
};

// Two transactions overlap unless one has ended before the other begins; one
// has ended when the next one of its session begins, at the latest.  Attempts
// of any outcome count, for a refusal is how a database uses a chance to keep
// its level, but a write that was refused can be read by nobody; and who reads
// what no order of transactions could justify must have committed, or somebody
// read from it, for other reads are not looked at.
//
// A row that a statement found is read, and so is, for anomalies that a single
// row shows, one that would satisfy its condition as the other transaction left
// it.
//
// A history whose pairs and triples take more steps than there may be is
// counted in a sample of its transactions.
// false: it was stopped, and the counts say nothing.
bool chances_count(const struct history *history,
                   const struct chances_options *options,
                   struct chances *chances);

// Why a history that breaks no level says nothing of the database: nothing
// that counts as committed wrote anything.  NULL: something did.  A constant
// string.
const char *chances_missing(const struct history *history);

#endif
