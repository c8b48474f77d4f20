// SPDX-License-Identifier: GPL-3.0-or-later
// The SQL statements of a history, told.
#ifndef REPORT_TALE_STATEMENTS_H
#define REPORT_TALE_STATEMENTS_H

#include "report/tale/example.h"
#include "report/tale/names.h"

// Tells the statements of a violation that has a part with rows or, if it was
// decided by trying all, those of all transactions that were not aborted, but
// at most some dozens of them: fills example->statements.
void statements_tell(struct example *example, const struct names *names,
                     const struct verdict *violation);

#endif
