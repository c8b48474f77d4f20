// SPDX-License-Identifier: GPL-3.0-or-later
// What a violation rests on.
#ifndef CLI_JOBS_COUNTEREXAMPLE_H
#define CLI_JOBS_COUNTEREXAMPLE_H

#include "checker/verdict/verdict.h"

// The operations that bring it about again, ascending; to be freed.  Without
// the transactions that did no more than write values that can be there from
// the beginning.
uint32_t *counterexample_ops(const struct history *history,
                             const struct verdict *verdict, uint32_t *count);

#endif
