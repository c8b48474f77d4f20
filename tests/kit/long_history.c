// SPDX-License-Identifier: GPL-3.0-or-later
// Executes mini-transactions one by one (tests/kit/long_history.h).
#include "config.h"

#include "tests/kit/long_history.h"

#include "base/outcome.h"
#include "recorder/builder/builder.h"
#include "tests/tap.h"

enum { MOST_TXNS = 150, MOST_KEYS = 12, MOST_SESSIONS = 6, VERSIONS = 8 };

struct execution {
  gsl_rng *random;
  struct builder *builder;
  uint64_t value[MOST_KEYS][VERSIONS]; // the last ones, newest first
  uint64_t last_value, now;
  uint64_t ended[MOST_SESSIONS];
  unsigned nkeys, nsessions, odds;
};

static unsigned draw_below(struct execution *x, unsigned n) {
  return (unsigned)gsl_rng_uniform_int(x->random, n);
}

// The newest version of the key, or one before it.
static uint64_t draw_version(struct execution *x, unsigned key) {
  const unsigned back =
      x->odds && !draw_below(x, x->odds) ? 1 + draw_below(x, VERSIONS - 1) : 0;
  return x->value[key][back];
}

static void draw_txn(struct execution *x) {
  const unsigned session = draw_below(x, x->nsessions), noks = 14;
  const unsigned luck = draw_below(x, noks + 2);
  const enum outcome outcome = luck < noks    ? OUTCOME_OK
                               : luck == noks ? OUTCOME_ABORTED
                                              : OUTCOME_UNKNOWN;
  const bool effective =
      outcome == OUTCOME_OK || (outcome == OUTCOME_UNKNOWN && draw_below(x, 2));
  const uint64_t begin =
      x->ended[session] > x->now ? x->ended[session] : x->now;
  const unsigned first = draw_below(x, x->nkeys), nkeys = 1 + draw_below(x, 2);
  x->now += 2;
  x->ended[session] = begin + 1 + draw_below(x, 12);
  builder_txn(x->builder, session, outcome, ISOLATION_SER, begin,
              x->ended[session]);
  for (unsigned i = 0; i < nkeys; i++) {
    const unsigned key = (first + i) % x->nkeys;
    builder_op(x->builder, OP_READ, key, draw_version(x, key));
    if (draw_below(x, 2))
      continue;
    builder_op(x->builder, OP_WRITE, key, ++x->last_value);
    for (unsigned v = VERSIONS; effective && --v > 0;)
      x->value[key][v] = x->value[key][v - 1];
    if (effective)
      x->value[key][0] = x->last_value;
  }
}

void long_history(gsl_rng *random, struct history *history) {
  struct error error;
  struct execution x = {.random = random, .builder = builder_open()};
  x.nkeys = 2 + draw_below(&x, MOST_KEYS - 1);
  x.nsessions = 1 + draw_below(&x, MOST_SESSIONS);
  x.odds = draw_below(&x, 2) ? 0 : 20 + draw_below(&x, 200);
  const unsigned ntxns = 2 + draw_below(&x, MOST_TXNS - 1);
  for (unsigned i = 0; i < ntxns; i++)
    draw_txn(&x);
  CHECK_INT(builder_finish(x.builder, history, &error), 0);
}
