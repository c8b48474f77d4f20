// SPDX-License-Identifier: GPL-3.0-or-later
// Decides a history with rows of a few hundred transactions by cases, with the
// levels that its transactions have and with those whose outcome is unknown.
#ifndef CHECKER_ROWS_BY_CASES_H
#define CHECKER_ROWS_BY_CASES_H

#include "checker/verdict/verdict.h"

// Leaves the verdict, which is undecided, as it is if there are too many cases.
// -1 with a sentence if a proof is none.
int rows_decide_by_cases(const struct history *history,
                         const struct check_options *options,
                         struct verdict *verdict, struct error *error);

// Takes a history that keeps the level: finds an order that the verifiers
// replay, and makes it a PASS.  False if none was found that they accept.
bool rows_replay_by_cases(const struct history *history,
                          const struct check_options *options,
                          struct verdict *verdict);

#endif
