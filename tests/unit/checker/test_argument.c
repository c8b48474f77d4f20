// SPDX-License-Identifier: GPL-3.0-or-later
// Arguments: the ones that are found are accepted, and one that was changed in
// a place that matters is not; none is accepted of a history that the referee
// finds no fault with.
#include "config.h"

#include "base/memory.h"
#include "base/random.h"
#include "checker/verify/referee.h"
#include "checker/verify/verify.h"
#include "recorder/builder/builder.h"
#include "tests/kit/generate.h"
#include "tests/tap.h"

#include <stdlib.h>

enum { NREASONS = REASON_LEMMA + 1, ENOUGH = 6, ATTEMPTS = 60000 };

struct subject {
  struct tiny tiny;
  struct tiny_history room;
  const struct history *h;
  struct check_options options;
  struct verdict verdict;
};

static bool accepted(const struct subject *s) {
  struct error error = {0};
  const int result = verify_violation(s->h, &s->options, &s->verdict, &error);
  CHECK((result == 0) == (error.text[0] == '\0'));
  return result == 0;
}

// Draws a history that is broken by an argument alone.
static bool draw(gsl_rng *random, struct subject *s) {
  struct error error = {0};
  const enum family family =
      gsl_rng_uniform_int(random, 2) ? FAMILY_GENERAL : FAMILY_APPEND;
  s->options = (struct check_options){
      .question = {.level =
                       (enum isolation)(1 + gsl_rng_uniform_int(random, 7)),
                   .session_order = true,
                   .real_time = gsl_rng_uniform_int(random, 4) == 0}};
  generate(random, family, 8, &s->tiny);
  s->h = tiny_history(&s->tiny, &s->room);
  CHECK_INT(check(s->h, &s->options, &s->verdict, &error), 0);
  if (verdict_by_argument(&s->verdict))
    return true;
  verdict_free(&s->verdict);
  return false;
}

// Has the argument suppose the contrary of its first step, which is in the
// history: small ones get on without suppositions.
static void suppose_the_contrary(struct argument *a) {
  enum { STATED, SUPPOSED, REFUTED, LEMMA, MORE = LEMMA };
  a->steps = xrealloc(a->steps, a->nsteps + MORE, sizeof *a->steps);
  a->path = xrealloc(a->path, a->npath + 2, sizeof *a->path);
  memmove(a->steps + 1 + MORE, a->steps + 1,
          (a->nsteps - 1) * sizeof *a->steps);
  for (uint32_t i = 0; i < a->npath; i++)
    a->path[i] += MORE;
  a->nsteps += MORE;
  for (uint32_t i = SUPPOSED; i <= LEMMA; i++)
    a->steps[i] = (struct inference){.from_op = UINT32_MAX,
                                     .to_op = UINT32_MAX,
                                     .read = UINT32_MAX,
                                     .lemma = UINT32_MAX};
  a->steps[SUPPOSED].why = REASON_SUPPOSED;
  a->steps[SUPPOSED].from = a->steps[STATED].to;
  a->steps[SUPPOSED].to = a->steps[STATED].from;
  a->steps[REFUTED].why = REASON_CONTRADICTION;
  a->steps[REFUTED].from = a->steps[REFUTED].to = UINT32_MAX;
  a->steps[REFUTED].first = a->npath;
  a->path[a->npath++] = STATED;
  a->path[a->npath++] = SUPPOSED;
  a->steps[REFUTED].end = a->npath;
  a->steps[LEMMA].why = REASON_LEMMA;
  a->steps[LEMMA].from = a->steps[STATED].from;
  a->steps[LEMMA].to = a->steps[STATED].to;
  a->steps[LEMMA].lemma = REFUTED;
}

static bool has_reason(const struct subject *s, enum reason reason) {
  const struct argument *a = &s->verdict.argument;
  for (uint32_t i = 0; i < a->nsteps; i++)
    if (a->steps[i].why == reason)
      return true;
  return false;
}

static bool are_enough(const int seen[NREASONS]) {
  bool enough = true;
  for (int why = 0; why < NREASONS; why++)
    enough &= seen[why] >= ENOUGH;
  return enough;
}

