// SPDX-License-Identifier: GPL-3.0-or-later
// Witnesses: the first byte chooses a history, the others are held against it.
// Whatever they are, they are refused with a sentence, or prove what a check
// says.  Checksum and hash are not looked at (checker/witness/witness.c).
// Or the bytes are all that chance decides when a history and a proof of
// something about it are made up, which is then sealed as a right one is.
//
// Two further choices are histories with SQL statements.  One holds the bytes
// behind the second, which numbers a random history, against it.  With the
// other, all that chance decides is a history, a question, and how the proof of
// the answer is changed.  Whatever is proved, the referee has to say, too.
//
// fuzz-sources: base/*.c sql/*.c checker/*.c checker/*/*.c recorder/*.c
// fuzz-sources: recorder/builder/*.c
// fuzz-sources: tests/kit/forge.c
// fuzz-sources: tests/kit/generate.c tests/kit/machine.c
// fuzz-sources: tests/kit/row_histories.c tests/kit/tiny.c
// fuzz-libs: -lzstd -lz -lxxhash -lgsl -lgslcblas -lm
// fuzz-seeds: tests/fuzz/witness
#include "config.h"

#include "checker/verify/rows/rows_question.h"
#include "tests/fuzz/chance.h"
#include "tests/kit/forge.h"
#include "tests/kit/generate.h"
#include "tests/kit/row_histories.h"
#include "tests/unit/checker/witnesses.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum { MAX_TXNS = 6, CHANGES = 8 };

static void prove_forged(const uint8_t *data, size_t bytes) {
  static struct tiny tiny;
  static struct tiny_history room;
  const struct witness_reading reading = {0, 0};
  struct bytes left = {data, data + bytes, 0};
  bool right;
  const enum family family = take(&left) % FAMILY_COUNT;
  const struct check_options question = {
      .question = {.level = (enum isolation)(1 + take(&left) % ISOLATION_SSER),
                   .session_order = take(&left) % 4 > 0,
                   .real_time = take(&left) % 4 == 0}};
  gsl_rng *random = chance_of(&left);
  generate(random, family, MAX_TXNS, &tiny);
  const struct history *h = tiny_history(&tiny, &room);
  struct verdict verdict = forge(random, h, &question);
  struct witness_bytes w = {0};
  witness_write(h, &reading, &verdict, &w);
  witness_proves(w.bytes, w.count, h, &right);
  if (!right)
    abort();
  free(w.bytes);
  verdict_free(&verdict);
  gsl_rng_free(random);
}

// --- Rows.

// Stops if the bytes prove what the referee denies; do they prove anything?
static bool prove_rows(const uint8_t *bytes, size_t count,
                       const struct history *h) {
  struct witness w;
  struct verdict proved = {0};
  struct error error = {0};
  uint32_t order[REFEREE_ROWS_TXNS], norder;
  const bool proves = !witness_open(&w, bytes, count, &error) &&
                      !witness_verify(&w, h, &proved, &error);
  if (!proves && !error.text[0])
    abort();
  if (proves) {
    const struct referee_rows_options all =
        question_about_rows(h, &(struct check_options){.question = w.question});
    if (referee_rows_decide(h, &all, order, &norder) !=
        (proved.kind == VERDICT_PASS ? REFEREE_KEPT : REFEREE_BROKEN))
      abort();
  }
  verdict_free(&proved);
  return proves;
}

static void prove_numbered_rows(const uint8_t *data, size_t bytes) {
  static const struct rows_odds odds = {
      .ntxns = 5, .stray = 12, .unknown = 5, .aborted = 5};
  gsl_rng *random = random_stream(data[0], 12, RANDOM_TEST);
  struct history h = rows_random(random, &odds);
  if (h.rows)
    prove_rows(data + 1, bytes - 1, &h);
  history_free(&h);
  gsl_rng_free(random);
}

static void prove_changed(gsl_rng *random, const struct history *h,
                          struct witness_bytes *w) {
  for (int i = 0; i < CHANGES; i++) {
    const size_t room = w->count - WITNESS_AT_VERSION - WITNESS_CHECKSUM_BYTES;
    const size_t at =
        WITNESS_AT_VERSION + gsl_rng_uniform_int(random, (unsigned long)room);
    if (at < WITNESS_AT_HASH || at >= WITNESS_HEADER_BYTES)
      w->bytes[at] = (unsigned char)gsl_rng_uniform_int(random, 256);
    prove_rows(w->bytes, w->count, h);
  }
}

static void prove_random_rows(const uint8_t *data, size_t bytes) {
  const struct witness_reading reading = {0, 0};
  struct bytes left = {data, data + bytes, 0};
  const unsigned flags = take(&left);
  const struct rows_odds odds = {.ntxns = 2 + take(&left) % 4,
                                 .stray = take(&left) % 40,
                                 .unknown = take(&left) % 20,
                                 .aborted = 5,
                                 .reuse = flags & 1};
  const struct check_options question = {
      .question = {.level = (enum isolation)(1 + take(&left) % ISOLATION_SER),
                   .session_order = !(flags & 2),
                   .rc_sees_session = flags & 4,
                   .by_items = flags & 8,
                   .plain_reads = flags & 16}};
  gsl_rng *random = chance_of(&left);
  struct history h = rows_random(random, &odds);
  struct verdict verdict = {0};
  struct witness_bytes w = {0};
  struct error error = {0};
  if (h.rows && check(&h, &question, &verdict, &error))
    abort();
  if (h.rows && verdict.kind != VERDICT_UNDECIDED) {
    witness_write(&h, &reading, &verdict, &w);
    if (!prove_rows(w.bytes, w.count, &h))
      abort();
    prove_changed(random, &h, &w);
  }
  free(w.bytes);
  verdict_free(&verdict);
  history_free(&h);
  gsl_rng_free(random);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  static struct tiny tiny;
  static struct tiny_history room;
  bool right;
  if (!bytes)
    return 0;
  const unsigned chosen = data[0] % (WITNESSED + 3);
  if (chosen > WITNESSED) {
    if (bytes > 1)
      (chosen == WITNESSED + 1 ? prove_numbered_rows
                               : prove_random_rows)(data + 1, bytes - 1);
    return 0;
  }
  if (chosen == WITNESSED) {
    prove_forged(data + 1, bytes - 1);
    return 0;
  }
  tiny_parse(witnessed[chosen].text, &tiny);
  witness_proves(data + 1, bytes - 1, tiny_history(&tiny, &room), &right);
  if (!right)
    abort();
  return 0;
}
