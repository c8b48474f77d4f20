// SPDX-License-Identifier: GPL-3.0-or-later
// Student's t for means of repetitions (base/interval.h).
#include "config.h"

#include "base/interval.h"

#include <assert.h>
#include <gsl/gsl_cdf.h>
#include <math.h>

static double mean_of(const double *values, uint32_t count) {
  double sum = 0;
  for (uint32_t i = 0; i < count; i++)
    sum += values[i];
  return sum / count;
}

static double variance_of(const double *values, uint32_t count, double mean) {
  double sum = 0;
  for (uint32_t i = 0; i < count; i++)
    sum += (values[i] - mean) * (values[i] - mean);
  return sum / (count - 1);
}

struct interval interval_of(const double *values, uint32_t count) {
  assert(count);
  const double mean = mean_of(values, count);
  if (count == 1)
    return (struct interval){mean, NAN};
  const double error = sqrt(variance_of(values, count, mean) / count);
  return (struct interval){mean, gsl_cdf_tdist_Pinv(0.975, count - 1) * error};
}

// The variance of a difference of means, and Welch and Satterthwaite's degrees
// of freedom.
static double variance_between(const double *a, uint32_t na, const double *b,
                               uint32_t nb, double *freedom) {
  const double va = variance_of(a, na, mean_of(a, na)) / na;
  const double vb = variance_of(b, nb, mean_of(b, nb)) / nb;
  *freedom = (va + vb) * (va + vb) / (va * va / (na - 1) + vb * vb / (nb - 1));
  return va + vb;
}

struct interval interval_between(const double *a, uint32_t na, const double *b,
                                 uint32_t nb) {
  assert(na && nb);
  struct interval between = {mean_of(b, nb) - mean_of(a, na), NAN};
  double freedom, variance;
  if (na < 2 || nb < 2)
    return between;
  variance = variance_between(a, na, b, nb, &freedom);
  between.half =
      variance > 0 ? gsl_cdf_tdist_Pinv(0.975, freedom) * sqrt(variance) : 0;
  return between;
}

double interval_difference(const double *a, uint32_t na, const double *b,
                           uint32_t nb) {
  if (na < 2 || nb < 2)
    return 1;
  const double mean_a = mean_of(a, na), mean_b = mean_of(b, nb);
  double freedom;
  const double variance = variance_between(a, na, b, nb, &freedom);
  if (variance <= 0)
    return mean_a == mean_b ? 1 : 0;
  return 2 * gsl_cdf_tdist_Q(fabs(mean_a - mean_b) / sqrt(variance), freedom);
}
