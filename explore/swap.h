// SPDX-License-Identifier: GPL-3.0-or-later
// Swaps (dpor 5.2, 5.3): a read that was added before a transaction t reads
// from t instead, and what depended on neither is taken back.
#ifndef EXPLORE_SWAP_H
#define EXPLORE_SWAP_H

#include "explore/partial.h"

// The next read from `*r` on, below the last block, that can read from the
// last one, t, so that no other branch makes the same history; goes behind it.
// False if there is none.  `to` becomes the history up to that read, whose
// transaction is pending, with its locals, without the read; `scratch` is
// overwritten.
bool swap_next(const struct partial *from, uint32_t *r, struct partial *to,
               struct partial *scratch, struct program_read *swapped);

#endif
