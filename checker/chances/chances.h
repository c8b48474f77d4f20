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

struct chances {
  bool timed;       // false: there are no times, and pairs and triples are 0
  bool all;         // false: the counts are estimates, from a sample
  uint32_t sampled; // transactions in the sample
  uint64_t count[CHANCE_KINDS];
  // The interval of the estimate: two standard errors around it, by how the
  // blocks of the sample differ.  The same twice: all were counted.  `high`
  // UINT64_MAX: an estimate would be off by more than half, and the count is
  // only of those that were seen in the sample.
  uint64_t low[CHANCE_KINDS], high[CHANCE_KINDS];
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
// In time proportional to the number of operations: of a long history a sample
// of transactions is counted.  `real_time`: also what only that can tell.
// `plain_reads`: of statements, only plain SELECTs read.
// false: it was stopped, and the counts say nothing.
bool chances_count(const struct history *history, bool real_time,
                   bool plain_reads, const volatile bool *stop,
                   struct chances *chances);

// Why a history that breaks no level says nothing of the database: nothing
// that counts as committed wrote anything.  NULL: something did.  A constant
// string.
const char *chances_missing(const struct history *history);

#endif
