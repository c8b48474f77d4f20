// SPDX-License-Identifier: GPL-3.0-or-later
// Executes the commit order of a PASS, statement by statement: each must find
// exactly the rows that the history says it found.
#ifndef CHECKER_VERIFY_ROWS_EXECUTE_ROWS_H
#define CHECKER_VERIFY_ROWS_EXECUTE_ROWS_H

#include "checker/verify/verify.h"

// `registers`: the history with its rows as registers, of which verify_pass is
// asked as well.  VERIFIED if the order, with the snapshots if there are any,
// is a proof that the history keeps the level of the options, which is PC or
// above.
enum verified verify_rows(const struct history *history,
                          const struct history *registers,
                          const uint8_t *counted,
                          const struct check_options *options,
                          const struct verdict *verdict, struct error *error);

#endif
