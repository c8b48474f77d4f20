// SPDX-License-Identifier: GPL-3.0-or-later
// How much a reader has to take on trust of a violation that is shown.
#ifndef CHECKER_EXPLAIN_CLARITY_H
#define CHECKER_EXPLAIN_CLARITY_H

#include "checker/verdict/verdict.h"

// 0 is best.  Higher where a change that matters left the row as it was, so
// that no value differs, or where changes in between are not shown.  The
// violation is of the whole history, and not of a part.
unsigned violation_obscurity(const struct history *history,
                             const struct verdict *violation);

#endif
