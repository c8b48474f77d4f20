// SPDX-License-Identifier: GPL-3.0-or-later
// Orders that may or may not be proof, put before the verifier and the referee:
// whatever the verifier believes keeps the axioms, at every level and variant
// and with levels mixed; and without snapshots it believes whatever does.
#include "config.h"

#include "base/random.h"
#include "checker/verify/referee.h"
#include "checker/verify/verify.h"
#include "tests/kit/generate.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>

enum { HISTORIES = 60000, MAX_TXNS = 5, TRIES = 4 };

struct trial {
  gsl_rng *random;
  struct tiny tiny;
  struct tiny_history room;
  const struct history *h;
  uint8_t *counted;
  struct check_options options;
  uint32_t order[TINY_TXNS], snapshot[TINY_TXNS];
  struct verdict verdict;
  unsigned accepted, refused;
};

static unsigned below(gsl_rng *random, unsigned n) {
  return (unsigned)gsl_rng_uniform_int(random, n);
}

static void draw_question(struct trial *t) {
  const enum family family = below(t->random, FAMILY_COUNT);
  generate(t->random, family, MAX_TXNS, &t->tiny);
  for (unsigned i = 0; i < t->tiny.ntxns; i++)
    t->tiny.txn[i].level = (uint8_t)(1 + below(t->random, ISOLATION_SSER));
  t->options = (struct check_options){
      .question = {.level = 1 + below(t->random, ISOLATION_SSER),
                   .session_order = below(t->random, 3) != 0,
                   .real_time = below(t->random, 3) == 0,
                   .recorded = below(t->random, 2) == 0}};
  if (t->options.question.recorded)
    t->options.question.level = ISOLATION_SSER;
  t->h = tiny_history(&t->tiny, &t->room);
}

// Some interleaving of the sessions, or a little off one.
static void draw_order(struct trial *t) {
  uint32_t left[TINY_TXNS], n = 0;
  t->verdict.norder = 0;
  for (uint32_t txn = 0; txn < t->h->ntxns; txn++)
    if (t->counted[txn])
      left[n++] = txn;
  while (n > 0) {
    uint32_t i = below(t->random, n);
    while (i > 0 &&
           t->tiny.txn[left[i - 1]].session == t->tiny.txn[left[i]].session &&
           below(t->random, 16))
      i--;
    t->order[t->verdict.norder++] = left[i];
    memmove(&left[i], &left[i + 1], (--n - i) * sizeof *left);
  }
}

// As late as can be, mostly.
static void draw_snapshots(struct trial *t) {
  for (uint32_t i = 0; i < t->verdict.norder; i++)
    t->snapshot[i] = below(t->random, 3) ? i : below(t->random, i + 1);
}

static bool needs_snapshots(const struct trial *t) {
  return t->options.question.recorded ||
         t->options.question.level == ISOLATION_PC ||
         t->options.question.level == ISOLATION_SI;
}

static void tell(const struct trial *t, bool believed, const char *why) {
  char text[4096];
  tiny_print(&t->tiny, text, sizeof text);
  printf("# at %s%s%s%s %s: %s\n",
         t->options.question.recorded ? "own levels, at most " : "",
         isolation_name(t->options.question.level),
         t->options.question.session_order ? "" : " without sessions",
         t->options.question.real_time ? " in real time" : "",
         believed ? "believed" : "refused", why);
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
    printf("#   %s\n", line);
  for (uint32_t i = 0; i < t->verdict.norder; i++)
    printf("#   then %u, snapshot %u\n", (unsigned)t->order[i],
           (unsigned)t->snapshot[i]);
}

static void try_order(struct trial *t) {
  struct error error = {0};
  draw_order(t);
  draw_snapshots(t);
  t->verdict.kind = VERDICT_PASS;
  t->verdict.question.level = t->options.question.level;
  t->verdict.order = t->order;
  t->verdict.snapshot = needs_snapshots(t) ? t->snapshot : NULL;
  const struct referee_options options = {
      .level = t->options.question.level,
      .levels = t->options.question.recorded ? t->h->level : NULL,
      .session_order = t->options.question.session_order,
      .real_time = t->options.question.real_time};
  const bool believed =
      verify_pass(t->h, t->counted, &t->options, &t->verdict, &error) == 0;
  const bool keeps =
      referee_order_keeps(t->h, &options, t->order, t->verdict.norder);
  t->accepted += believed;
  t->refused += !believed;
  if (!CHECK(keeps || !believed) ||
      !CHECK(believed || !keeps || t->verdict.snapshot))
    tell(t, believed, error.text);
}

static void believed_only_if_right(void) {
  const unsigned n = tap_inputs(HISTORIES, 20);
  struct trial t = {.random = random_stream(9, 0, RANDOM_TEST)};
  for (unsigned i = 0; i < n; i++) {
    uint32_t nlost;
    draw_question(&t);
    t.counted = history_counted(t.h, &nlost);
    for (unsigned k = 0; k < TRIES; k++)
      try_order(&t);
    free(t.counted);
  }
  printf("# %u believed, %u refused\n", t.accepted, t.refused);
  CHECK(t.accepted > n / 5 && t.refused > n / 5);
  gsl_rng_free(t.random);
}

int main(void) {
  return TAP_RUN({"only what is proof is believed", believed_only_if_right});
}
