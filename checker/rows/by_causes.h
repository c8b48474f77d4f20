// SPDX-License-Identifier: GPL-3.0-or-later
// Decides a history with rows at CC by the least pasts.
#ifndef CHECKER_ROWS_BY_CAUSES_H
#define CHECKER_ROWS_BY_CAUSES_H

#include "checker/verdict/verdict.h"

// `registers`: rows_registers of the history (checker/part/row_registers.h).
// Leaves the verdict undecided where the pasts do not tell.  -1 with a sentence
// if a proof is none.
int rows_decide_by_causes(const struct history *history,
                          const struct history *registers,
                          const uint8_t *counted,
                          const struct check_options *options,
                          struct verdict *verdict, struct error *error);

#endif
