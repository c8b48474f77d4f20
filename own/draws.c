// SPDX-License-Identifier: GPL-3.0-or-later
// Draws numbers and hashes them (own/draws.h).
#include "config.h"

#include "own/draws.h"

#include <gsl/gsl_randist.h>
#include <math.h>

int64_t draw_number(gsl_rng *rng, int64_t low, int64_t high) {
  const uint64_t count = (uint64_t)high - (uint64_t)low + 1;
  if (!count || count > gsl_rng_max(rng) - gsl_rng_min(rng))
    return low + (int64_t)((double)count * gsl_rng_uniform(rng));
  return low + (int64_t)gsl_rng_uniform_int(rng, count);
}

// The part of the range that lies below `share`.
static int64_t at_share(int64_t low, int64_t high, double share) {
  const double count = (double)high - (double)low + 1;
  const int64_t at = low + (int64_t)(count * share);
  return at > high ? high : at;
}

int64_t draw_number_gaussian(gsl_rng *rng, int64_t low, int64_t high,
                             double parameter) {
  double deviation = parameter;
  while (fabs(deviation) >= parameter)
    deviation = gsl_ran_gaussian(rng, 1);
  return at_share(low, high, (deviation / parameter + 1) / 2);
}

int64_t draw_number_exponential(gsl_rng *rng, int64_t low, int64_t high,
                                double parameter) {
  const double cut = exp(-parameter), u = gsl_rng_uniform(rng);
  return at_share(low, high, -log(1 - (1 - cut) * u) / parameter);
}

// Luc Devroye, "Non-Uniform Random Variate Generation", Springer 1986, chapter
// X.6.1: draws of an endless Zipf distribution, of which those that are too
// large are thrown away.
int64_t draw_number_zipfian(gsl_rng *rng, int64_t low, int64_t high,
                            double parameter) {
  const double s = parameter - 1, b = pow(2, s);
  const double count = (double)high - (double)low + 1;
  double x = 1, ratio = 2, v = 1;
  while (count > 1 &&
         (x > count || v * x * (ratio - 1) / (b - 1) > ratio / b)) {
    x = floor(pow(gsl_rng_uniform_pos(rng), -1 / s));
    ratio = pow(1 + 1 / x, s);
    v = gsl_rng_uniform_pos(rng);
  }
  return at_share(low, high, (x - 1) / count);
}

// ---- Hashes, of the eight bytes of a number from the lowest on

int64_t hash_fnv1a(int64_t value, int64_t seed) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ (uint64_t)seed;
  for (int i = 0; i < 8; i++) {
    hash ^= (uint64_t)value >> 8 * i & 0xff;
    hash *= UINT64_C(0x100000001b3);
  }
  return (int64_t)hash;
}

int64_t hash_murmur2(int64_t value, int64_t seed) {
  const uint64_t factor = UINT64_C(0xc6a4a7935bd1e995);
  enum { ROTATION = 47 };
  uint64_t hash = (uint64_t)seed ^ 8 * factor, k = (uint64_t)value * factor;
  k ^= k >> ROTATION;
  k *= factor;
  hash = (hash ^ k) * factor;
  hash ^= hash >> ROTATION;
  hash *= factor;
  return (int64_t)(hash ^ hash >> ROTATION);
}
