// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of all tables at one place of a commit order, for the verifiers.
#ifndef CHECKER_VERIFY_ROWS_LIVE_ROWS_H
#define CHECKER_VERIFY_ROWS_LIVE_ROWS_H

#include "checker/verify/rows/bounded_rows.h"
#include "checker/verify/rows/column_counts.h"
#include "recorder/history.h"

struct live_rows {
  const struct history *h;
  uint32_t *current; // per key: its version, of those that have committed
  // The keys of each table, first those of the rows that are there; and the
  // place of each key among all.
  uint32_t *table_first, *table_key, *nlive, *place;
  struct column_counts *counts; // of the rows that are there
  struct bounded_rows *bounded; // likewise
};

// At first every key has the version that it had before everything.  Refers to
// the history.
void live_rows_open(struct live_rows *rows, const struct history *history);
void live_rows_close(struct live_rows *rows);

// The last writes of the transaction become current.
void live_rows_commit(struct live_rows *rows, uint32_t txn);

// The keys among which are all that the statement finds; for an INSERT of named
// keys also those of rows that are not there.  Valid until the next commit.
void live_rows_of(const struct live_rows *rows,
                  const struct recorded_statement *statement,
                  const uint32_t **keys, uint32_t *n);

#endif
