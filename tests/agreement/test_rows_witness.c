// SPDX-License-Identifier: GPL-3.0-or-later
// On random tiny histories with SQL statements a verdict's proof in a file
// proves it again; and whatever the bytes of the file are changed into, they
// prove nothing that the referee denies.
#include "config.h"

#include "base/memory.h"
#include "checker/verdict/effective_options.h"
#include "checker/verify/rows/rows_question.h"
#include "checker/witness/witness.h"
#include "recorder/files/reader.h"
#include "recorder/files/writer.h"
#include "tests/kit/reseal.h"
#include "tests/kit/row_histories.h"
#include "tests/tap.h"

#include <stdlib.h>

enum { CHANGES = 40 };

static uint64_t rounds(void) { return tap_inputs(400, 100); }

struct tally {
  uint64_t kept, broken, undecided;
  uint64_t parts, registers; // of those broken, how
  uint64_t refused, believed, wrong;
};

static void show(const struct history *h, const struct check_options *question,
                 const char *what) {
  struct error error = {0};
  printf("# %s%s: %s\n", isolation_name(question->question.level),
         question->question.recorded ? ", recorded" : "", what);
  fflush(stdout);
  history_write("-", history_format_named("text", &error), h, NULL, &error);
}

static enum referee_answer referee(const struct history *h,
                                   const struct check_options *question) {
  const struct referee_rows_options all = question_about_rows(h, question);
  uint32_t order[REFEREE_ROWS_TXNS], norder;
  return referee_rows_decide(h, &all, order, &norder);
}

// Does the file prove something, and is that so?
static bool proves(const unsigned char *bytes, size_t count,
                   const struct history *h, struct error *error, bool *right) {
  struct witness w;
  struct verdict proved = {0};
  const bool is = !witness_open(&w, bytes, count, error) &&
                  !witness_verify(&w, h, &proved, error);
  *right = is || error->text[0];
  if (is)
    *right = referee(h, &(struct check_options){.question = w.question}) ==
             (proved.kind == VERDICT_PASS ? REFEREE_KEPT : REFEREE_BROKEN);
  verdict_free(&proved);
  return is;
}

// Anything but the hash, which is looked at before the proof.
static void change_some(gsl_rng *random, struct witness_bytes *w) {
  for (unsigned long n = 1 + gsl_rng_uniform_int(random, 3); n > 0; n--) {
    const size_t at =
        WITNESS_AT_VERSION +
        gsl_rng_uniform_int(random, w->count - WITNESS_AT_VERSION -
                                        WITNESS_CHECKSUM_BYTES);
    if (at < WITNESS_AT_HASH || at >= WITNESS_HEADER_BYTES)
      w->bytes[at] = (unsigned char)(gsl_rng_uniform_int(random, 2)
                                         ? w->bytes[at] + 1u
                                         : gsl_rng_uniform_int(random, 32));
  }
}

static void change(gsl_rng *random, const struct history *h,
                   const struct check_options *question,
                   const struct witness_bytes *w, struct tally *tally) {
  struct witness_bytes changed = {.bytes = xmalloc(w->count),
                                  .count = w->count};
  for (int i = 0; i < CHANGES; i++) {
    struct error error = {0};
    bool right;
    memcpy(changed.bytes, w->bytes, w->count);
    change_some(random, &changed);
    reseal_proof(changed.bytes, changed.count);
    if (proves(changed.bytes, changed.count, h, &error, &right))
      tally->believed++;
    else
      tally->refused++;
    if (!right && tally->wrong++ < 3)
      show(h, question, "a changed proof");
  }
  free(changed.bytes);
}

static void compare(gsl_rng *random, const struct history *h,
                    const struct check_options *question, struct tally *tally) {
  const struct witness_reading reading = {0, 0};
  struct verdict v = {0};
  struct error error = {0};
  struct witness_bytes w = {0};
  bool right = false;
  CHECK_INT(check(h, question, &v, &error), 0);
  if (v.kind == VERDICT_UNDECIDED)
    tally->undecided++;
  else {
    tally->kept += v.kind == VERDICT_PASS;
    tally->broken += v.kind == VERDICT_VIOLATION;
    tally->parts += v.rows_part != NULL;
    tally->registers += v.kind == VERDICT_VIOLATION && !v.tried;
    witness_write(h, &reading, &v, &w);
    if (!CHECK(proves(w.bytes, w.count, h, &error, &right) && right))
      show(h, question, error.text);
    change(random, h, question, &w, tally);
  }
  free(w.bytes);
  verdict_free(&v);
}

static void compare_levels(gsl_rng *random, struct history *h, bool times,
                           struct tally *tally) {
  struct check_options question = {.question = {.session_order = true}};
  for (int level = ISOLATION_RC;
       level <= (times ? ISOLATION_SSER : ISOLATION_SER); level++) {
    question.question.level = (enum isolation)level;
    question.question.real_time = times && gsl_rng_uniform_int(random, 2);
    question.question.rc_sees_session = gsl_rng_uniform_int(random, 2);
    question.question.by_items = !gsl_rng_uniform_int(random, 4);
    question.question.plain_reads = !gsl_rng_uniform_int(random, 4);
    compare(random, h, &question, tally);
  }
  for (uint32_t t = 0; t < h->ntxns; t++)
    h->level[t] = (uint8_t)gsl_rng_uniform_int(random, ISOLATION_SSER);
  question.question.recorded = true;
  const struct check_options settled = settled_options(h, &question);
  if (settled.question.level > ISOLATION_NONE)
    compare(random, h, &settled, tally);
}

static void proofs_from_files_prove_nothing_wrong(void) {
  gsl_rng *random = random_stream(11, 0, RANDOM_TEST);
  struct tally tally = {0};
  for (uint64_t i = 0; i < rounds(); i++) {
    const struct rows_odds odds = {.ntxns = 2 + (unsigned)(i % 4),
                                   .stray = (unsigned)(i % 3) * 12,
                                   .unknown = i % 2 ? 15 : 0,
                                   .aborted = 5,
                                   .reuse = i % 5 == 0,
                                   .times = i % 4 == 1};
    struct history h = rows_random(random, &odds);
    if (h.nops && h.rows)
      compare_levels(random, &h, odds.times, &tally);
    history_free(&h);
  }
  printf("# %" PRIu64 " kept, %" PRIu64 " broken (%" PRIu64 " parts, %" PRIu64
         " as registers), %" PRIu64 " undecided; %" PRIu64
         " changed proofs refused, %" PRIu64 " believed\n",
         tally.kept, tally.broken, tally.parts, tally.registers,
         tally.undecided, tally.refused, tally.believed);
  CHECK_INT(tally.wrong, 0);
  CHECK(tally.kept && tally.parts && tally.refused && tally.believed);
  gsl_rng_free(random);
}

int main(void) {
  return TAP_RUN({"proofs from files prove nothing wrong",
                  proofs_from_files_prove_nothing_wrong});
}
