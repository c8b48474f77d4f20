// SPDX-License-Identifier: GPL-3.0-or-later
// Verdicts and witnesses do not depend on how many threads make them: byte by
// byte the same by one, two and three, of random histories at every level and
// of those that have proofs of every kind.
#include "config.h"

#include "base/random.h"
#include "checker/scorecard.h"
#include "tests/agreement/generate.h"
#include "tests/tap.h"
#include "tests/unit/witnesses.h"

#include <stdlib.h>

enum { HISTORIES = 40, MAX_TXNS = 8, MOST_THREADS = 3 };

struct answer {
  struct verdict verdict;
  struct witness_bytes witness;
};

static struct answer ask(const struct history *h,
                         const struct check_options *question,
                         uint32_t threads) {
  const struct witness_reading reading = {0, 0};
  struct check_options options = *question;
  struct answer answer = {0};
  struct error error = {0};
  options.threads = threads;
  CHECK_INT(check(h, &options, &answer.verdict, &error), 0);
  if (answer.verdict.kind != VERDICT_UNDECIDED)
    witness_write(h, &reading, &answer.verdict, &answer.witness);
  return answer;
}

static void forget(struct answer *answer) {
  verdict_free(&answer->verdict);
  free(answer->witness.bytes);
}

static bool is_same(const struct answer *a, const struct answer *b) {
  const struct verdict *x = &a->verdict, *y = &b->verdict;
  return x->kind == y->kind && x->anomaly == y->anomaly &&
         x->broken == y->broken && x->minimal == y->minimal && x->op == y->op &&
         x->other_op == y->other_op && x->nothers == y->nothers &&
         !memcmp(x->found, y->found, sizeof x->found) &&
         !memcmp(&x->counts, &y->counts, sizeof x->counts) &&
         a->witness.count == b->witness.count &&
         (!a->witness.count ||
          !memcmp(a->witness.bytes, b->witness.bytes, a->witness.count));
}

// How many threads, from two on, answer otherwise than one.
static unsigned differ_on(const struct history *h,
                          const struct check_options *question) {
  struct answer one = ask(h, question, 1);
  unsigned differ = 0;
  for (uint32_t threads = 2; threads <= MOST_THREADS; threads++) {
    struct answer answer = ask(h, question, threads);
    differ += !is_same(&one, &answer);
    forget(&answer);
  }
  forget(&one);
  return differ;
}

static unsigned differ_at_any_level(const struct history *h, bool variant) {
  unsigned differ = 0;
  for (enum isolation level = ISOLATION_RC; level <= ISOLATION_SSER; level++) {
    const struct check_options question = {.level = level,
                                           .session_order = !variant,
                                           .real_time = variant && level % 2,
                                           .max_examples = variant ? 3 : 0,
                                           .recorded = variant &&
                                                       level == ISOLATION_SER};
    differ += differ_on(h, &question);
  }
  return differ;
}

static void agree_on(enum family family) {
  gsl_rng *random = random_stream(2, family, RANDOM_TEST);
  unsigned differ = 0;
  for (unsigned i = 0; i < HISTORIES; i++) {
    struct tiny tiny;
    struct tiny_history room;
    generate(random, family, MAX_TXNS, &tiny);
    differ += differ_at_any_level(tiny_history(&tiny, &room), i % 2);
  }
  gsl_rng_free(random);
  CHECK_INT(differ, 0);
}

static void random_histories(void) {
  for (enum family family = 0; family < FAMILY_COUNT; family++)
    agree_on(family);
}

static void every_kind_of_proof(void) {
  for (int i = 0; i < WITNESSED; i++) {
    struct tiny tiny;
    struct tiny_history room;
    const struct check_options question = witnessed_question(i);
    tiny_parse(witnessed[i].text, &tiny);
    if (!CHECK(!differ_on(tiny_history(&tiny, &room), &question)))
      printf("# %s\n", witnessed[i].text);
  }
}

static void scorecards(void) {
  for (int i = 0; i < WITNESSED; i++) {
    struct tiny tiny;
    struct tiny_history room;
    struct scorecard one, two;
    struct error error;
    struct check_options question = {.session_order = true, .threads = 1};
    tiny_parse(witnessed[i].text, &tiny);
    const struct history *h = tiny_history(&tiny, &room);
    CHECK_INT(scorecard_fill(&one, h, &question, &error), 0);
    question.threads = 2;
    CHECK_INT(scorecard_fill(&two, h, &question, &error), 0);
    CHECK(!memcmp(one.score, two.score, sizeof one.score));
    CHECK_INT(one.strongest, two.strongest);
    scorecard_free(&one);
    scorecard_free(&two);
  }
}

int main(void) {
  return TAP_RUN({"random histories", random_histories},
                 {"every kind of proof", every_kind_of_proof},
                 {"scorecards", scorecards});
}
