// SPDX-License-Identifier: GPL-3.0-or-later
// Part of a history as a history of its own.  What is taken keeps every
// isolation level that the whole keeps, so that a violation in the part is one
// in the whole:
//
//   No read is taken without the write that it saw; initial values stay.
//   No read of a key that its transaction had written itself is taken without
//   that write, for a list without all of its own appends.
//   A compare-and-set taken without these is a write.
//   A list read is one of the appends that are taken; elements that nobody
//   appended stay.  The last append by another transaction is always taken: it
//   made the version that was read.
//   The last write of a transaction to a key is never left out while an earlier
//   one is taken.
//
//   Of a read that counts for nothing, as those at level none, the same is
//   asked as of any other: whether it counts may be decided after the part is
//   taken.
//
// Whatever order of the whole keeps a level, these operations in that order
// keep it: each axiom speaks of a read, what it saw and another writer, and of
// no part's operations it says more than of the whole's.
#ifndef CHECKER_PART_SUBHISTORY_H
#define CHECKER_PART_SUBHISTORY_H

#include "checker/part/empty.h"
#include "recorder/history.h"

#include <stdbool.h>
#include <stdint.h>

// A set of operations of a history, in ascending order.
struct operations {
  uint32_t *op;
  uint32_t count, room;
};

// Makes it the operations 0 to nops - 1; `ops` is empty.
void operations_take_all(struct operations *ops, uint32_t nops);

// Puts them in order and takes each but once.
void operations_sort(struct operations *ops);

// Takes operations away until the rest may stand alone.
void subhistory_close(const struct history *whole, struct operations *ops);

// The history of these operations, which are closed.  Transactions without any
// of them are left out, but those that had none in the whole and tell something
// by their times (checker/part/empty.h), of which `empty`, if it is not NULL,
// are all of the whole; times, outcomes and levels stay.  `txn_of_part[t]` is
// the transaction of the whole that became transaction t; it has `part->ntxns`
// entries, is the caller's to free, and may be NULL.  Free the part with
// history_free.
void subhistory_extract(const struct history *whole,
                        const struct txn_list *empty,
                        const struct operations *ops, struct history *part,
                        uint32_t **txn_of_part);

#endif
