// SPDX-License-Identifier: GPL-3.0-or-later
// Decides a history with rows in which each transaction has its own level, of
// any size.
#ifndef CHECKER_ROWS_BY_LEVEL_H
#define CHECKER_ROWS_BY_LEVEL_H

#include "checker/verdict/verdict.h"

// The verdict is undecided, and says why, until it is decided here: not where
// other choices might be right, nor where some transactions are at CC.  -1 with
// a sentence.
int rows_decide_by_level(const struct history *history,
                         const struct check_options *options,
                         struct verdict *verdict, struct error *error);

#endif
