// SPDX-License-Identifier: GPL-3.0-or-later
// Has the referee look at a violation: takes the operations that it rests on
// out of the history, as a history of its own, and lets the referee decide that
// from the axioms.
#ifndef CHECKER_CONFIRM_H
#define CHECKER_CONFIRM_H

#include "checker/model.h"

// 0 if the referee finds the level broken, or if there is too much for it; -1
// with a sentence if it finds the level kept.  For a cycle the model's
// overwriters are linked.
int confirm_violation(const struct model *m,
                      const struct check_options *options,
                      const struct verdict *verdict, struct error *error);

#endif
