// SPDX-License-Identifier: GPL-3.0-or-later
// Tests a sentence that every counterexample says: "Remove any one of these
// operations, and the level is kept."  The operations of the part are written
// down as a history of their own, all of them and all but one, as somebody
// would who doubts it, and the referee judges what is written.
#include "config.h"

#include "base/random.h"
#include "checker/verdict/verdict.h"
#include "checker/verify/referee.h"
#include "tests/kit/generate.h"
#include "tests/tap.h"

#include <string.h>

enum { HISTORIES = 20000, MAX_TXNS = 6 };

struct subject {
  struct tiny tiny;
  struct tiny_history room;
  const struct history *h;
  struct check_options options;
  struct tiny written; // some of its operations
  unsigned nparts, ndropped;
};

static unsigned below(gsl_rng *random, unsigned n) {
  return (unsigned)gsl_rng_uniform_int(random, n);
}

static const struct tiny_op *op_of(const struct tiny *tiny, uint32_t op) {
  unsigned t = 0;
  while (op >= tiny->txn[t].nops)
    op -= tiny->txn[t++].nops;
  return &tiny->txn[t].op[op];
}

static bool is_written(const struct tiny *tiny, uint8_t key, uint8_t value) {
  bool found = value == 0;
  for (unsigned t = 0; t < tiny->ntxns; t++)
    for (unsigned i = 0; i < tiny->txn[t].nops; i++) {
      const struct tiny_op *op = &tiny->txn[t].op[i];
      found |= op_writes(op->kind) && op->key == key && op->value == value;
    }
  return found;
}

// Was it written in the whole, and is not in what is taken?
static bool is_missing(const struct subject *s, const struct tiny *taken,
                       uint8_t key, uint8_t value) {
  return is_written(&s->tiny, key, value) && !is_written(taken, key, value);
}

// A list is read without the elements that nobody appends.  False: the
// operation read what nobody writes.
static bool write_down(const struct subject *s, const struct tiny *taken,
                       struct tiny_op *op) {
  unsigned kept = 0;
  if (op->kind == OP_READ)
    return !is_missing(s, taken, op->key, op->value);
  if (op->kind == OP_CAS && is_missing(s, taken, op->key, op->expected))
    op->kind = OP_WRITE;
  for (unsigned i = 0; op->kind == OP_READ_LIST && i < op->length; i++)
    if (!is_missing(s, taken, op->key, op->list[i]))
      op->list[kept++] = op->list[i];
  op->length = (uint8_t)kept;
  return true;
}

static void drop_what_nobody_writes(struct subject *s) {
  const struct tiny taken = s->written;
  for (unsigned t = 0; t < taken.ntxns; t++) {
    struct tiny_txn *txn = &s->written.txn[t];
    txn->nops = 0;
    for (unsigned i = 0; i < taken.txn[t].nops; i++) {
      txn->op[txn->nops] = taken.txn[t].op[i];
      txn->nops += write_down(s, &taken, &txn->op[txn->nops]);
    }
  }
}

// A transaction of which nothing is left did not take place.
static void drop_empty_transactions(struct subject *s) {
  unsigned n = 0;
  for (unsigned t = 0; t < s->tiny.ntxns; t++)
    if (s->written.txn[t].nops || !s->tiny.txn[t].nops)
      s->written.txn[n++] = s->written.txn[t];
  s->written.ntxns = (uint8_t)n;
}

// The part but for one of its operations (UINT32_MAX: all of it).
static void write_part(struct subject *s, const struct verdict *v,
                       uint32_t without) {
  uint32_t op = 0, place = 0;
  s->written = s->tiny;
  for (unsigned t = 0; t < s->tiny.ntxns; t++) {
    struct tiny_txn *txn = &s->written.txn[t];
    txn->nops = 0;
    for (unsigned i = 0; i < s->tiny.txn[t].nops; i++, op++) {
      if (place == v->npart || v->part[place] != op)
        continue;
      place++;
      if (op != without)
        txn->op[txn->nops++] = *op_of(&s->tiny, op);
    }
  }
  drop_what_nobody_writes(s);
  drop_empty_transactions(s);
}