// Has `judge` look at arguments, some with steps of each kind.
static void for_each_kind(uint64_t seed,
                          void (*judge)(struct subject *s, gsl_rng *random)) {
  gsl_rng *random = random_stream(seed, 0, RANDOM_TEST);
  int seen[NREASONS] = {0};
  for (int i = 0; i < ATTEMPTS && !are_enough(seen); i++) {
    struct subject s;
    if (!draw(random, &s))
      continue;
    bool wanted = false;
    // Below PC a read rests on what is in the history alone.
    if (s.verdict.broken >= ISOLATION_PC && gsl_rng_uniform_int(random, 2))
      suppose_the_contrary(&s.verdict.argument);
    for (int why = 0; why < NREASONS; why++)
      if (has_reason(&s, (enum reason)why))
        wanted |= seen[why]++ < ENOUGH;
    if (wanted)
      judge(&s, random);
    verdict_free(&s.verdict);
  }
  for (int why = 0; why < NREASONS; why++)
    if (!CHECK(seen[why] >= ENOUGH))
      printf("# reason %d: %d\n", why, seen[why]);
  gsl_rng_free(random);
}

static void tell(const struct subject *s, uint32_t step, const char *what) {
  char text[2000];
  tiny_print(&s->tiny, text, sizeof text);
  printf("# %s of step %u (reason %u) in\n# %s at %s\n", what, step,
         s->verdict.argument.steps[step].why, text,
         isolation_name(s->options.question.level));
}

// --- Every field of every step.

// Tries all other values from `first` to below `end`, and none.
static void no_other_value(struct subject *s, uint32_t step, uint32_t *field,
                           uint32_t first, uint32_t end, const char *what) {
  const uint32_t was = *field;
  for (uint32_t value = first; value <= end; value++) {
    *field = value == end ? UINT32_MAX : value;
    if (*field != was && !CHECK(!accepted(s)))
      tell(s, step, what);
  }
  *field = was;
}

static void no_other_byte(struct subject *s, uint32_t step, uint8_t *field,
                          uint8_t first, uint8_t end, const char *what) {
  const uint8_t was = *field;
  for (*field = first; *field < end; ++*field)
    if (*field != was && !CHECK(!accepted(s)))
      tell(s, step, what);
  *field = was;
}

static void fields_matter(struct subject *s, gsl_rng *random) {
  struct argument *a = &s->verdict.argument;
  (void)random;
  CHECK(accepted(s));
  for (uint32_t i = 0; i < a->nsteps; i++) {
    struct inference *step = &a->steps[i];
    const uint32_t nevents = 2 * s->h->ntxns, nops = s->h->nops;
    // A step that follows from a lemma may be in the history as well.
    no_other_byte(s, i, &step->why, step->why == REASON_LEMMA, NREASONS + 2,
                  "the reason");
    if (step->why == REASON_CONTRADICTION)
      continue;
    no_other_value(s, i, &step->from, 0, nevents, "the start");
    if (step->why != REASON_WRITERS) // which may tell of a snapshot or less
      no_other_value(s, i, &step->to, 0, nevents, "the end");
    if (step->why == REASON_SUPPOSED || step->why == REASON_LEMMA)
      continue;
    if (step->kind == EDGE_SO || step->kind == EDGE_RT)
      continue; // one may be the other as well
    // A read-from pair may be in session order or in real time as well.
    no_other_byte(s, i, &step->kind, EDGE_WW, EDGE_RW + 2, "the kind");
    no_other_value(s, i, &step->from_op, 0, nops, "the first operation");
    no_other_value(s, i, &step->to_op, 0, nops, "the second operation");
    if (step->why == REASON_READ || step->why == REASON_LIST)
      no_other_value(s, i, &step->read, 0, nops, "the read");
  }
}

static void every_field_of_a_step_matters(void) {
  for_each_kind(1, fields_matter);
}

// --- What steps rest on.

static void premises_matter(struct subject *s, gsl_rng *random) {
  struct argument *a = &s->verdict.argument;
  (void)random;
  CHECK(accepted(s));
  for (uint32_t i = 0; i < a->nsteps; i++) {
    struct inference *step = &a->steps[i];
    if (step->first == step->end)
      continue;
    // Another earlier step may say the same.
    for (uint32_t p = step->first; p < step->end; p++)
      no_other_value(s, i, &a->path[p], i, a->nsteps + 1, "the path");
    step->end--;
    if (!CHECK(!accepted(s)))
      tell(s, i, "the end of the path");
    step->end++;
    step->first++;
    if (!CHECK(!accepted(s)))
      tell(s, i, "the beginning of the path");
    step->first--;
  }
}

static void every_premise_matters(void) { for_each_kind(2, premises_matter); }

