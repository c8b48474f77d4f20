// SPDX-License-Identifier: GPL-3.0-or-later
// The algorithms of the mixed-isolation paper and its baseline say of random
// tiny histories what the referee says, and of small ones what the checker
// says, which is not the referee then.
#include "config.h"

#include "checker/rows/sobound.h"
#include "checker/verify/rows/rows_question.h"
#include "recorder/files/reader.h"
#include "recorder/files/writer.h"
#include "tests/kit/row_histories.h"
#include "tests/tap.h"

#include <stdlib.h>

enum { WORK = 1 << 19 };

static uint64_t rounds(void) { return tap_inputs(1000, 100); }

struct tally {
  uint64_t kept, broken, open, different;
  uint64_t naive, engine; // questions that the baseline and the checker decided
};

static void show(const struct history *h,
                 const struct referee_rows_options *question,
                 const char *says) {
  struct error error = {0};
  printf("# %s: %s\n",
         question->all.levels ? "its levels"
                              : isolation_name(question->all.level),
         says);
  for (uint32_t t = 0; question->all.levels && t < h->ntxns; t++)
    printf("# %u: %s\n", t,
           isolation_name((enum isolation)question->all.levels[t]));
  fflush(stdout);
  history_write("-", history_format_named("text", &error), h, NULL, &error);
}

static void compare_referee(const struct history *h,
                            const struct check_options *options,
                            struct tally *tally) {
  const struct referee_rows_options question = question_about_rows(h, options);
  uint32_t order[REFEREE_ROWS_TXNS], norder;
  const enum referee_answer referee =
      referee_rows_decide(h, &question, order, &norder);
  if (referee == REFEREE_TOO_LARGE)
    return;
  tally->kept += referee == REFEREE_KEPT;
  tally->broken += referee == REFEREE_BROKEN;
  for (int naive = 0; naive < 2; naive++) {
    struct sobound sobound = {.naive = naive, .work = WORK};
    const enum referee_answer answer = sobound_decide(h, &question, &sobound);
    tally->naive += naive && answer != REFEREE_TOO_LARGE;
    tally->open += !naive && answer == REFEREE_TOO_LARGE;
    if (answer != REFEREE_TOO_LARGE && answer != referee &&
        tally->different++ < 3)
      show(h, &question,
           naive ? "the baseline differs" : "algorithm 3 differs");
  }
}

static void compare_checker(const struct history *h,
                            const struct check_options *options,
                            struct tally *tally) {
  const struct referee_rows_options question = question_about_rows(h, options);
  struct sobound sobound = {.work = WORK};
  struct verdict v;
  struct error error = {0};
  CHECK_INT(check(h, options, &v, &error), 0);
  const enum referee_answer answer = sobound_decide(h, &question, &sobound);
  tally->open += answer == REFEREE_TOO_LARGE;
  if (v.kind != VERDICT_UNDECIDED && answer != REFEREE_TOO_LARGE) {
    tally->engine++;
    tally->kept += answer == REFEREE_KEPT;
    tally->broken += answer == REFEREE_BROKEN;
    if ((v.kind == VERDICT_PASS) != (answer == REFEREE_KEPT) &&
        tally->different++ < 3)
      show(h, &question, "algorithm 3 and the checker differ");
  }
  verdict_free(&v);
}

// Every level that the paper speaks of, and a mix of them.
static void compare_levels(gsl_rng *random, const struct history *h,
                           void (*compare)(const struct history *,
                                           const struct check_options *,
                                           struct tally *),
                           struct tally *tally) {
  static const enum isolation levels[] = {ISOLATION_RC,  ISOLATION_RA,
                                          ISOLATION_PC,  ISOLATION_SI,
                                          ISOLATION_SER, ISOLATION_NONE};
  struct check_options options = {.question = {.session_order = true}};
  for (unsigned i = 0; i < 5; i++) {
    options.question.level = levels[i];
    options.question.rc_sees_session = gsl_rng_uniform_int(random, 2);
    options.question.by_items = !gsl_rng_uniform_int(random, 8);
    compare(h, &options, tally);
  }
  for (uint32_t t = 0; t < h->ntxns; t++)
    h->level[t] = (uint8_t)levels[gsl_rng_uniform_int(random, 6)];
  options.question.level = ISOLATION_SER;
  options.question.recorded = true;
  compare(h, &options, tally);
}

static struct tally
compare_all(struct rows_odds odds, uint64_t seed, uint64_t nhistories,
            void (*compare)(const struct history *,
                            const struct check_options *, struct tally *)) {
  struct tally tally = {0};
  gsl_rng *random = random_stream(seed, 0, RANDOM_TEST);
  for (uint64_t i = 0; i < nhistories; i++) {
    struct history h = rows_random(random, &odds);
    compare_levels(random, &h, compare, &tally);
    history_free(&h);
  }
  gsl_rng_free(random);
  printf("# kept %llu, broken %llu, open %llu, by the baseline %llu, "
         "by the checker %llu\n",
         (unsigned long long)tally.kept, (unsigned long long)tally.broken,
         (unsigned long long)tally.open, (unsigned long long)tally.naive,
         (unsigned long long)tally.engine);
  CHECK_INT(tally.different, 0);
  CHECK(tally.kept > nhistories && tally.broken > nhistories / 2);
  CHECK(tally.open < nhistories / 4);
  return tally;
}

static void the_referee_agrees(void) {
  const uint64_t n = rounds() / 4;
  uint64_t naive = 0;
  naive += compare_all((struct rows_odds){.ntxns = 6, .stray = 3}, 1, n,
                       compare_referee)
               .naive;
  naive +=
      compare_all((struct rows_odds){.ntxns = 5, .stray = 12, .aborted = 10}, 2,
                  n, compare_referee)
          .naive;
  naive +=
      compare_all((struct rows_odds){.ntxns = 5, .stray = 4, .reuse = true}, 3,
                  n, compare_referee)
          .naive;
  naive +=
      compare_all((struct rows_odds){.ntxns = 5, .stray = 3, .unknown = 40}, 4,
                  n, compare_referee)
          .naive;
  CHECK(naive > 16 * n);
}

static void the_checker_agrees(void) {
  const uint64_t n = rounds() / 10;
  const struct tally tally = compare_all(
      (struct rows_odds){.ntxns = 14, .stray = 2}, 5, n, compare_checker);
  CHECK(tally.engine > 2 * n);
}

// The paper has no theorem for them.
static void other_levels_are_refused(void) {
  static const enum isolation levels[] = {ISOLATION_CC, ISOLATION_SSER};
  const struct rows_odds odds = {.ntxns = 4};
  gsl_rng *random = random_stream(6, 0, RANDOM_TEST);
  struct history h = rows_random(random, &odds);
  for (unsigned i = 0; i < 2; i++) {
    const struct referee_rows_options question = {.all.level = levels[i]};
    struct sobound sobound = {.work = WORK};
    CHECK_INT(sobound_decide(&h, &question, &sobound), REFEREE_TOO_LARGE);
    CHECK_INT(sobound.nextensions, 0);
  }
  history_free(&h);
  gsl_rng_free(random);
}

int main(void) {
  return TAP_RUN(
      {"the paper's algorithms say what the referee says", the_referee_agrees},
      {"algorithm 3 says what the checker says", the_checker_agrees},
      {"levels without a theorem are refused", other_levels_are_refused});
}
