// SPDX-License-Identifier: GPL-3.0-or-later
// Statements in a counterexample of rows: conditions, searches that met no row
// of it, and what is wrong with a statement, in a few words.
#ifndef REPORT_TALE_EXAMPLE_ROWS_H
#define REPORT_TALE_EXAMPLE_ROWS_H

#include "report/tale/example.h"

#define EXAMPLE_SEARCH "search" // the kind of such an operation

// Does the statement of the part look for rows, and meet none of the part?
bool statement_meets_nothing(const struct rows *rows, uint32_t statement);

// A search of the whole history as an operation of an example: how many rows it
// met there, and the condition.
struct example_op example_search(struct arena *arena, const struct history *h,
                                 uint32_t txn, uint32_t statement);

// The condition of the operation's statement; NULL: it says no more than the
// row's key, or an operation of the statement before `since` is shown already.
const char *example_condition(struct arena *arena, const struct history *h,
                              uint32_t txn, uint32_t op, uint32_t since);

// Says what is wrong with statements on rows.
void example_find_faults(struct example *example);

#endif
