// SPDX-License-Identifier: GPL-3.0-or-later
// On random tiny histories with SQL statements the proof by cases says what the
// referee says, at every level, where each transaction has a level of its own,
// and where outcomes are unknown; and what it says is verified.  Forged proofs
// that a broken level is kept are refused.
#include "config.h"

#include "checker/part/row_registers.h"
#include "checker/rows/by_cases.h"
#include "checker/rows/engine.h"
#include "checker/rows/rows_cases.h"
#include "checker/verify/rows/execute_rows.h"
#include "recorder/files/reader.h"
#include "recorder/files/writer.h"
#include "tests/kit/row_histories.h"
#include "tests/tap.h"

#include <stdlib.h>

static uint64_t rounds(void) { return tap_inputs(1000, 100); }

struct tally {
  uint64_t kept, broken, open, tried; // tried: refuted in more than one case
  uint64_t different, refused, left;  // verdicts; left: undecided
  uint64_t forged, believed;          // proofs
};

static void show(const struct history *h,
                 const struct referee_rows_options *question,
                 enum referee_answer referee) {
  struct error error = {0};
  printf("# %s: the referee says %s\n",
         question->all.levels ? "its levels"
                              : isolation_name(question->all.level),
         referee == REFEREE_KEPT ? "kept" : "broken");
  for (uint32_t t = 0; question->all.levels && t < h->ntxns; t++)
    printf("# %u: %s\n", t,
           isolation_name((enum isolation)question->all.levels[t]));
  fflush(stdout);
  history_write("-", history_format_named("text", &error), h, NULL, &error);
}

// The verdict comes with a proof that is verified.
static void prove(const struct history *h,
                  const struct referee_rows_options *question,
                  enum referee_answer referee, struct tally *tally) {
  const struct check_options options = {
      .question = {.level = question->all.level,
                   .recorded = question->all.levels,
                   .session_order = true,
                   .real_time = question->all.real_time,
                   .rc_sees_session = question->rc_sees_session,
                   .by_items = question->by_items,
                   .plain_reads = question->plain_reads}};
  struct verdict v = {.kind = VERDICT_UNDECIDED, .op = UINT32_MAX};
  struct error error = {0};
  const int result = rows_decide_by_cases(h, &options, &v, &error);
  tally->left += v.kind == VERDICT_UNDECIDED;
  if (result || (v.kind != VERDICT_UNDECIDED &&
                 (v.kind == VERDICT_PASS) != (referee == REFEREE_KEPT))) {
    tally->refused++;
    if (tally->refused < 3) {
      printf("# %s\n", error.text);
      show(h, question, referee);
    }
  }
  verdict_free(&v);
}

// --- Forged proofs.

enum { FORGED = 8, FORGED_FOUND = 64 };

// Any order of the transactions that committed and of some in doubt, with any
// snapshots.
static void forge_order(gsl_rng *random, const struct history *h,
                        uint8_t *counted, struct rows_proof *proof,
                        uint32_t *order, uint32_t *snapshot) {
  uint32_t n = 0;
  for (uint32_t t = 0; t < h->ntxns; t++) {
    counted[t] =
        h->outcome[t] == OUTCOME_OK ||
        (h->outcome[t] == OUTCOME_UNKNOWN && gsl_rng_uniform_int(random, 2));
    if (!counted[t])
      continue;
    const uint32_t at = (uint32_t)gsl_rng_uniform_int(random, n + 1);
    order[n] = order[at];
    order[at] = t;
    n++;
  }
  for (uint32_t i = 0; i < n; i++)
    snapshot[i] = (uint32_t)gsl_rng_uniform_int(random, i + 1);
  proof->norder = n;
  proof->order = order;
  proof->snapshot = snapshot;
}

// Some statements found any version of some rows.
static uint32_t forge_found(gsl_rng *random, const struct history *h,
                            struct found_unseen *found) {
  uint32_t n = 0;
  for (uint32_t s = 0; s < h->rows->nstatements; s++)
    for (uint32_t key = 0; key < h->nkeys && n < FORGED_FOUND; key++) {
      const uint32_t op = (uint32_t)gsl_rng_uniform_int(random, h->nops + 1);
      if (op < h->nops && h->key[op] == key && op_writes(h->kind[op]))
        found[n++] = (struct found_unseen){s, key, op};
    }
  return n;
}

// Any places up to those of the transactions, mostly in ascending order; or
// none.
static void forge_places(gsl_rng *random, const struct history *h,
                         struct rows_proof *proof, uint32_t *place) {
  const struct rows *rows = h->rows;
  for (uint32_t i = 0; i < proof->norder; i++) {
    uint32_t least = 0;
    for (uint32_t s = rows->txn_statement[proof->order[i]];
         s < rows->txn_statement[proof->order[i] + 1]; s++) {
      place[s] = least + (uint32_t)gsl_rng_uniform_int(random, i - least + 1);
      if (gsl_rng_uniform_int(random, 8))
        least = place[s];
    }
  }
  proof->place = gsl_rng_uniform_int(random, 3) ? place : NULL;
}

static enum verified judge_forged(const struct history *h,
                                  const struct check_options *options,
                                  const uint8_t *counted,
                                  const struct rows_proof *forged) {
  struct history registers = rows_registers(h, options->question.plain_reads);
  struct error error = {0};
  struct rows_proof proof = *forged;
  if (!options->question.recorded && options->question.level >= ISOLATION_SER)
    proof.snapshot = NULL;
  const enum verified result =
      verify_rows(h, &registers, counted, options, &proof, &error);
  rows_as_registers_free(&registers);
  return result;
}

