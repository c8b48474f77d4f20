// SPDX-License-Identifier: GPL-3.0-or-later
// Decides histories that have SQL statements and rows (recorder/rows.h).
#ifndef CHECKER_ROWS_CHECK_ROWS_H
#define CHECKER_ROWS_CHECK_ROWS_H

#include "checker/verdict/verdict.h"

// As check, of a history with rows.
int check_rows(const struct history *history,
               const struct check_options *options, struct verdict *verdict,
               struct error *error);

#endif
