// SPDX-License-Identifier: GPL-3.0-or-later
// The one function that decides a history with rows: by a table of ways, each
// with what it is for and what verifies its answer.
#ifndef CHECKER_ROWS_DECIDE_H
#define CHECKER_ROWS_DECIDE_H

#include "checker/verdict/verdict.h"

// `options` are settled; the verdict is undecided, and stays so with a sentence
// where no way tells.  -1 with a sentence if a proof is none.
int decide_rows(const struct history *history,
                const struct check_options *options, struct verdict *verdict,
                struct error *error);

#endif