// No proof can be right that a broken level is kept.
static void forge(gsl_rng *random, const struct history *h,
                  const struct referee_rows_options *question,
                  struct tally *tally) {
  const struct check_options options = {
      .question = {.level = question->all.level,
                   .recorded = question->all.levels,
                   .session_order = true,
                   .rc_sees_session = question->rc_sees_session,
                   .by_items = question->by_items,
                   .plain_reads = question->plain_reads}};
  uint32_t order[REFEREE_ROWS_TXNS], snapshot[REFEREE_ROWS_TXNS];
  uint32_t *place = xmalloc(h->rows->nstatements * sizeof *place);
  uint8_t counted[REFEREE_ROWS_TXNS];
  struct found_unseen found[FORGED_FOUND];
  for (int i = 0; i < FORGED; i++) {
    struct rows_proof proof = {.found = found};
    forge_order(random, h, counted, &proof, order, snapshot);
    proof.nfound = forge_found(random, h, found);
    forge_places(random, h, &proof, place);
    tally->forged++;
    if (judge_forged(h, &options, counted, &proof) == VERIFIED &&
        tally->believed++ < 3)
      show(h, question, REFEREE_BROKEN);
  }
  free(place);
}

static void compare(gsl_rng *random, const struct history *h,
                    const struct referee_rows_options *question,
                    struct tally *tally) {
  uint32_t order[REFEREE_ROWS_TXNS], norder;
  struct rows_cases cases = {.work = ROWS_CASES_WORK};
  const enum referee_answer referee =
      referee_rows_decide(h, question, order, &norder);
  const enum referee_answer answer = rows_cases_decide(h, question, &cases);
  tally->open += referee == REFEREE_TOO_LARGE;
  if (referee == REFEREE_TOO_LARGE)
    return;
  tally->kept += referee == REFEREE_KEPT;
  tally->broken += referee == REFEREE_BROKEN;
  tally->tried += referee == REFEREE_BROKEN && cases.ncases > 1;
  if (answer != referee && tally->different++ < 3)
    show(h, question, referee);
  prove(h, question, referee, tally);
  if (!question->all.real_time && referee == REFEREE_BROKEN)
    forge(random, h, question, tally);
}

static void compare_levels(gsl_rng *random, const struct history *h, bool times,
                           struct tally *tally) {
  struct referee_rows_options question = {.all = {.session_order = true}};
  for (int level = ISOLATION_RC;
       level <= (times ? ISOLATION_SSER : ISOLATION_SER); level++) {
    question.all.level = (enum isolation)level;
    question.all.real_time = times && gsl_rng_uniform_int(random, 2);
    question.rc_sees_session = gsl_rng_uniform_int(random, 2);
    question.by_items = !gsl_rng_uniform_int(random, 4);
    question.plain_reads = !gsl_rng_uniform_int(random, 4);
    compare(random, h, &question, tally);
  }
  const unsigned span = times ? ISOLATION_SSER + 1 : ISOLATION_SSER;
  for (uint32_t t = 0; t < h->ntxns; t++)
    h->level[t] = (uint8_t)gsl_rng_uniform_int(random, span);
  question.all.levels = h->level;
  question.all.level = times ? ISOLATION_SSER : ISOLATION_SER;
  compare(random, h, &question, tally);
}

static void check_odds(struct rows_odds odds, uint64_t seed) {
  struct tally tally = {0};
  gsl_rng *random = random_stream(seed, 0, RANDOM_TEST);
  for (uint64_t i = 0; i < rounds(); i++) {
    struct history h = rows_random(random, &odds);
    compare_levels(random, &h, odds.times, &tally);
    history_free(&h);
  }
  gsl_rng_free(random);
  printf("# kept %llu, broken %llu, %llu of them in several cases, open %llu\n",
         (unsigned long long)tally.kept, (unsigned long long)tally.broken,
         (unsigned long long)tally.tried, (unsigned long long)tally.open);
  printf("# undecided %llu, forged proofs %llu\n",
         (unsigned long long)tally.left, (unsigned long long)tally.forged);
  CHECK_INT(tally.different, 0);
  CHECK_INT(tally.refused, 0);
  CHECK_INT(tally.believed, 0);
  CHECK(tally.forged > rounds());
  CHECK(tally.left < rounds() * (odds.times ? 2 : 0) + rounds() / 50);
  CHECK(tally.open < rounds() / 10);
  CHECK(tally.kept > rounds() && tally.broken > rounds() / 2);
}

static void chains_agree(void) {
  check_odds((struct rows_odds){.ntxns = 6, .stray = 2}, 1);
}

static void strays_agree(void) {
  check_odds((struct rows_odds){.ntxns = 6, .stray = 12, .aborted = 10}, 2);
}

static void used_keys_agree(void) {
  check_odds((struct rows_odds){.ntxns = 5, .stray = 4, .reuse = true}, 3);
}

static void real_time_agrees(void) {
  check_odds((struct rows_odds){.ntxns = 5, .stray = 3, .times = true}, 4);
}

static void doubt_agrees(void) {
  check_odds((struct rows_odds){.ntxns = 5, .stray = 3, .unknown = 40}, 5);
}

int main(void) {
  return TAP_RUN(
      {"the checks agree on rows whose versions form chains", chains_agree},
      {"the checks agree on rows that statements read astray", strays_agree},
      {"the checks agree on keys that are used again", used_keys_agree},
      {"the checks agree in real time", real_time_agrees},
      {"the checks agree on transactions in doubt", doubt_agrees});
}
