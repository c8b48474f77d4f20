// SPDX-License-Identifier: GPL-3.0-or-later
// The rows that are there, in the order of the columns that conditions compare
// with numbers, for the verifiers: so that a statement is held against those
// that lie between the bounds of its condition, and no others.
#ifndef CHECKER_VERIFY_ROWS_BOUNDED_ROWS_H
#define CHECKER_VERIFY_ROWS_BOUNDED_ROWS_H

#include "recorder/history.h"

#include <stdbool.h>
#include <stdint.h>

struct bounded_rows;

// Has no rows at first.  Refers to the history.
struct bounded_rows *bounded_rows_open(const struct history *history);
void bounded_rows_close(struct bounded_rows *rows);

// A row of the key, with these columns, comes, or goes.
void bounded_rows_add(struct bounded_rows *rows, uint32_t key,
                      const int64_t *columns);
void bounded_rows_remove(struct bounded_rows *rows, uint32_t key,
                         const int64_t *columns);

// The keys of the rows between the bounds of the statement's condition, among
// which are all that it finds, until the rows change.  False: it has no bounds.
bool bounded_rows_of(struct bounded_rows *rows,
                     const struct recorded_statement *statement,
                     const uint32_t **keys, uint32_t *n);

#endif
