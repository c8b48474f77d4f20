// SPDX-License-Identifier: GPL-3.0-or-later
// Statements of a session log (recorder/record/statement_log.h).
#include "config.h"

#include "recorder/record/statement_log.h"

#include <assert.h>

void statement_log_free(struct statement_log *log) {
  for (int i = 0; i < STATEMENT_COLUMNS; i++)
    value_list_free(&log->column[i]);
}

void statement_log_add(struct statement_log *log,
                       const struct statement *statement, uint32_t nparameters,
                       const struct row_list *rows, uint32_t ncolumns) {
  struct value_list *column = log->column;
  value_list_push(&column[STATEMENT_SORTS],
                  (uint64_t)statement_recorded(statement));
  value_list_push(&column[STATEMENT_TABLES], (uint64_t)statement->table);
  value_list_push(&column[STATEMENT_CONDITIONS],
                  statement_has_condition(statement->sort) ? statement->template
                                                           : 0);
  value_list_push(&column[STATEMENT_ROWS], rows->count);
  for (uint32_t i = 0; i < nparameters; i++)
    value_list_push(&column[STATEMENT_PARAMETERS],
                    (uint64_t)statement->params[i]);
  for (uint32_t row = 0; row < rows->count; row++)
    for (uint32_t i = 0; op_leaves_row(rows->rows[row].kind) && i < ncolumns;
         i++)
      value_list_push(&column[STATEMENT_NUMBERS],
                      (uint64_t)row_list_image(rows, row)[i]);
}

void statement_log_time(struct statement_log *log, uint64_t gap,
                        uint64_t duration) {
  value_list_push(&log->column[STATEMENT_GAPS], gap);
  value_list_push(&log->column[STATEMENT_DURATIONS], duration);
}

void statement_log_move(struct statement_log *from, struct statement_log *to,
                        const struct statement_mark *mark) {
  for (int i = 0; i < STATEMENT_COLUMNS; i++) {
    const uint32_t end = from->column[i].count;
    assert(mark->at[i] <= end);
    to->column[i].count = 0;
    for (uint32_t at = mark->at[i]; at < end; at++)
      value_list_push(&to->column[i], from->column[i].values[at]);
    from->column[i].count = mark->at[i];
  }
}

uint32_t statement_log_writes(const struct statement_log *log,
                              const struct statement_mark *mark) {
  uint32_t count = 0;
  for (uint32_t s = mark->at[STATEMENT_SORTS]; s < statement_log_count(log);
       s++)
    count += statement_writes(
        (enum statement_sort)log->column[STATEMENT_SORTS].values[s]);
  return count;
}

void statement_log_end(struct statement_log *log, uint32_t txn,
                       struct statement_mark *mark) {
  struct value_list *counts = &log->column[STATEMENT_TRANSACTION];
  assert(counts->count <= txn);
  while (counts->count < txn)
    value_list_push(counts, 0);
  value_list_push(counts, statement_log_count(log) - mark->at[STATEMENT_SORTS]);
  for (int i = 0; i < STATEMENT_COLUMNS; i++)
    mark->at[i] = log->column[i].count;
}
