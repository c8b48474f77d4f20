// SPDX-License-Identifier: GPL-3.0-or-later
// How sure a mean is, and whether two differ: Student's and Welch's t.
#ifndef BASE_INTERVAL_H
#define BASE_INTERVAL_H

#include <stdint.h>

struct interval {
  double mean;
  double half; // half the width of the 95 % interval; NAN: of one value alone
};

// The interval of the mean of `count` repetitions, at least one.
struct interval interval_of(const double *values, uint32_t count);

// The difference of the means, b minus a, with its interval (variances not
// assumed equal); the interval is NAN if either has fewer than two values.
struct interval interval_between(const double *a, uint32_t na, const double *b,
                                 uint32_t nb);

// The probability of a difference at least this large between the means if
// there is none (two-sided, variances not assumed equal); 1 if either has fewer
// than two values.
double interval_difference(const double *a, uint32_t na, const double *b,
                           uint32_t nb);

#endif
