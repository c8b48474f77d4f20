// SPDX-License-Identifier: GPL-3.0-or-later
// Labels of what statements did to rows, for pictures: "read n = 5".
#ifndef REPORT_TALE_ROW_LABEL_H
#define REPORT_TALE_ROW_LABEL_H

#include "report/tale/names.h"

#include <stdbool.h>
#include <stddef.h>

// Is it the column of own/history.c that has ranks of values, and not values?
// A rank tells a reader nothing.  The name of the user's column begins at
// `*name`, which may be NULL.
bool row_column_is_rank(const char *column, const char **name);

enum { ROW_COLUMNS_MOST = 64, ROW_VALUE = 120 };

// The columns of the row of an operation, by their names: the user's own where
// the history has words for them (recorder/row_words.h).
uint32_t row_columns_shown(const struct history *history, uint32_t op);
const char *row_column_name(const struct history *history, uint32_t op,
                            uint32_t column);
// The value that the operation wrote, or found if it writes none.  False: it is
// not known, or a rank.
bool row_column_value(const struct history *history, uint32_t op,
                      uint32_t column, char value[ROW_VALUE]);

// Per table, bits: the columns in which two versions of a row differ that these
// operations read or wrote.  To be freed.
uint64_t *row_label_columns(const struct history *history,
                            const uint32_t *shown, uint32_t nshown);

// Writes the label of an operation on a row: only columns that differ, if any
// do, and the row itself only where several are shown.
void row_label(const struct names *names, uint32_t op, char *label,
               size_t room);

#endif
