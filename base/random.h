// SPDX-License-Identifier: GPL-3.0-or-later
// Random streams, all from one seed: one stream per session and purpose, so
// that what one session draws never depends on how fast another one runs.
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <gsl/gsl_rng.h>
#include <stdint.h>

enum random_purpose { // add at the end: the numbers are part of a run's meaning
  RANDOM_PLAN,        // what a workload proposes
  RANDOM_PACE,        // think times, back-off, arrival times
  RANDOM_DATABASE,    // choices of the memory driver
  RANDOM_INTERLEAVE,  // which session moves next on one thread
  RANDOM_TEST,
  RANDOM_ROUTE,   // which host a transaction goes to
  RANDOM_LEVEL,   // at which isolation level
  RANDOM_NEMESIS, // which nodes are harmed, and when
};

// A number whose bits each depend on all bits of the other one.
uint64_t random_mix(uint64_t number);

// A generator of the GSL, to be freed with gsl_rng_free.  Equal arguments give
// equal streams.
gsl_rng *random_stream(uint64_t seed, uint32_t session,
                       enum random_purpose purpose);

#endif
