// SPDX-License-Identifier: GPL-3.0-or-later
// Goes on after the first violation: what else is wrong with the history, how
// often, and the smallest example of each anomaly.
#ifndef CHECKER_EXPLAIN_COUNT_H
#define CHECKER_EXPLAIN_COUNT_H

#include "checker/graph/cycle.h"
#include "checker/model/model.h"

// Fills in verdict->found, found_more and others.  The verdict is a violation
// that has been proved, and the model was built with all wrong reads.  The
// tangle is that of its known edges, or empty: it is made if it is needed, and
// its cycles are taken over.
//
// Cycles are looked for in what is left of the history without wrong reads.
// Counted are: every read that is wrong in itself; every write over a version
// that another transaction had overwritten already; and of the cycles one
// through each edge at which a depth-first walk along the dependencies closed
// one, each cycle once.  So every tangle of transactions is counted, and no
// anomaly more often than it has edges of its own; within a bound on time that
// is linear in the history.
void count_violations(struct model *m, struct tangle *tangle,
                      const struct check_options *options,
                      struct verdict *verdict);

// Adds to verdict->found what breaks a stronger level alone: serializability
// or, where nothing else is wrong, real time.  No example of it is kept: the
// verdict is on that level.
void count_stronger(struct model *m, const struct check_options *options,
                    struct verdict *verdict);

#endif
