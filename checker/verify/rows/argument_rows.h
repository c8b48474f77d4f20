// SPDX-License-Identifier: GPL-3.0-or-later
// Checks an argument about a history with rows (checker/verdict/verdict.h):
// about the rows that came back, as registers, and about those that did not.
#ifndef CHECKER_VERIFY_ROWS_ARGUMENT_ROWS_H
#define CHECKER_VERIFY_ROWS_ARGUMENT_ROWS_H

#include "checker/verify/verify.h"

// VERIFIED if every step follows from the history and the steps before it, and
// the last one is a contradiction.  `registers`: the rows of the history as
// registers, of plain SELECTs alone if those are the reads
// (checker/part/row_registers.h).
enum verified verify_rows_argument(const struct history *history,
                                   const struct history *registers,
                                   const struct check_options *options,
                                   const struct argument *argument,
                                   struct error *error);

#endif
