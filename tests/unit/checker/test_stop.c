// SPDX-License-Identifier: GPL-3.0-or-later
// A check that is told to stop when it asks for the k-th time, for every k (a
// share of them under a sanitizer): it never ends with a verdict that was not
// proved, and asks often enough.  The
// linker puts the function below in the place of the one that asks.
#include "config.h"

#include "base/random.h"
#include "checker/verdict/effective_options.h"
#include "checker/verdict/verdict.h"
#include "checker/verify/verify.h"
#include "recorder/builder/builder.h"
#include "tests/kit/stop.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>

enum {
  SESSIONS = 30,
  KEYS = 60,
  TXNS = 1500,
  OPS = 6,
  TRIES = 40,     // of all k, if there are more
  LONG_TRIES = 3, // of a check that takes longer
  RING = 2100
};

// --- Histories.

static uint64_t below(gsl_rng *random, uint64_t bound) {
  return gsl_rng_uniform_int(random, bound);
}

enum made {
  MADE_SERIALLY, // one after the other
  MADE_STALE,    // reads are of one state of the store some time ago
  MADE_TWICE,    // as the first, and values are written more than once
  MADE_MIXED     // as the first, at two levels
};

// The values of the store after each transaction.
struct store {
  uint64_t value[TXNS + 1][KEYS];
  uint32_t last[SESSIONS]; // after which one the session's last had committed
};

static void make_txn(struct builder *b, gsl_rng *random, struct store *store,
                     uint32_t t, enum made made) {
  const uint64_t session = below(random, SESSIONS);
  const uint32_t lag = made == MADE_STALE ? (uint32_t)below(random, 20) : 0;
  const uint32_t seen =
      t < lag + store->last[session] ? store->last[session] : t - lag;
  const enum isolation level = made != MADE_MIXED ? ISOLATION_NONE
                               : t % 3            ? ISOLATION_SER
                                                  : ISOLATION_CC;
  builder_txn(b, session, OUTCOME_OK, level, 10 * t + 1, 10 * t + 9);
  memcpy(store->value[t + 1], store->value[t], sizeof store->value[t]);
  for (uint64_t i = 0; i < OPS; i++) {
    const uint64_t key = (i * KEYS + below(random, KEYS)) / OPS;
    const uint64_t value =
        made == MADE_TWICE ? 1 + below(random, 40) : 1 + (uint64_t)t * OPS + i;
    if (below(random, made == MADE_STALE ? 4 : 2)) {
      builder_op(b, OP_READ, key, store->value[seen][key]);
    } else {
      builder_op(b, OP_WRITE, key, value);
      store->value[t + 1][key] = value;
    }
  }
  store->last[session] = t + 1;
}

static void finish(struct builder *b, struct history *h) {
  struct error error;
  CHECK_INT(builder_finish(b, h, &error), 0);
}

static void make(enum made made, struct history *h) {
  gsl_rng *random = random_stream(1, made, RANDOM_TEST);
  struct store *store = calloc(1, sizeof *store);
  struct builder *b = builder_open();
  if (made == MADE_TWICE)
    builder_options(b)->allow_duplicates = true;
  for (uint32_t key = 0; key < KEYS; key++)
    store->value[0][key] = VALUE_INITIAL;
  for (uint32_t t = 0; t < TXNS; t++)
    make_txn(b, random, store, t, made);
  finish(b, h);
  free(store);
  gsl_rng_free(random);
}

// Each key has the list of all appends so far.
static void make_lists(struct history *h) {
  enum { LISTS = 100, LONGEST = TXNS };
  gsl_rng *random = random_stream(1, 9, RANDOM_TEST);
  static uint64_t list[LISTS][LONGEST];
  uint32_t count[LISTS] = {0};
  struct builder *b = builder_open();
  for (uint32_t t = 0; t < TXNS; t++) {
    builder_txn(b, below(random, SESSIONS), OUTCOME_OK, ISOLATION_NONE,
                10 * t + 1, 10 * t + 9);
    const uint64_t one = below(random, LISTS), other = below(random, LISTS);
    builder_list(b, one, list[one], count[one]);
    builder_op(b, OP_APPEND, other, t + 1);
    list[other][count[other]++] = t + 1;
  }
  gsl_rng_free(random);
  finish(b, h);
}

