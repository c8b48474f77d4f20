// SPDX-License-Identifier: GPL-3.0-or-later
// Random streams (base/random.h).
#include "config.h"

#include "base/random.h"

#include "base/memory.h"

// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): every bit of the
// input reaches every bit of the output, so neighbouring seeds and sessions do
// not give neighbouring streams.
uint64_t random_mix(uint64_t z) {
  z += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

gsl_rng *random_stream(uint64_t seed, uint32_t session,
                       enum random_purpose purpose) {
  gsl_rng *stream = gsl_rng_alloc(gsl_rng_taus2);
  if (!stream)
    out_of_memory(gsl_rng_taus2->size);
  gsl_rng_set(stream, (unsigned long)(random_mix(random_mix(random_mix(seed) ^
                                                            session) ^
                                                 purpose) &
                                      UINT32_MAX));
  return stream;
}
