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

// Those of which the times say of the transactions with some of the operations,
// which are ascending, what their own do not; and such as contradict each
// other.  Ascending; free `items`.
struct ids empty_telling(const struct history *history,
                         const struct operations *ops);

#endif
