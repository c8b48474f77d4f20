// SPDX-License-Identifier: GPL-3.0-or-later
// A register of a few values that many processes read, write, and compare and
// set, some of which never hear what became of it: what Jepsen records for
// Knossos and Porcupine.  It is decided, although almost every read may have
// seen any of hundreds of writes; also if some found what was not there.
#include "config.h"

#include "base/random.h"
#include "checker/verdict/verdict.h"
#include "recorder/builder/builder.h"
#include "tests/tap.h"

#include <stdlib.h>

enum { PROCESSES = 10, OPS_MAX = 3000, VALUES = 5 };

struct op {
  uint64_t session, begin, effect, end;
  enum op_kind kind;
  uint64_t value, expected; // value: of a read what it found
  enum outcome outcome;
  bool lost; // of unknown outcome, and had no effect
};

static uint64_t below(gsl_rng *random, uint64_t n) {
  return gsl_rng_get(random) % n;
}

static int by_effect(const void *a, const void *b) {
  const struct op *x = a, *y = b;
  return x->effect != y->effect
             ? (x->effect > y->effect) - (x->effect < y->effect)
             : (x->session > y->session) - (x->session < y->session);
}

static int by_begin(const void *a, const void *b) {
  const struct op *x = a, *y = b;
  return x->begin != y->begin
             ? (x->begin > y->begin) - (x->begin < y->begin)
             : (x->session > y->session) - (x->session < y->session);
}

// The processes' calls and their times.  A process that hears no answer goes on
// as another process.
static void plan(gsl_rng *random, struct op *ops, unsigned nops) {
  static const enum op_kind kinds[] = {OP_READ, OP_WRITE, OP_CAS};
  uint64_t now[PROCESSES] = {0}, session[PROCESSES], next = PROCESSES;
  for (uint64_t p = 0; p < PROCESSES; p++)
    session[p] = p;
  for (unsigned i = 0; i < nops; i++) {
    const unsigned p = i % PROCESSES;
    struct op *op = &ops[i];
    *op = (struct op){.session = session[p],
                      .kind = kinds[below(random, 3)],
                      .value = below(random, VALUES),
                      .expected = below(random, VALUES)};
    op->begin = now[p] + 1 + below(random, 20);
    op->effect = op->begin + 1 + below(random, 20);
    op->end = op->effect + 1 + below(random, 20);
    now[p] = op->end;
    if (below(random, 50))
      continue;
    op->outcome = OUTCOME_UNKNOWN;
    op->lost = below(random, 2);
    op->effect += below(random, 500);
    session[p] = next++;
  }
}

// Carries the calls out in the order of their effects.
static void carry_out(struct op *ops, unsigned nops) {
  uint64_t held = 0;
  qsort(ops, nops, sizeof *ops, by_effect);
  for (struct op *op = ops; op < ops + nops; op++) {
    const bool cas = op->kind == OP_CAS;
    if (op->outcome != OUTCOME_UNKNOWN)
      op->outcome = cas && held != op->expected ? OUTCOME_ABORTED : OUTCOME_OK;
    if (op->kind == OP_READ)
      op->value = held;
    else if (!op->lost && !(cas && held != op->expected))
      held = op->value;
  }
}

static void tell(struct builder *b, const struct op *op) {
  const bool unknown = op->outcome == OUTCOME_UNKNOWN;
  builder_txn(b, op->session, op->outcome, ISOLATION_SSER, op->begin,
              unknown ? TIME_UNKNOWN : op->end);
  if (op->kind == OP_CAS)
    builder_cas(b, 0, op->expected, op->value);
  else if (op->kind == OP_WRITE || !unknown)
    builder_op(b, op->kind, 0, op->value);
}

// Makes some reads wrong, perhaps.
static void spoil(gsl_rng *random, struct op *ops, unsigned nops,
                  unsigned nwrong) {
  for (unsigned done = 0; done < nwrong;) {
    struct op *op = &ops[below(random, nops)];
    if (op->kind != OP_READ || op->outcome != OUTCOME_OK)
      continue;
    op->value = (op->value + 1 + below(random, VALUES - 1)) % VALUES;
    done++;
  }
}

static enum verdict_kind decide(unsigned seed, unsigned nops, unsigned nwrong) {
  static struct op ops[OPS_MAX];
  struct history h;
  struct error error;
  struct verdict v;
  const struct check_options options = {.question = {.level = ISOLATION_SSER,
                                                     .session_order = true,
                                                     .real_time = true}};
  gsl_rng *random = random_stream(21, seed, RANDOM_TEST);
  struct builder *b = builder_open();
  builder_options(b)->allow_duplicates = true;
  plan(random, ops, nops);
  carry_out(ops, nops);
  spoil(random, ops, nops, nwrong);
  qsort(ops, nops, sizeof *ops, by_begin);
  for (unsigned i = 0; i < nops; i++)
    tell(b, &ops[i]);
  CHECK_INT(builder_finish(b, &h, &error), 0);
  CHECK(h.nduplicates > nops / 2);
  CHECK_INT(check(&h, &options, &v, &error), 0);
  const enum verdict_kind kind = v.kind;
  verdict_free(&v);
  history_free(&h);
  gsl_rng_free(random);
  return kind;
}

static void registers_are_decided(void) {
  for (unsigned seed = 0; seed < 8; seed++)
    CHECK_INT(decide(seed, OPS_MAX, 0), VERDICT_PASS);
}

static void broken_registers_are_refuted(void) {
  unsigned nrefuted = 0;
  for (unsigned seed = 0; seed < 20; seed++) {
    const enum verdict_kind kind = decide(seed, 400, 3);
    CHECK(kind != VERDICT_UNDECIDED);
    nrefuted += kind == VERDICT_VIOLATION;
  }
  CHECK(nrefuted >= 8);
  for (unsigned seed = 0; seed < 4; seed++)
    CHECK_INT(decide(seed, OPS_MAX, 100), VERDICT_VIOLATION);
}

int main(void) {
  return TAP_RUN(
      {"registers of few values are decided", registers_are_decided},
      {"broken registers are refuted", broken_registers_are_refuted});
}
