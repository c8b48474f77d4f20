// SPDX-License-Identifier: GPL-3.0-or-later
// Transactions without operations.  No part of a history has them by an
// operation, but they take their place in their session and in real time:
//
//   [x:=1]@1..2 --- []@5..6 [x==?]
//
// is not strictly serializable, though nobody knows when the read took place.
#ifndef CHECKER_PART_EMPTY_H
#define CHECKER_PART_EMPTY_H

#include "base/ids.h"
#include "recorder/history.h"

struct operations; // checker/part/subhistory.h

// Returns the empty transactions that a part needs: those whose times order its
// transactions where their own times do not, and two that contradict each
// other. `ops`: the part's operations, ascending.  The result is ascending,
// too, and its `items` are the caller's to free.
struct ids empty_telling(const struct history *history,
                         const struct operations *ops);

#endif
