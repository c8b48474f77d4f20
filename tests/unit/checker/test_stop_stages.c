// SPDX-License-Identifier: GPL-3.0-or-later
// Each stage on the way to a verdict on a large history asks by itself whether
// it should stop, often enough, and whenever it is told to (tests/kit/stop.h)
// it leaves nothing that could be taken for an answer.
#include "config.h"

#include "base/random.h"
#include "checker/argue/argue.h"
#include "checker/chances/chances.h"
#include "checker/solver/events.h"
#include "checker/solver/version_order.h"
#include "checker/weak/saturate.h"
#include "recorder/builder/builder.h"
#include "tests/kit/stop.h"
#include "tests/tap.h"

#include <stdlib.h>

enum {
  SESSIONS = 20,
  KEYS = 4000,
  OPS = 7,
  TXNS = OPS_IN_A_MOMENT / OPS + 1000, // more than is made in a moment
  QUESTIONS = TXNS * OPS / PATIENCE_EFFORT,
  TRIES = 12 // of all k
};

static const struct check_options options = {
    .question = {.level = ISOLATION_SI, .session_order = true},
    .stop = &stop_flag};

// One transaction after the other, of reads and blind writes of registers, or
// of reads of any list and appends to new ones.
static struct history made_of(bool lists, uint64_t nkeys) {
  gsl_rng *random = random_stream(1, lists, RANDOM_TEST);
  uint64_t *value = calloc(nkeys, sizeof *value);
  struct builder *b = builder_open();
  struct history h;
  struct error error;
  for (uint64_t i = 0; i < TXNS * OPS; i++) {
    const uint64_t any = gsl_rng_uniform_int(random, nkeys);
    const bool reads = gsl_rng_uniform_int(random, 2);
    const uint64_t key = lists && !reads ? i : any;
    if (i % OPS == 0)
      builder_txn(b, any % SESSIONS, OUTCOME_OK, ISOLATION_NONE, 10 * i + 1,
                  10 * i + 9);
    if (reads && lists)
      builder_list(b, key, &value[key], value[key] != 0);
    else if (reads)
      builder_op(b, OP_READ, key, value[key]);
    else
      builder_op(b, lists ? OP_APPEND : OP_WRITE, key, value[key] = 1 + i);
  }
  CHECK_INT(builder_finish(b, &h, &error), 0);
  free(value);
  gsl_rng_free(random);
  return h;
}

static struct history made(bool lists) {
  return made_of(lists, lists ? TXNS * OPS : KEYS);
}

// --- The model.

// Makes the model up to the stage; false: it was left unfinished.
static bool make_model(struct model *m, const struct history *h,
                       enum model_stage stage) {
  struct error error;
  CHECK_INT(model_understand(m, h, &options, &error), 0);
  return model_reach(m, stage);
}

static void stop_the_model(const struct history *h) {
  static const enum model_stage stages[] = {MODEL_UNDERSTOOD, MODEL_LINKED,
                                            MODEL_ANCHORED, MODEL_WALKABLE};
  uint64_t before = 0;
  struct model m;
  for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
    answer_yes_from(UINT64_MAX);
    CHECK(make_model(&m, h, stages[i]));
    model_free(&m);
    if (stages[i] != MODEL_ANCHORED || !h->lists) // whose chains are known
      CHECK(asked >= before + QUESTIONS);
    before = asked;
  }
  const uint64_t step = before / TRIES + 1;
  for (uint64_t k = before; k > 0; k -= step < k ? step : k) {
    answer_yes_from(k);
    CHECK(!make_model(&m, h, MODEL_WALKABLE));
    CHECK(model_is_stopped(&m));
    CHECK(!model_reach(&m, MODEL_WALKABLE)); // nor later
    model_free(&m);
  }
}

static void models(void) {
  for (int lists = 0; lists < 2; lists++) {
    struct history h = made(lists);
    stop_the_model(&h);
    history_free(&h);
  }
}

// --- The graph of events.

static bool connect(struct problem *p, const struct model *m,
                    uint32_t *on_cycle) {
  return problem_build(p, m, ISOLATION_SI, NULL, NULL, on_cycle);
}

static void stop_the_problem(const struct model *m) {
  struct problem p;
  uint32_t on_cycle;
  answer_yes_from(UINT64_MAX);
  CHECK(connect(&p, m, &on_cycle));
  problem_free(&p);
  const uint64_t questions = asked, step = questions / TRIES + 1;
  CHECK(questions >= 6 * QUESTIONS); // counting, storing and placing
  for (uint64_t k = questions; k > 0; k -= step < k ? step : k) {
    answer_yes_from(k);
    CHECK(!connect(&p, m, &on_cycle));
    CHECK_INT(on_cycle, NO_ID);
    problem_free(&p);
  }
}

// --- The search.

static enum choice_answer solve(const struct problem *p) {
  const struct choice_problem choices = {.graph = &p->graph,
                                         .guess = p->guess,
                                         .nkeys = p->m->h->nkeys,
                                         .key_first = p->key_first,
                                         .chains = p->chains,
                                         .readers = p->readers,
                                         .stop = &stop_flag};
  struct choice_result result;
  const enum choice_answer answer = choices_solve(&choices, &result);
  choice_result_free(&result);
  return answer;
}