// Each of a ring of transactions reads what the one before it wrote, or if
// `missed` misses what the next one writes.
static void make_ring(bool missed, struct history *h) {
  struct builder *b = builder_open();
  for (uint64_t t = 0; t < RING; t++) {
    const uint64_t next = (t + 1) % RING;
    builder_txn(b, t, OUTCOME_OK, ISOLATION_NONE, TIME_UNKNOWN, TIME_UNKNOWN);
    builder_op(b, OP_READ, t, missed ? VALUE_INITIAL : 1 + t);
    builder_op(b, OP_WRITE, next, 1 + next);
  }
  finish(b, h);
}

// --- Checks that are stopped.

static enum verified verify(const struct history *h,
                            const struct check_options *options,
                            const struct verdict *v) {
  struct error error;
  if (h->again)
    return verify_ambiguous(h, options, v, &error);
  if (v->kind == VERDICT_VIOLATION)
    return verify_violation(h, options, v, &error);
  struct verdict_counts counts;
  struct history seen = *h;
  uint8_t *kind = settled_kinds(h, options);
  seen.kind = kind ? kind : h->kind;
  uint8_t *counted = settled_count(&seen, &counts);
  const enum verified result = verify_pass(h, counted, options, v, &error);
  free(counted);
  free(kind);
  return result;
}

// The verifier asks so often that it can be stopped, and each time that it is,
// it says so.
static void stop_the_verifier(const struct history *h,
                              const struct check_options *options,
                              const struct verdict *v) {
  uint64_t stopped = 0, tries = 0;
  answer_yes_from(UINT64_MAX);
  CHECK_INT(verify(h, options, v), VERIFIED);
  const uint64_t questions = asked;
  const uint32_t nops = v->kind == VERDICT_PASS ? h->nops : v->npart;
  CHECK(questions >= nops / PATIENCE_EFFORT);
  CHECK(questions > 0);
  for (uint64_t k = 1; k <= questions; k += TAP_SHARE, tries++) {
    answer_yes_from(k);
    stopped += verify(h, options, v) == VERIFY_STOPPED;
  }
  CHECK_INT(stopped, tries);
}

// One that is no proof is none either where the verifier is stopped.
static void forge(const struct history *h, const struct check_options *options,
                  struct verdict *v) {
  const uint32_t was = v->order[0];
  uint64_t verified = 0;
  memmove(v->order, v->order + 1, (v->norder - 1) * sizeof *v->order);
  v->order[v->norder - 1] = was;
  answer_yes_from(UINT64_MAX);
  CHECK_INT(verify(h, options, v), VERIFY_REFUSED);
  for (uint64_t k = 1, questions = asked; k <= questions; k += TAP_SHARE) {
    answer_yes_from(k);
    verified += verify(h, options, v) == VERIFIED;
  }
  CHECK_INT(verified, 0);
  memmove(v->order + 1, v->order, (v->norder - 1) * sizeof *v->order);
  v->order[0] = was;
}

// Is the answer of a check that was stopped undecided for that reason, or else
// proved?
static bool is_honest(const struct history *h,
                      const struct check_options *options,
                      const struct verdict *v, enum verdict_kind kind) {
  if (v->kind == VERDICT_UNDECIDED)
    return !strncmp(v->why, "stopped ", strlen("stopped ")) &&
           (v->anomaly == ANOMALY_NONE ||
            !strncmp(v->why, "stopped when ", strlen("stopped when ")));
  answer_yes_from(UINT64_MAX);
  return v->kind == kind && verify(h, options, v) == VERIFIED;
}

