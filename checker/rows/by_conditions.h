// SPDX-License-Identifier: GPL-3.0-or-later
// Violations by conditions beside those by the rows that came back: what
// statements missed breaks the level as well, in a case of its own.
#ifndef CHECKER_ROWS_BY_CONDITIONS_H
#define CHECKER_ROWS_BY_CONDITIONS_H

#include "checker/verdict/verdict.h"

// The verdict is a VIOLATION by rows that came back.  Adds a case by what
// statements missed to its others if the search finds one.  Only at PC and
// above, where levels are not mixed, without real time.  -1 with a sentence if
// a proof is none.
int rows_find_conditions(const struct history *history,
                         const struct check_options *options,
                         struct verdict *verdict, struct error *error);

#endif
