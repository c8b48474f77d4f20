// SPDX-License-Identifier: GPL-3.0-or-later
// Random tiny histories that are nearly right: a made-up execution decides what
// the reads see, and now and then a read sees something else.
#ifndef TESTS_KIT_GENERATE_H
#define TESTS_KIT_GENERATE_H

#include "tests/kit/tiny.h"

#include <gsl/gsl_rng.h>

enum family {
  FAMILY_MINI,    // mini-transactions: MTC, definition 8
  FAMILY_GENERAL, // reads and blind writes of registers
  FAMILY_APPEND,  // lists; in one half the last one reads them all
  FAMILY_CAS,     // single compare-and-sets and reads
  FAMILY_OUTCOME, // any of these, with aborted and unknown transactions
  FAMILY_COUNT
};

// "mini-transactions"...
const char *family_name(enum family family);

// Between two and `max_txns` (at least 2, at most 8) transactions, all with
// times.
void generate(gsl_rng *random, enum family family, unsigned max_txns,
              struct tiny *tiny);

// Adds one or two transactions that did nothing, and forgets one begin and one
// end in three.
void generate_gaps(gsl_rng *random, struct tiny *tiny);

#endif