static void order_matters(struct subject *s, gsl_rng *random) {
  struct argument *a = &s->verdict.argument;
  (void)random;
  for (uint32_t i = 0; i + 1 < a->nsteps; i++) {
    const struct inference step = a->steps[i];
    a->steps[i] = a->steps[a->nsteps - 1];
    a->steps[a->nsteps - 1] = step;
    if (!CHECK(!accepted(s)))
      tell(s, i, "the place");
    a->steps[a->nsteps - 1] = a->steps[i];
    a->steps[i] = step;
  }
  a->nsteps--;
  CHECK(!accepted(s));
  a->nsteps++;
}

static void the_contradiction_comes_last(void) {
  for_each_kind(3, order_matters);
}

// --- Other histories.

// The history with something else in it, which may keep the level.
static void change_history(struct subject *s, gsl_rng *random) {
  struct tiny_txn *txn =
      &s->tiny.txn[gsl_rng_uniform_int(random, s->tiny.ntxns)];
  struct tiny_op *op =
      txn->nops ? &txn->op[gsl_rng_uniform_int(random, txn->nops)] : NULL;
  if (op && op->kind == OP_READ)
    op->value = (uint8_t)gsl_rng_uniform_int(random, 5);
  else if (op && op->kind == OP_READ_LIST && op->length)
    op->length--;
  else if (op && gsl_rng_uniform_int(random, 2))
    op->key = (uint8_t)gsl_rng_uniform_int(random, TINY_KEYS);
  else
    txn->begin = txn->end = 0;
}

static void no_kept_history_is_argued_broken(struct subject *s,
                                             gsl_rng *random) {
  const struct tiny was = s->tiny;
  for (int i = 0; i < 200; i++) {
    s->tiny = was;
    change_history(s, random);
    if (i % 2)
      change_history(s, random);
    s->h = tiny_history(&s->tiny, &s->room);
    const struct referee_options question = {
        .level = s->options.question.level,
        .session_order = s->options.question.session_order,
        .real_time = s->options.question.real_time};
    if (accepted(s) &&
        !CHECK(referee_decide(s->h, &question, NULL, NULL) == REFEREE_BROKEN))
      tell(s, 0, "another history");
  }
}

static void what_is_accepted_is_broken(void) {
  for_each_kind(4, no_kept_history_is_argued_broken);
}

// --- Suppositions.

struct seen {
  uint32_t key, value; // 1 or 2
};

static void one_op(struct builder *b, uint32_t session, enum op_kind kind,
                   struct seen what) {
  builder_txn(b, session, OUTCOME_OK, ISOLATION_SER, TIME_UNKNOWN,
              TIME_UNKNOWN);
  builder_op(b, kind, what.key, what.value);
}

// Two values are written to each of two keys, in either order.  Sessions of two
// reads say that each of the four combinations of orders is a cycle; neither
// order alone is one, nor does it decide the other.
static void two_open_orders(struct history *h) {
  static const struct seen sessions[][2] = {
      {{0, 1}, {1, 2}}, {{1, 1}, {0, 2}}, {{0, 1}, {1, 1}}, {{1, 2}, {0, 2}},
      {{0, 2}, {1, 2}}, {{1, 1}, {0, 1}}, {{0, 2}, {1, 1}}, {{1, 2}, {0, 1}}};
  struct builder *b = builder_open();
  struct error error;
  uint32_t session = 0;
  for (uint32_t key = 0; key < 2; key++)
    for (uint32_t value = 1; value <= 2; value++)
      one_op(b, session++, OP_WRITE, (struct seen){key, value});
  for (size_t i = 0; i < sizeof sessions / sizeof *sessions; i++, session++)
    for (int k = 0; k < 2; k++)
      one_op(b, session, OP_READ, sessions[i][k]);
  CHECK_INT(builder_finish(b, h, &error), 0);
}

static void an_open_order_is_supposed(void) {
  struct history h;
  struct subject s = {
      .h = &h,
      .options = {.question = {.level = ISOLATION_PC, .session_order = true}}};
  struct error error;
  two_open_orders(&h);
  CHECK_INT(check(&h, &s.options, &s.verdict, &error), 0);
  CHECK_INT(s.verdict.kind, VERDICT_VIOLATION);
  CHECK_INT(s.verdict.npart, h.nops);
  CHECK(has_reason(&s, REASON_SUPPOSED));
  CHECK(has_reason(&s, REASON_LEMMA));
  CHECK(accepted(&s));
  verdict_free(&s.verdict);
  history_free(&h);
}

int main(void) {
  return TAP_RUN(
      {"every field of a step matters", every_field_of_a_step_matters},
      {"every premise matters", every_premise_matters},
      {"the contradiction comes last", the_contradiction_comes_last},
      {"what is accepted is broken", what_is_accepted_is_broken},
      {"an open order is supposed", an_open_order_is_supposed});
}