static void stop_the_search(const struct model *m) {
  struct problem p;
  uint32_t on_cycle;
  answer_yes_from(UINT64_MAX);
  CHECK(connect(&p, m, &on_cycle));
  answer_yes_from(UINT64_MAX);
  CHECK_INT(solve(&p), CHOICES_ORDERED);
  const uint64_t questions = asked;
  answer_yes_from(1);
  CHECK_INT(solve(&p), CHOICES_STOPPED);
  CHECK_INT(asked, 1); // it did not come to the search
  for (uint64_t k = questions, step = k / TRIES + 1; k > 0;
       k -= step < k ? step : k) {
    answer_yes_from(k);
    CHECK_INT(solve(&p), CHOICES_STOPPED);
  }
  problem_free(&p);
}

static void searches(void) {
  struct history h = made(false);
  struct model m;
  answer_yes_from(UINT64_MAX);
  CHECK(make_model(&m, &h, MODEL_WALKABLE));
  stop_the_problem(&m);
  stop_the_search(&m);
  model_free(&m);
  history_free(&h);
}

// --- The argument.

enum { RING = 300 };

// Each of a ring of transactions misses what the next one writes.
static struct history ring(void) {
  struct builder *b = builder_open();
  struct history h;
  struct error error;
  for (uint64_t t = 0; t < RING; t++) {
    builder_txn(b, t, OUTCOME_OK, ISOLATION_NONE, TIME_UNKNOWN, TIME_UNKNOWN);
    builder_op(b, OP_READ, t, VALUE_INITIAL);
    builder_op(b, OP_WRITE, (t + 1) % RING, 1 + t);
  }
  CHECK_INT(builder_finish(b, &h, &error), 0);
  return h;
}

static void arguments(void) {
  const struct check_options question = {.question = {.level = ISOLATION_SER},
                                         .stop = &stop_flag};
  struct history h = ring();
  struct argument argument;
  answer_yes_from(UINT64_MAX);
  CHECK_INT(argue(&argument, &h, &question), ARGUE_FOUND);
  argument_free(&argument);
  const uint64_t questions = asked;
  // Each of two edges per transaction is put into as many rows.
  CHECK(questions >= 2 * RING * RING / PATIENCE_EFFORT);
  for (uint64_t k = 1; k <= questions; k++) {
    answer_yes_from(k);
    CHECK_INT(argue(&argument, &h, &question), ARGUE_STOPPED);
  }
  history_free(&h);
}

// --- What the weak levels demand in real time.

// The sort of a single key's writes asks, too, not only the loops over keys and
// operations.
static void demands_in_time(void) {
  struct check_options question = options;
  struct history h = made_of(false, 1);
  struct demands demands = {0};
  struct model m;
  struct error error;
  question.question.real_time = true;
  answer_yes_from(UINT64_MAX);
  CHECK_INT(model_understand(&m, &h, &question, &error), 0);
  CHECK(model_reach(&m, MODEL_LINKED));
  asked = 0;
  saturate_in_time(&m, ISOLATION_RA, NULL, 0, &demands);
  CHECK(asked >= h.nkeys + h.nops + QUESTIONS / 2);
  free(demands.items);
  model_free(&m);
  history_free(&h);
}

// --- Chances.

static void chances(void) {
  const struct chances_options question = {
      .real_time = true, .steps = 1 << 17, .stop = &stop_flag};
  for (int lists = 0; lists < 2; lists++) {
    struct history h = made(lists);
    struct chances counted;
    answer_yes_from(UINT64_MAX);
    CHECK(chances_count(&h, &question, &counted));
    const uint64_t questions = asked;
    CHECK(questions >= (lists ? 5 : 2) * QUESTIONS);
    for (uint64_t k = 1; k <= questions; k++) {
      answer_yes_from(k);
      CHECK(!chances_count(&h, &question, &counted));
      CHECK_INT(asked, k);
    }
    history_free(&h);
  }
}

// --- All of it.

static void checks(void) {
  struct history h = made(false);
  for (enum isolation level = ISOLATION_RC; level <= ISOLATION_SSER; level++) {
    struct check_options question = options;
    struct verdict v;
    struct error error;
    question.question.level = level;
    answer_yes_from(UINT64_MAX);
    CHECK_INT(check(&h, &question, &v, &error), 0);
    CHECK_INT(v.kind, VERDICT_PASS);
    verdict_free(&v);
    const uint64_t questions = asked, step = questions / TRIES + 1;
    for (uint64_t k = questions; k > 0; k -= step < k ? step : k) {
      answer_yes_from(k);
      CHECK_INT(check(&h, &question, &v, &error), 0);
      CHECK_INT(v.kind, VERDICT_UNDECIDED);
      verdict_free(&v);
    }
  }
  history_free(&h);
}

int main(void) {
  return TAP_RUN({"making a model stops when it is told to", models},
                 {"a search stops when it is told to", searches},
                 {"an argument stops when it is told to", arguments},
                 {"demands in real time stop when told to", demands_in_time},
                 {"counting chances stops when told to", chances},
                 {"a whole check stops when it is told to", checks});
}
