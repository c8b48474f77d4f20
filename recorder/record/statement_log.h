// SPDX-License-Identifier: GPL-3.0-or-later
// The statements of a piece of a session log (recorder/record/session_log.h),
// in the columns of the file.  What they did to rows is among its operations.
#ifndef RECORDER_RECORD_STATEMENT_LOG_H
#define RECORDER_RECORD_STATEMENT_LOG_H

#include "base/tables.h"

#include <stdint.h>

// Counts of statements, of their parameters, and of the columns of the rows
// that they wrote.
struct statement_counts {
  uint32_t statements, parameters, numbers;
};

// Zero-initialised is empty.
struct statement_log {
  struct statement_counts n, room;
  uint8_t *sort, *table;
  uint64_t *condition, *nops, *parameter, *number;
  uint64_t *txn_statements; // per transaction; NULL before the first statement
};

void statement_log_free(struct statement_log *log);

// Notes a statement on rows of so many columns.
void statement_log_add(struct statement_log *log,
                       const struct statement *statement, uint32_t nparameters,
                       const struct row_list *rows, uint32_t ncolumns);

// Moves what is behind `first` to an empty log.
void statement_log_move(struct statement_log *from, struct statement_log *to,
                        const struct statement_counts *first);

// How many of the statements from `first` on write.
uint32_t statement_log_writes(const struct statement_log *log, uint32_t first);

// The statements from `first` on are the transaction's; there are at most
// `txn_room` transactions.
void statement_log_end(struct statement_log *log, uint32_t txn, uint32_t first,
                       uint32_t txn_room);

#endif
