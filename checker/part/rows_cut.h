// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of a history with rows: some of its rows, with all versions of these,
// and some of the statements that did nothing but read.
//
// A level that such a part breaks is broken by the whole.  Take a commit order
// of the whole that keeps the level, with what each statement read of each row.
// Without the other rows, and without the other statements, it keeps the level
// as well: axioms are about one row each, and what was read makes more visible,
// never less.  A transaction that does not write a row of the part may go:
// nobody reads from it there.
#ifndef CHECKER_PART_ROWS_CUT_H
#define CHECKER_PART_ROWS_CUT_H

#include "base/ids.h"
#include "recorder/history.h"

struct cut {
  uint8_t *key;       // per key: is it in the part?  Only rows may be
  uint8_t *statement; // per statement: is it, though it writes no such row?
};

// A part, and the numbers of its transactions, statements and operations in the
// whole.  All zero is none.
struct rows_part {
  struct history history;
  struct ids txns, statements, ops;
};

// Makes the part, of the transactions that count.
struct rows_part cut_history(const struct history *history,
                             const uint8_t *counted, const struct cut *cut);
void rows_part_free(struct rows_part *part);

#endif
