// SPDX-License-Identifier: GPL-3.0-or-later
// Decides a history with rows at RC or RA by the nearest choices.
#ifndef CHECKER_ROWS_BY_CHOICES_H
#define CHECKER_ROWS_BY_CHOICES_H

#include "checker/verdict/verdict.h"

// Leaves the verdict undecided where the choices do not tell.  -1 with a
// sentence if a proof is none.
int rows_decide_by_choices(const struct history *history,
                           const uint8_t *counted,
                           const struct check_options *options,
                           struct verdict *verdict, struct error *error);

#endif