// From the last question on backwards, so that the verifier is stopped, too.
static void stop_the_check(const struct history *h,
                           const struct check_options *options,
                           uint64_t questions, enum verdict_kind kind) {
  const uint64_t most =
      kind == VERDICT_PASS || getenv("ISOSTRESS_LONG") ? TRIES : LONG_TRIES;
  const uint64_t step = questions / most + 1;
  uint64_t honest = 0, undecided = 0, tries = 0;
  for (uint64_t k = questions; k > 0; k -= step < k ? step : k, tries++) {
    struct verdict v;
    struct error error;
    answer_yes_from(k);
    if (!check(h, options, &v, &error)) {
      undecided += v.kind == VERDICT_UNDECIDED;
      honest += is_honest(h, options, &v, kind);
    }
    verdict_free(&v);
  }
  CHECK_INT(honest, tries);
  // Only the weakest levels are answered in a moment all the same.
  CHECK(undecided == tries || options->question.level <= ISOLATION_RA);
}

static void stop(const struct history *h, struct check_options options,
                 enum verdict_kind kind) {
  struct verdict v;
  struct error error;
  options.question.session_order = true;
  options.stop = &stop_flag;
  answer_yes_from(UINT64_MAX);
  CHECK_INT(check(h, &options, &v, &error), 0);
  CHECK_INT(v.kind, kind);
  const uint64_t questions = asked;
  CHECK(questions >= h->nops / PATIENCE_EFFORT);
  stop_the_verifier(h, &options, &v);
  if (kind == VERDICT_PASS && !h->again)
    forge(h, &options, &v);
  stop_the_check(h, &options, questions, kind);
  verdict_free(&v);
}

static void stop_at_all_levels(const struct history *h, enum isolation most,
                               bool real_time) {
  for (enum isolation level = ISOLATION_RC; level <= most; level++)
    stop(h,
         (struct check_options){
             .question = {.level = level, .real_time = real_time}},
         VERDICT_PASS);
}

// --- Tests.

static void registers(void) {
  struct history h;
  make(MADE_SERIALLY, &h);
  stop_at_all_levels(&h, ISOLATION_SSER, false);
  stop_at_all_levels(&h, ISOLATION_SSER, true);
  history_free(&h);
}

static void stale_registers(void) {
  struct history h;
  make(MADE_STALE, &h);
  stop_at_all_levels(&h, ISOLATION_PC, false);
  free(h.begin);
  free(h.end);
  h.begin = h.end = NULL;
  stop_at_all_levels(&h, ISOLATION_PC, false);
  history_free(&h);
}

static void lists(void) {
  struct history h;
  make_lists(&h);
  stop_at_all_levels(&h, ISOLATION_SSER, false);
  stop_at_all_levels(&h, ISOLATION_SSER, true);
  history_free(&h);
}

static void mixed_levels(void) {
  struct history h;
  make(MADE_MIXED, &h);
  stop(&h,
       (struct check_options){
           .question = {.level = ISOLATION_SER, .recorded = true}},
       VERDICT_PASS);
  history_free(&h);
}

static void equal_values(void) {
  struct history h;
  make(MADE_TWICE, &h);
  stop(&h, (struct check_options){.question = {.level = ISOLATION_SSER}},
       VERDICT_PASS);
  history_free(&h);
}

static void long_cycles(void) {
  struct history h;
  make_ring(false, &h);
  stop(&h, (struct check_options){.question = {.level = ISOLATION_RC}},
       VERDICT_VIOLATION);
  history_free(&h);
  make_ring(true, &h);
  stop(&h, (struct check_options){.question = {.level = ISOLATION_SER}},
       VERDICT_VIOLATION);
  history_free(&h);
}

int main(void) {
  return TAP_RUN(
      {"a check of registers stops when it is told to", registers},
      {"a check of stale registers stops when it is told to", stale_registers},
      {"a check of lists stops when it is told to", lists},
      {"a check of mixed levels stops when it is told to", mixed_levels},
      {"a check of equal values stops when it is told to", equal_values},
      {"a check of long cycles stops when it is told to", long_cycles});
}
