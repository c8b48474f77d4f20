// SPDX-License-Identifier: GPL-3.0-or-later
// Checks tiny histories at a level and asks the referee about each: the first
// bytes say what is asked, the others are all that chance decides when a
// history is made up (tests/kit/generate.h), so that the fuzzer looks for
// histories that take the checker where it has not been.
//
// fuzz-sources: base/*.c sql/*.c checker/*.c checker/*/*.c recorder/*.c
// recorder/*/*.c fuzz-sources: tests/kit/compare.c tests/kit/generate.c
// tests/kit/machine.c fuzz-sources: tests/kit/middle.c tests/kit/tiny.c
// fuzz-libs: -lzstd -lz -lxxhash -lgsl -lgslcblas -lm
#include "config.h"

#include "tests/fuzz/chance.h"
#include "tests/kit/compare.h"
#include "tests/kit/generate.h"
#include "tests/kit/middle.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_TXNS = 5 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

// --- The question.

// Each is a bit of the second byte.
enum {
  WITHOUT_SESSIONS = 1 << 0,
  IN_REAL_TIME = 1 << 1,
  AS_RECORDED = 1 << 2,
  FROM_THE_MIDDLE = 1 << 3,
  WITHOUT_TIMES = 1 << 4,
  WITH_GAPS = 1 << 5
};

static struct compared_question question_of(unsigned flags, unsigned level) {
  struct compared_question question = {.level = 1 + level % ISOLATION_SSER,
                                       .session_order =
                                           !(flags & WITHOUT_SESSIONS),
                                       .real_time = flags & IN_REAL_TIME};
  if (flags & AS_RECORDED) {
    question.level = ISOLATION_SSER;
    question.recorded = true;
  } else if (flags & FROM_THE_MIDDLE)
    question.middle = true;
  return question;
}

// Could it be answered without times?
static bool needs_times(struct compared_question question) {
  return question.real_time || question.middle ||
         question.level == ISOLATION_SSER;
}

// --- The history.

static struct tiny make_history(struct bytes *bytes, enum family family,
                                bool gaps) {
  struct tiny tiny;
  gsl_rng *random = chance_of(bytes);
  generate(random, family, MAX_TXNS, &tiny);
  if (gaps)
    generate_gaps(random, &tiny);
  *bytes = *(struct bytes *)random->state;
  gsl_rng_free(random);
  return tiny;
}

static void draw_levels(struct bytes *bytes, struct tiny *tiny) {
  for (unsigned t = 0; t < tiny->ntxns; t++)
    tiny->txn[t].level = (uint8_t)(take(bytes) % ISOLATION_COUNT);
}

static void drop_times(struct tiny *tiny) {
  for (unsigned t = 0; t < tiny->ntxns; t++)
    tiny->txn[t].begin = tiny->txn[t].end = 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  struct bytes left = {data, data + bytes, 0};
  struct agreement agreement = {0};
  const enum family family = take(&left) % FAMILY_COUNT;
  const unsigned flags = take(&left);
  const struct compared_question question = question_of(flags, take(&left));
  struct tiny tiny = make_history(&left, family, flags & WITH_GAPS);
  if (question.recorded)
    draw_levels(&left, &tiny);
  if (question.middle)
    middle_cut(&tiny, 1 + take(&left) % 2);
  if (flags & WITHOUT_TIMES && !needs_times(question))
    drop_times(&tiny);
  if (question.recorded && !tiny_promises_anything(&tiny))
    return 0;
  compare_question(&agreement, &tiny, question);
  if (agreement_failures(&agreement)) {
    fflush(stdout); // what it is that they do not agree about
    abort();
  }
  return 0;
}
