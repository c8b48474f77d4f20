// SPDX-License-Identifier: GPL-3.0-or-later
// Transactions without operations.  No part of a history has them by an
// operation, but they take their place in their session and in real time:
//
//   [x:=1]@1..2 --- []@5..6 [x==?]
//
// is not strictly serializable, though nobody knows when the read took place.
#ifndef CHECKER_PART_EMPTY_H
#define CHECKER_PART_EMPTY_H

#include "recorder/history.h"

struct operations; // checker/part/subhistory.h

// Ascending, none twice.  Free `txn`.
struct txn_list {
  uint32_t *txn;
  uint32_t count, room;
};

// Those of which the times say of the transactions with some of the operations,
// which are ascending, what their own do not; and such as contradict each
// other.  NULL operations: of all transactions.  `among` are those of all,
// which make it quick; or NULL.  `telling` is empty before.
//
// What is told of a part of a part is what is told of it as a part of the
// whole.
void empty_telling(const struct history *history, const struct txn_list *among,
                   const struct operations *ops, struct txn_list *telling);

#endif
