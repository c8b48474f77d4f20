// SPDX-License-Identifier: GPL-3.0-or-later
// On random tiny histories with SQL statements the least pasts at CC give the
// answer of the referee, and what they keep or break is verified.
#include "config.h"

#include "base/memory.h"
#include "checker/part/row_registers.h"
#include "checker/part/rows_cut.h"
#include "checker/rows/causal_rows.h"
#include "checker/rows/show_rows.h"
#include "checker/rows/smallest_cut.h"
#include "checker/rows/verify_part.h"
#include "checker/verdict/effective_options.h"
#include "checker/verify/rows/execute_rows.h"
#include "checker/verify/rows/rows_question.h"
#include "tests/kit/row_histories.h"
#include "tests/tap.h"

#include <stdlib.h>

static uint64_t rounds(void) { return tap_inputs(6000, 100); }

struct tally {
  uint64_t kept, chosen, broken, shown, doubtful, stopped;
};

static void check_kept(const struct history *h, const struct history *registers,
                       const uint8_t *counted,
                       const struct check_options *options,
                       const struct causal_rows *pasts, struct tally *tally) {
  struct error error = {0};
  const struct rows_proof proof = {.order = pasts->d.order,
                                   .norder = pasts->d.norder,
                                   .found = pasts->found,
                                   .nfound = pasts->nfound};
  CHECK_INT(verify_rows(h, registers, counted, options, &proof, &error),
            VERIFIED);
  CHECK_STR(error.text, "");
  tally->kept++;
  tally->chosen += pasts->nfound > 0;
}

// Those of unknown outcome may have committed, and no part may show what is
// broken only if they did not.
static void check_broken(const struct history *h,
                         const struct check_options *options,
                         const struct causal_rows *pasts,
                         enum referee_answer referee, struct tally *tally) {
  struct error error = {0};
  struct rows_part part = {0};
  uint32_t ncases;
  uint8_t *members = rows_members(h);
  const bool shown = smallest_cut(h, members, options, &pasts->d, &part);
  tally->broken++;
  tally->shown += shown;
  tally->doubtful += referee == REFEREE_KEPT;
  if (shown) {
    CHECK_INT(referee, REFEREE_BROKEN);
    CHECK_INT(verify_rows_part(h, members, &part.history, part.txns.items,
                               part.statements.items, NULL, options, &ncases,
                               &error),
              VERIFIED);
    CHECK_STR(error.text, "");
  }
  rows_part_free(&part);
  free(members);
}

// The rows that came back keep the level.
static void compare_pasts(const struct history *h,
                          const struct history *registers,
                          const uint8_t *counted,
                          const struct check_options *options,
                          struct tally *tally) {
  const struct referee_rows_options question = question_about_rows(h, options);
  uint32_t order[REFEREE_ROWS_TXNS], norder;
  const enum referee_answer referee =
      referee_rows_decide(h, &question, order, &norder);
  struct causal_rows pasts;
  causal_rows_decide(&pasts, h, counted, options);
  if (referee == REFEREE_TOO_LARGE || pasts.d.answer == ROWS_STOPPED) {
    tally->stopped++;
  } else if (pasts.d.answer == ROWS_KEPT) {
    CHECK_INT(referee, REFEREE_KEPT);
    check_kept(h, registers, counted, options, &pasts, tally);
  } else {
    check_broken(h, options, &pasts, referee, tally);
  }
  causal_rows_free(&pasts);
}

static void compare_one(const struct history *h, bool session_order,
                        struct tally *tally) {
  const struct check_options options = {
      .question = {.level = ISOLATION_CC, .session_order = session_order}};
  struct history registers = rows_registers(h, false);
  struct verdict items;
  struct verdict_counts counts;
  struct error error;
  uint8_t *counted = settled_count(&registers, &counts);
  CHECK_INT(check(&registers, &options, &items, &error), 0);
  if (items.kind == VERDICT_PASS &&
      rows_wrong_statement(h, counted, &options) == UINT32_MAX)
    compare_pasts(h, &registers, counted, &options, tally);
  verdict_free(&items);
  free(counted);
  rows_as_registers_free(&registers);
}

static struct tally compare_pasts_of(const struct rows_odds *odds,
                                     uint64_t seed, bool session_order) {
  struct tally tally = {0};
  gsl_rng *random = random_stream(seed, 0, RANDOM_TEST);
  for (uint64_t i = 0; i < rounds(); i++) {
    struct history h = rows_random(random, odds);
    compare_one(&h, session_order, &tally);
    history_free(&h);
  }
  gsl_rng_free(random);
  printf("# kept %llu, by choices %llu, broken %llu, shown %llu, stopped "
         "%llu\n",
         (unsigned long long)tally.kept, (unsigned long long)tally.chosen,
         (unsigned long long)tally.broken, (unsigned long long)tally.shown,
         (unsigned long long)tally.stopped);
  return tally;
}

static struct tally expect_agreement(struct rows_odds odds, uint64_t seed,
                                     bool session_order) {
  const struct tally tally = compare_pasts_of(&odds, seed, session_order);
  CHECK(tally.kept > rounds() / 8 && tally.chosen > rounds() / 200);
  CHECK(tally.broken > rounds() / 200 && tally.shown * 2 > tally.broken);
  return tally;
}

static void sessions_agree(void) {
  const struct tally few =
      expect_agreement((struct rows_odds){.ntxns = 6, .stray = 2}, 1, true);
  const struct tally many = expect_agreement(
      (struct rows_odds){.ntxns = 6, .stray = 8, .aborted = 10}, 2, true);
  CHECK_INT(few.doubtful + many.doubtful, 0);
}

static void doubt_agrees(void) {
  const struct tally tally = expect_agreement(
      (struct rows_odds){.ntxns = 6, .stray = 4, .unknown = 15}, 3, true);
  CHECK(tally.doubtful > 0);
}

static void transactions_agree(void) {
  const struct tally tally =
      expect_agreement((struct rows_odds){.ntxns = 6, .stray = 4}, 4, false);
  CHECK_INT(tally.doubtful, 0);
}

int main(void) {
  return TAP_RUN(
      {"the least pasts agree with the referee", sessions_agree},
      {"so they do on transactions of unknown outcome", doubt_agrees},
      {"and without session order", transactions_agree});
}
