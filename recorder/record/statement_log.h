// SPDX-License-Identifier: GPL-3.0-or-later
// The statements of a piece of a session log (recorder/record/session_log.h),
// in the columns of the file.  What they did to rows is among its operations.
#ifndef RECORDER_RECORD_STATEMENT_LOG_H
#define RECORDER_RECORD_STATEMENT_LOG_H

#include "sql/tables.h"

#include <stdint.h>

enum statement_column {
  STATEMENT_SORTS,
  STATEMENT_TABLES,
  STATEMENT_CONDITIONS,
  STATEMENT_ROWS, // so many
  STATEMENT_PARAMETERS,
  STATEMENT_NUMBERS,     // of the rows that they wrote
  STATEMENT_GAPS,        // ns between them, and ns that each of them took; none
  STATEMENT_DURATIONS,   // where times are not recorded
  STATEMENT_TRANSACTION, // per transaction: so many, if the piece has any
  STATEMENT_COLUMNS
};

// Zero-initialised is empty.
struct statement_log {
  struct value_list column[STATEMENT_COLUMNS];
};

// Where the open transaction begins in each column.
struct statement_mark {
  uint32_t at[STATEMENT_COLUMNS];
};

static inline uint32_t statement_log_count(const struct statement_log *log) {
  return log->column[STATEMENT_SORTS].count;
}

void statement_log_free(struct statement_log *log);

// Notes a statement on rows of so many columns.
void statement_log_add(struct statement_log *log,
                       const struct statement *statement, uint32_t nparameters,
                       const struct row_list *rows, uint32_t ncolumns);

// Notes the times of the statement that was added last.
void statement_log_time(struct statement_log *log, uint64_t gap,
                        uint64_t duration);

// Moves what is behind the mark to another log, in place of what is there.
void statement_log_move(struct statement_log *from, struct statement_log *to,
                        const struct statement_mark *mark);

// How many of the statements behind the mark write.
uint32_t statement_log_writes(const struct statement_log *log,
                              const struct statement_mark *mark);

// The statements behind the mark are those of the transaction; moves the mark.
void statement_log_end(struct statement_log *log, uint32_t txn,
                       struct statement_mark *mark);

#endif
