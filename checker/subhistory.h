// SPDX-License-Identifier: GPL-3.0-or-later
// Part of a history as a history of its own.  What is taken keeps every
// isolation level that the whole keeps: no read is taken without the write it
// saw, and the last write of a transaction to a key is never left out while an
// earlier one is taken.  So a violation in the part is one in the whole.
#ifndef CHECKER_SUBHISTORY_H
#define CHECKER_SUBHISTORY_H

#include "recorder/history.h"

#include <stdbool.h>
#include <stdint.h>

// A set of operations of a history, in ascending order.
struct operations {
  uint32_t *op;
  uint32_t count, room;
};

// Takes operations away until the rest may stand alone.  A list read stays, but
// subhistory_extract leaves out the elements whose appends are not there.
void subhistory_close(const struct history *whole, struct operations *ops);

// The history of these operations, which are closed.  Transactions without any
// of them are left out; times, outcomes and levels stay.  `txn_of_part[t]` is
// the transaction of the whole that became transaction t; it has `part->ntxns`
// entries, is the caller's to free, and may be NULL.  Free the part with
// history_free.
void subhistory_extract(const struct history *whole,
                        const struct operations *ops, struct history *part,
                        uint32_t **txn_of_part);

#endif
