// SPDX-License-Identifier: GPL-3.0-or-later
// The history `to`, which a swap makes, counts as valid without a test
// (tests/explore/swap_errors.h).
#include "config.h"

#include "tests/explore/swap_errors.h"

#define is_valid_to(read, w) true
#define is_valid_scratch(read, w) (partial_is_valid)(scratch, read, w)
#define swap_next swap_next_untested
#define partial_is_valid(p, read, w) is_valid_##p(read, w)
#include "explore/swap.c"
