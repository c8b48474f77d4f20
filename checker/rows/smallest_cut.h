// SPDX-License-Identifier: GPL-3.0-or-later
// From what a violation rests on to a part of the history that breaks the level
// and from which nothing can be taken away.
#ifndef CHECKER_ROWS_SMALLEST_CUT_H
#define CHECKER_ROWS_SMALLEST_CUT_H

#include "checker/part/rows_cut.h"
#include "checker/rows/engine.h"

// Looks for the part, from the rows and transactions that the decision rests
// on.  False: none was found, or the search was stopped.
bool smallest_cut(const struct history *history, const uint8_t *counted,
                  const struct check_options *options,
                  const struct rows_decision *decision, struct rows_part *part);

// Does the search say that a part breaks the level?  It shares nothing with the
// referee and with what refutes case by case.  False of mixed levels, which it
// does not decide.
bool search_breaks_part(const struct history *part,
                        const struct check_options *options);

#endif
