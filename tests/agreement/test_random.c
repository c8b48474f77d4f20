// SPDX-License-Identifier: GPL-3.0-or-later
// Checker and referee on 200,000 random histories of up to five transactions,
// at every level; on six million if ISOSTRESS_LONG is set.  What makes a
// million of them is test_variants.
#include "config.h"

#include "base/random.h"
#include "tests/kit/compare.h"
#include "tests/kit/generate.h"
#include "tests/tap.h"

enum { HISTORIES = 200000 / FAMILY_COUNT, MAX_TXNS = 5 };

// Both answers must be frequent, or the comparison says little.
static void check_balance(const struct agreement *agreement,
                          enum isolation level) {
  CHECK(agreement->kept[level] > agreement->histories / 50);
  CHECK(agreement->broken[level] > agreement->histories / 50);
}

static void agree_on(enum family family) {
  const unsigned count = tap_inputs(HISTORIES, 30);
  struct agreement agreement = {0};
  gsl_rng *random = random_stream(1, family, RANDOM_TEST);
  for (unsigned i = 0; i < count; i++) {
    struct tiny tiny;
    generate(random, family, MAX_TXNS, &tiny);
    compare(&agreement, &tiny);
  }
  gsl_rng_free(random);
  agreement_print(&agreement);
  CHECK_INT(agreement_failures(&agreement), 0);
  for (enum isolation level = ISOLATION_RC; level <= ISOLATION_SSER; level++)
    check_balance(&agreement, level);
}

static void mini(void) { agree_on(FAMILY_MINI); }
static void general(void) { agree_on(FAMILY_GENERAL); }
static void append(void) { agree_on(FAMILY_APPEND); }
static void cas(void) { agree_on(FAMILY_CAS); }
static void outcome(void) { agree_on(FAMILY_OUTCOME); }

int main(void) {
  return TAP_RUN({"mini-transactions agree with the referee", mini},
                 {"general registers agree with the referee", general},
                 {"histories of lists agree with the referee", append},
                 {"histories of compare-and-set agree with the referee", cas},
                 {"aborted and unknown transactions", outcome});
}
