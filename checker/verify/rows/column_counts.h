// SPDX-License-Identifier: GPL-3.0-or-later
// How many rows of a table have a value in a column, for the verifiers: only of
// columns that some statement's whole condition is about, column = number.
#ifndef CHECKER_VERIFY_ROWS_COLUMN_COUNTS_H
#define CHECKER_VERIFY_ROWS_COLUMN_COUNTS_H

#include "recorder/history.h"

#include <stdint.h>

struct column_counts;

// Counts no rows at first.  Refers to the history.
struct column_counts *column_counts_open(const struct history *history);
void column_counts_close(struct column_counts *counts);

// A row of the table with these columns comes (change 1) or goes (-1).
void column_counts_note(struct column_counts *counts, uint32_t table,
                        const int64_t *columns, int change);

// Rows that have the number in the column; the column is one that a condition
// of the history is about.
uint32_t column_counts_of(const struct column_counts *counts, uint32_t table,
                          uint32_t column, int64_t number);

#endif
