// SPDX-License-Identifier: GPL-3.0-or-later
// Tells cycles that were met before, from whichever edge they are told.
#ifndef CHECKER_EXPLAIN_CYCLE_SET_H
#define CHECKER_EXPLAIN_CYCLE_SET_H

#include "checker/graph/cycle.h"

#include <stdbool.h>
#include <stdint.h>

struct seen {
  uint64_t *hashes; // open addressing; 0: free
  uint32_t count, mask;
};

void seen_free(struct seen *seen);

// Is it the first time that the cycle is met?
bool seen_first(struct seen *seen, const struct cycle *cycle);

#endif
