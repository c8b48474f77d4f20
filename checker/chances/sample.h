// SPDX-License-Identifier: GPL-3.0-or-later
// A sample of a history too long to be looked at as a whole, and what it says
// of all of it.
#ifndef CHECKER_CHANCES_SAMPLE_H
#define CHECKER_CHANCES_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

// Transactions of a session that follow one another meet the same ones, which
// are at hand then: they are drawn in blocks of so many.
enum { SAMPLE_BLOCK = 16 };

// The round in which a block is drawn.  Half of all blocks have round 0, a
// quarter round 1, and so on: who looks at the blocks round by round, from a
// high one down to 0, doubles the sample with each round.  Which blocks these
// are has nothing to do with what they hold, so that each round is drawn at
// random; but it is the same in each program.
unsigned sample_round(uint64_t block);

// The count of the blocks that were drawn.
struct sample_count {
  uint64_t sum;
  double squares; // their sum
};

// An interval that holds the count of all blocks.
struct sample_bounds {
  uint64_t low, high; // `high` UINT64_MAX: the sample does not say
};

// The interval is 2.58 standard errors of a sample without replacement on
// either side of the estimate, at least what was counted.  A normal
// distribution promises 99 % then; counts of blocks are skewed, so that 95 % is
// what is told of it (tests/unit/checker/test_chances.c counts again).  Where
// the count comes from less than about a hundred blocks, only the low end is
// known.
struct sample_bounds sample_bounds(const struct sample_count *count,
                                   uint64_t drawn, uint64_t blocks);

#endif
