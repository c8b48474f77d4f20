// SPDX-License-Identifier: GPL-3.0-or-later
// Decides a history with rows at RC or RA, or one in which each transaction has
// its own level, of any size: by places in one commit order.
#ifndef CHECKER_ROWS_BY_PLACES_H
#define CHECKER_ROWS_BY_PLACES_H

#include "checker/verdict/verdict.h"

// The verdict is undecided, and says why, until it is decided here.  Those at
// CC are kept by an order that keeps PC, and broken by what breaks RA; and what
// is below PC is kept in real time by an order that keeps PC, and broken by
// what breaks it without.  Where only plain SELECTs are reads it is at most a
// PASS.  -1 with a sentence if a proof is none.
int rows_decide_by_places(const struct history *history,
                          const struct check_options *options,
                          struct verdict *verdict, struct error *error);

// Does it break RC or RA, or the levels of its transactions, of which those at
// CC are held to RA?
// It may even if this is not found; its statements are right at any level, and
// the rows that came back need not be.
bool rows_break_by_places(const struct history *history,
                          const struct check_options *options);

#endif
