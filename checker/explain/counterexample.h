// SPDX-License-Identifier: GPL-3.0-or-later
// From what was found wrong to a counterexample: the smallest part of the
// history that shows it, its name, and the argument.
#ifndef CHECKER_EXPLAIN_COUNTEREXAMPLE_H
#define CHECKER_EXPLAIN_COUNTEREXAMPLE_H

#include "checker/graph/cycle.h"
#include "checker/model/model.h"
#include "checker/part/subhistory.h"

// Makes the verdict undecided, though something was found: the anomaly that it
// names, in the part that it has, was not proved when *options->stop was set.
void leave_unproved(const struct history *history, struct verdict *verdict);

// Make the verdict a violation, or, if *options->stop was set before there was
// a proof, undecided.  -1 with a sentence if none was found, which is a bug.

// The wrong read of the model breaks the level.
int counterexample_of_read(const struct model *m,
                           const struct check_options *options,
                           const struct wrong_read *wrong_read,
                           struct verdict *verdict, struct error *error);
// The cycle, which is taken over, does; the model's overwriters are linked.
// `briefly`: -1 if the transactions that the cycle rests on at first sight do
// not break the level by themselves; else everything is tried at last.
int counterexample_of_cycle(const struct model *m,
                            const struct check_options *options,
                            struct cycle *cycle, bool briefly,
                            struct verdict *verdict, struct error *error);
// The operations, which are closed and taken over, do, and `weakest`, a level
// that is no stronger.
int counterexample_of_part(const struct model *m,
                           const struct check_options *options,
                           struct operations *ops, enum isolation weakest,
                           struct verdict *verdict, struct error *error);

#endif
