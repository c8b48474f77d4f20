// SPDX-License-Identifier: GPL-3.0-or-later
// Part of a history as a history of its own.  What is taken keeps every
// isolation level that the whole keeps, so that a violation in the part is one
// in the whole:
//
//   No read of a register is taken without the write that it saw; initial
//   values and what nobody wrote stay. A compare-and-set taken without that
//   write is a write. A list read is one of the appends that are taken;
//   elements that nobody appended stay.
//
// Whatever order of the whole keeps a level, these operations in that order
// keep it: each axiom speaks of a read, what it saw and another writer, and of
// no part's operations it says more than of the whole's.  A read that is wrong
// in itself may become another: [x:=1 x==2] without its write reads x from
// another transaction, and [x:=1 x:=2] without the last one shows x=1 to
// others. But whoever read so breaks every level in the whole, too.  Nor does
// it matter which of the appends that a list shows are left out: all others
// that the reader did not see come later than all of them.
#ifndef CHECKER_PART_SUBHISTORY_H
#define CHECKER_PART_SUBHISTORY_H

#include "recorder/history.h"

#include <stdbool.h>
#include <stdint.h>

// A set of operations of a history, in ascending order.
struct operations {
  uint32_t *op;
  uint32_t count, room;
};

// Fills *ops, which is empty, with the operations 0 to nops - 1.  The caller
// frees `op`.
void operations_take_all(struct operations *ops, uint32_t nops);

// Returns the place of `op` among the operations, which are ascending, or
// UINT32_MAX if it is not there.
uint32_t operations_find(const struct operations *ops, uint32_t op);

// Sorts the operations, and drops all but one of equal ones.
void operations_sort(struct operations *ops);

// Takes operations away until the rest may stand alone.
void subhistory_close(const struct history *whole, struct operations *ops);

// The history of these operations, which are closed.  Transactions without any
// of them are left out, but those that had none in the whole and tell something
// by their times (checker/part/empty.h); times, outcomes and levels stay.
// `txn_of_part[t]` is the transaction of the whole that became transaction t;
// it has `part->ntxns` entries, is the caller's to free, and may be NULL.  Free
// the part with history_free.
void subhistory_extract(const struct history *whole,
                        const struct operations *ops, struct history *part,
                        uint32_t **txn_of_part);

#endif
