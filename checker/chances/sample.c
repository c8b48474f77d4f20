// SPDX-License-Identifier: GPL-3.0-or-later
// Draws samples and judges them (checker/chances/sample.h).
#include "config.h"

#include "checker/chances/sample.h"

#include <assert.h>
#include <math.h>

// The last steps of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): numbers
// in a row become numbers without any order.
static uint64_t scramble(uint64_t number) {
  number += UINT64_C(0x9e3779b97f4a7c15);
  number = (number ^ number >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  number = (number ^ number >> 27) * UINT64_C(0x94d049bb133111eb);
  return number ^ number >> 31;
}

unsigned sample_round(uint64_t block) {
  const uint64_t number = scramble(block);
  return number ? (unsigned)__builtin_ctzll(number) : 64;
}

// How many blocks would it be if all had the same count?
// Few blocks that hold nearly everything are few here, too.
static double blocks_that_matter(const struct sample_count *count) {
  return (double)count->sum * (double)count->sum / count->squares;
}

struct sample_bounds sample_bounds(const struct sample_count *count,
                                   uint64_t drawn, uint64_t blocks) {
  enum { ENOUGH_BLOCKS = 100 };
  const double errors = 2.58, n = (double)drawn;
  assert(drawn <= blocks);
  if (drawn == blocks)
    return (struct sample_bounds){count->sum, count->sum};
  if (!count->sum || blocks_that_matter(count) < ENOUGH_BLOCKS)
    return (struct sample_bounds){count->sum, UINT64_MAX};
  const double mean = (double)count->sum / n;
  const double variance = fmax(count->squares - n * mean * mean, 0) / (n - 1);
  const double rest = 1 - n / (double)blocks;
  const double all = mean * (double)blocks;
  const double error = errors * sqrt(variance / n * rest) * (double)blocks;
  return (struct sample_bounds){(uint64_t)fmax(all - error, (double)count->sum),
                                (uint64_t)ceil(all + error)};
}
