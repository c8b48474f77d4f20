// SPDX-License-Identifier: GPL-3.0-or-later
// Condition (2) as the paper prints it (tests/explore/swap_errors.h): no
// transaction that is before r both in the oracle order (here that of numbers)
// and in the history has seen t.
#include "config.h"

#include "tests/explore/swap_errors.h"

static bool is_swapped_as_printed(const struct partial *p, uint32_t r) {
  uint32_t block = 0;
  while (r >= p->blocks[block].end_read)
    block++;
  const uint32_t t = p->reads[r].writer, of = p->blocks[block].t;
  if (t <= of)
    return false;
  for (uint32_t i = 0; i < block; i++)
    if (p->blocks[i].t < of && p->past[p->blocks[i].t] & bit(t))
      return false;
  for (uint32_t i = p->blocks[block].first_read; i < r; i++)
    if (p->reads[i].writer == t)
      return false;
  return true;
}

#define swap_next swap_next_as_printed
#define partial_is_swapped is_swapped_as_printed
#include "explore/swap.c"
