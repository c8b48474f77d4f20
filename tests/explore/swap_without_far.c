// SPDX-License-Identifier: GPL-3.0-or-later
// No read is known as far (tests/explore/swap_errors.h).
#include "config.h"

#include "tests/explore/swap_errors.h"

#define swap_next swap_next_without_far
#define READ_FAR 0
#include "explore/swap.c"
