// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of a history with rows: some of its rows, and some of the statements.
// All statements that wrote a row of the part are in it but those that the next
// section leaves out.
//
// A level that such a part breaks is broken by the whole.  Take a commit order
// of the whole that keeps the level, with what each statement read of each row.
// Without the other rows, and without the other statements, it keeps the level
// as well: axioms are about one row each, and what was read makes more visible,
// never less.  A transaction that does not write a row of the part may go:
// nobody reads from it there.
//
// Where each version of a row replaced the one before it (a chain), commit
// orders have them in this order, and some may go, with the statements that
// wrote them: all that one transaction T wrote of the row, if no statement of T
// on that table stays.  The next version that stays is then taken to have
// replaced the last one before it that does (`before`).  A level that such a
// part breaks is broken by the whole, too, if
//
//   1. nobody that stays read the version, but who replaced it, and whoever
//      replaced one that goes could have found `before`;
//   2. of a statement that did not return the row the version satisfies the
//      condition, so that it did not read that version; or neither it nor
//      `before` does, and the transaction is at CC or above: let it have read
//      `before` then;
//   3. who replaced a version that goes is at CC or above, or `before` is the
//      row as it was at first, or the transaction is at RC, and does nothing
//      after that statement.
//
// Take again an order that keeps the level.  No version that stays is between
// `before` and the one that was read or replaced.  So whatever is visible there
// and wrote the row is no later than `before`.  The writer of `before` becomes
// visible to who did not read from it.  At CC it was visible, by the chain, and
// at PC and above as it commits earlier.  At RC it matters only to what comes
// later, and the first version of a row is visible to all.
#ifndef CHECKER_PART_ROWS_CUT_H
#define CHECKER_PART_ROWS_CUT_H

#include "base/ids.h"
#include "checker/part/row_versions.h"
#include "recorder/history.h"

struct cut {
  uint8_t *key;       // per key: is it in the part?  Only rows may be
  uint8_t *statement; // per statement: is it, in any case?
  // Those of the whole, whose options the part answers; NULL: all versions of
  // the rows stay.
  const struct row_versions *versions;
  const struct check_options *options;
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
