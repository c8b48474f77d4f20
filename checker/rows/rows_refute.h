// SPDX-License-Identifier: GPL-3.0-or-later
// Does a small history with rows break a level?  The referee says so of a tiny
// one, an argument (checker/argue/argue.h) of most others, and what neither can
// tell is decided case by case.
#ifndef CHECKER_ROWS_ROWS_REFUTE_H
#define CHECKER_ROWS_ROWS_REFUTE_H

#include "checker/rows/rows_cases.h"
#include "checker/verdict/verdict.h"

// Looks for an argument that the history breaks the level, of at most some
// hundred transactions.  If it returns true, the argument, about the ids of the
// history, is the caller's to free with argument_free.
bool rows_argue(struct argument *argument, const struct history *history,
                const struct check_options *options);

// Too large: nobody can tell, within so much work of cases.
enum referee_answer rows_refute(const struct history *history,
                                const struct check_options *options,
                                uint64_t work);

#endif
