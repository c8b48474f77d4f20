// SPDX-License-Identifier: GPL-3.0-or-later
// Errors in explore/swap.c, to see that the test finds them: each file
// swap_*.c compiles it again with one part wrong.
#ifndef TESTS_EXPLORE_SWAP_ERRORS_H
#define TESTS_EXPLORE_SWAP_ERRORS_H

#include "explore/partial.h"

typedef bool swap_function(const struct partial *from, uint32_t *r,
                           struct partial *to, struct partial *scratch,
                           struct program_read *swapped);

// Condition (2) is the one that the paper prints.
swap_function swap_next_as_printed;
// Reads of causally unrelated writers may be deleted.
swap_function swap_next_without_far;
// The history that a swap makes is not tested.
swap_function swap_next_untested;

#endif
