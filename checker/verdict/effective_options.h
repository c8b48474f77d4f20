// SPDX-License-Identifier: GPL-3.0-or-later
// The level of each transaction, and which of them count, once it is known
// what is asked: the same for who finds a proof and who checks it.
#ifndef CHECKER_VERDICT_EFFECTIVE_OPTIONS_H
#define CHECKER_VERDICT_EFFECTIVE_OPTIONS_H

#include "checker/verdict/verdict.h"

// Where all that were not aborted were run at one level, that is the level of
// all; where not, the strongest of them stands for the verdict.  Where all were
// aborted, it is the strongest of these.  The terms of rows are asked about no
// history without rows.
struct check_options settled_options(const struct history *history,
                                     const struct check_options *options);

// The kinds of operations without the reads of those that were run at a level
// that promises nothing; NULL if there are none.  Free with free().
uint8_t *settled_kinds(const struct history *history,
                       const struct check_options *options);

// history_counted, and how many there are of what outcome.
uint8_t *settled_count(const struct history *history,
                       struct verdict_counts *counts);

#endif
