// SPDX-License-Identifier: GPL-3.0-or-later
// Some transactions of a flow as a history that is a part of the whole: what
// the part breaks, the whole breaks (checker/part/subhistory.h).
#ifndef CHECKER_STREAM_PART_H
#define CHECKER_STREAM_PART_H

#include "checker/stream/copies.h"
#include "recorder/history.h"

// The part has these transactions, which are sorted here, and of those whose
// writes they saw all writes, and the reads that saw what the part has.
// Sessions and transactions have their numbers in the whole.  -1 with a
// sentence.
int part_make(struct history *part, struct copies *copies, struct flow *flow,
              struct error *error);

#endif