static enum referee_answer
judge(const struct subject *s, const struct verdict *v, enum isolation level) {
  static struct tiny_history room;
  const struct history *h = tiny_history(&s->written, &room);
  const struct referee_options options = {
      .level = level,
      .levels = v->question.recorded ? h->level : NULL,
      .session_order = s->options.question.session_order,
      .real_time = s->options.question.real_time};
  return referee_decide(h, &options, NULL, NULL);
}

static void tell(const struct subject *s, const struct verdict *v,
                 const char *what, uint32_t op) {
  char text[4096];
  printf("# %s at %s%s%s%s: %s", anomaly_info(v->anomaly)->name,
         v->question.recorded ? "own levels, at most " : "",
         isolation_name(v->question.level),
         s->options.question.session_order ? "" : ", without sessions",
         s->options.question.real_time ? ", in real time" : "", what);
  if (op != UINT32_MAX)
    printf(" %u", (unsigned)op);
  for (const struct tiny *tiny = &s->tiny; tiny;
       tiny = tiny == &s->tiny ? &s->written : NULL) {
    tiny_print(tiny, text, sizeof text);
    printf("\n# %s", tiny == &s->tiny ? "whole:" : "written:");
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
      printf("\n#   %s", line);
  }
  printf("\n");
}

static void judge_part(struct subject *s, const struct verdict *v) {
  write_part(s, v, UINT32_MAX);
  s->nparts++;
  if (!CHECK(
          judge(s, v, v->question.recorded ? v->question.level : v->broken) ==
          REFEREE_BROKEN))
    tell(s, v, "is not broken", UINT32_MAX);
  for (uint32_t i = 0; i < v->npart; i++) {
    write_part(s, v, v->part[i]);
    s->ndropped++;
    if (!CHECK(judge(s, v,
                     v->question.recorded ? v->question.level : v->minimal) ==
               REFEREE_KEPT))
      tell(s, v, "is broken without operation", v->part[i]);
  }
}

static void draw(struct subject *s, gsl_rng *random, unsigned i) {
  s->options = (struct check_options){
      .question = {.level = 1 + below(random, ISOLATION_SSER),
                   .session_order = below(random, 4) != 0,
                   .real_time = below(random, 4) == 0,
                   .recorded = below(random, 4) == 0},
      .max_examples = 3};
  generate(random, (enum family)(i % FAMILY_COUNT), MAX_TXNS, &s->tiny);
  if (below(random, 8) == 0)
    generate_gaps(random, &s->tiny);
  for (unsigned t = 0; t < s->tiny.ntxns; t++)
    s->tiny.txn[t].level = (uint8_t)below(random, ISOLATION_COUNT);
  s->options.question.recorded &= tiny_promises_anything(&s->tiny);
  if (s->options.question.recorded)
    s->options.question.level = ISOLATION_SSER;
  s->h = tiny_history(&s->tiny, &s->room);
}

static void without_any_one_operation(void) {
  static struct subject s;
  gsl_rng *random = random_stream(11, 0, RANDOM_TEST);
  const unsigned n = tap_inputs(HISTORIES, 20);
  for (unsigned i = 0; i < n; i++) {
    struct verdict v;
    struct error error = {0};
    draw(&s, random, i);
    if (!CHECK(check(s.h, &s.options, &v, &error) == 0)) {
      tell(&s, &v, error.text, UINT32_MAX);
      continue;
    }
    if (v.kind == VERDICT_VIOLATION)
      judge_part(&s, &v);
    for (uint32_t k = 0; k < v.nothers; k++)
      judge_part(&s, &v.others[k]);
    verdict_free(&v);
  }
  printf("# %u parts, %u operations left out\n", s.nparts, s.ndropped);
  CHECK(s.nparts > n / 4);
  gsl_rng_free(random);
}

int main(void) {
  return TAP_RUN({"without any one operation the level is kept",
                  without_any_one_operation});
}
