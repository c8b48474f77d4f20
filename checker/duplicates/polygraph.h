// SPDX-License-Identifier: GPL-3.0-or-later
// One search for what ambiguous reads saw and for the order of transactions: a
// read with several writers is a choice among these, as in the
// hyper-polygraphs of VeriStrong.  Below PC it looks for a way that keeps PC:
// who keeps that keeps the weaker levels, too.  What it finds is for others to
// prove.
#ifndef CHECKER_DUPLICATES_POLYGRAPH_H
#define CHECKER_DUPLICATES_POLYGRAPH_H

#include "checker/duplicates/candidates.h"
#include "checker/part/subhistory.h"

enum polygraph_answer { POLYGRAPH_KEPT, POLYGRAPH_BROKEN, POLYGRAPH_UNKNOWN };

// KEPT: sets `value` of all places (members of their groups).  BROKEN: `core`
// gets the operations that this rests on, to be freed; below PC they may keep
// the level that was asked about.  UNKNOWN: the search was stopped, or cannot
// tell.
// In `without` only reads that are known are.
enum polygraph_answer polygraph_decide(const struct ambiguity *a,
                                       const struct history *without,
                                       uint32_t *value,
                                       struct operations *core);

#endif
