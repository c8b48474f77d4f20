// SPDX-License-Identifier: GPL-3.0-or-later
// Which transactions a violation rests on.
#ifndef CLI_COUNTEREXAMPLE_H
#define CLI_COUNTEREXAMPLE_H

#include "checker/checker.h"

// The transactions of the counterexample, ascending; to be freed.
uint32_t *counterexample_txns(const struct history *history,
                              const struct verdict *verdict, uint32_t *count);

#endif
