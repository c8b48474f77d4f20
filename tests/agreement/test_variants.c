// SPDX-License-Identifier: GPL-3.0-or-later
// Checker and referee on random histories where the levels of transactions are
// mixed, session order does not count, or real time does, where transactions
// did nothing and times are missing, and on such that start in the middle: a
// million questions, or ten times as many if ISOSTRESS_LONG is set.
#include "config.h"

#include "base/random.h"
#include "tests/kit/compare.h"
#include "tests/kit/generate.h"
#include "tests/kit/middle.h"
#include "tests/tap.h"

enum { QUESTIONS = 100000 / FAMILY_COUNT, MAX_TXNS = 5 };

static unsigned below(gsl_rng *random, unsigned n) {
  return (unsigned)gsl_rng_uniform_int(random, n);
}

// Any levels, or two of them only, so that all pairs meet often.
static void draw_levels(gsl_rng *random, struct tiny *tiny) {
  const unsigned one = 1 + below(random, ISOLATION_SSER);
  const unsigned two = below(random, ISOLATION_COUNT);
  const bool any = below(random, 3) == 0;
  for (unsigned t = 0; t < tiny->ntxns; t++)
    tiny->txn[t].level = (uint8_t)(any ? below(random, ISOLATION_COUNT)
                                   : below(random, 2) ? one
                                                      : two);
}

static void draw(gsl_rng *random, enum family family,
                 struct compared_question question, bool empty,
                 struct tiny *tiny) {
  do {
    generate(random, family, empty ? MAX_TXNS - 1 : MAX_TXNS, tiny);
    draw_levels(random, tiny);
    if (empty)
      generate_gaps(random, tiny);
    if (question.middle)
      middle_cut(tiny, 1 + below(random, 2));
  } while (!tiny_promises_anything(tiny));
}

// `empty`: with transactions that did nothing, and without some of the times.
static void ask(enum family family, struct compared_question question,
                bool empty, struct agreement *agreement) {
  const unsigned count = tap_inputs(QUESTIONS, 10);
  gsl_rng *random = random_stream(
      2 + question.recorded + 2 * question.session_order +
          4 * question.real_time + 8 * question.middle + 16 * empty,
      family, RANDOM_TEST);
  for (unsigned i = 0; i < count; i++) {
    struct tiny tiny;
    draw(random, family, question, empty, &tiny);
    question.level =
        question.recorded ? ISOLATION_SSER : 1 + below(random, ISOLATION_SSER);
    compare_question(agreement, &tiny, question);
  }
  gsl_rng_free(random);
}

// Both answers must be frequent, or the comparison says little.
static void check_all_of(struct compared_question question, bool empty) {
  struct agreement agreement = {0};
  for (enum family family = 0; family < FAMILY_COUNT; family++)
    ask(family, question, empty, &agreement);
  agreement_print(&agreement);
  CHECK_INT(agreement_failures(&agreement), 0);
  for (enum isolation level = ISOLATION_NONE; level <= ISOLATION_SSER;
       level++) {
    if (question.recorded != (level == ISOLATION_NONE))
      continue;
    CHECK(agreement.kept[level] > agreement.histories / 50);
    CHECK(agreement.broken[level] > agreement.histories / 50);
  }
}

static void check_all_families(struct compared_question question) {
  check_all_of(question, false);
}

static void mixed(void) {
  check_all_families(
      (struct compared_question){.recorded = true, .session_order = true});
}
static void mixed_otherwise(void) {
  check_all_families((struct compared_question){.recorded = true});
  check_all_families((struct compared_question){
      .recorded = true, .session_order = true, .real_time = true});
}
static void without_sessions(void) {
  check_all_families((struct compared_question){0});
}
static void in_real_time(void) {
  check_all_families(
      (struct compared_question){.session_order = true, .real_time = true});
}
static void from_the_middle(void) {
  check_all_families(
      (struct compared_question){.session_order = true, .middle = true});
}
static void in_real_time_only(void) {
  check_all_families((struct compared_question){.real_time = true});
}

static void with_empty_ones(void) {
  check_all_of(
      (struct compared_question){.session_order = true, .real_time = true},
      true);
  check_all_of((struct compared_question){.recorded = true,
                                          .session_order = true,
                                          .real_time = true},
               true);
  check_all_of(
      (struct compared_question){.recorded = true, .session_order = true},
      true);
}

int main(void) {
  return TAP_RUN(
      {"transactions of mixed levels", mixed},
      {"mixed levels without session order or in real time", mixed_otherwise},
      {"without session order", without_sessions},
      {"in real time", in_real_time},
      {"in real time without session order", in_real_time_only},
      {"empty transactions and missing times", with_empty_ones},
      {"histories that start in the middle", from_the_middle});
}
