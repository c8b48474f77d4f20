// SPDX-License-Identifier: GPL-3.0-or-later
// Transactions of a flow that are kept.
#ifndef CHECKER_STREAM_COPIES_H
#define CHECKER_STREAM_COPIES_H

#include "recorder/native/flow.h"

// Zero-initialised is empty.
struct copies {
  struct flow_txn *txns; // each with one block of its own, at `saw`
  uint32_t count, room;
  uint64_t nops; // of all of them
};

void copies_add(struct copies *copies, const struct flow_txn *txn);
// Takes those of the other set over, and leaves none there.
void copies_move(struct copies *to, struct copies *from);
// Sorts by session and number, and drops all but one of equal ones.
void copies_sort(struct copies *copies);
// Removes all, and keeps the memory of the array.
void copies_clear(struct copies *copies);
void copies_free(struct copies *copies);

#endif
