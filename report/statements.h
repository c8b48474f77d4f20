// SPDX-License-Identifier: GPL-3.0-or-later
// The SQL statements of a history, told.
#ifndef REPORT_STATEMENTS_H
#define REPORT_STATEMENTS_H

#include "checker/verdict/verdict.h"

#include <stdio.h>

// A line for each statement of the violation's part or, if it has none, of the
// transactions that were not aborted, but at most some dozens of them.  The
// history has rows.
void statements_put_text(FILE *out, const struct history *history,
                         const struct verdict *violation);

#endif
