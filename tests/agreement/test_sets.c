// SPDX-License-Identifier: GPL-3.0-or-later
// The checker and the definitions of the levels on sets that only grow: on
// histories of three transactions that read a set and then may add to it, all
// of them if ISOSTRESS_LONG is set and every fourth otherwise; and on random
// ones of two sets, with a register, aborted and unknown transactions and real
// time.
#include "config.h"

#include "base/random.h"
#include "checker/verdict/verdict.h"
#include "tests/kit/set_histories.h"
#include "tests/tap.h"

#include <stdlib.h>

enum { RANDOM_HISTORIES = 10000, TOLD = 3 };

struct counts {
  uint64_t histories, failures;
  uint64_t kept[ISOLATION_COUNT], broken[ISOLATION_COUNT];
};

static void compare_at(struct counts *counts, const struct sets_history *sets,
                       const struct history *h, enum isolation level) {
  const struct check_options options = {
      .question = {.level = level,
                   .session_order = true,
                   .real_time = level == ISOLATION_SSER},
      .max_examples = counts->histories % 2};
  struct verdict verdict = {0};
  struct error error = {0};
  const bool kept = sets_keep(sets, level);
  const bool proven = !check(h, &options, &verdict, &error);
  const bool same =
      proven && verdict.kind == (kept ? VERDICT_PASS : VERDICT_VIOLATION);
  ++*(kept ? &counts->kept[level] : &counts->broken[level]);
  if (!same && counts->failures++ < TOLD) {
    printf("# at %s the definition says %s; %s\n", isolation_name(level),
           kept ? "kept" : "broken", error.text);
    sets_print(sets);
  }
  verdict_free(&verdict);
}

static void compare(struct counts *counts, const struct sets_history *sets,
                    bool weak) {
  struct history h;
  sets_build(sets, &h);
  for (enum isolation level = weak ? ISOLATION_RC : ISOLATION_PC;
       level <= ISOLATION_SSER; level++)
    compare_at(counts, sets, &h, level);
  counts->histories++;
  history_free(&h);
}

static void check_counts(const struct counts *counts) {
  printf("# %" PRIu64 " histories\n", counts->histories);
  CHECK_INT(counts->failures, 0);
  for (enum isolation level = ISOLATION_RC; level <= ISOLATION_SSER; level++) {
    printf("# %-4s kept %8" PRIu64 "  broken %8" PRIu64 "\n",
           isolation_name(level), counts->kept[level], counts->broken[level]);
    CHECK(counts->kept[level] > counts->histories / 100);
    CHECK(counts->broken[level] > counts->histories / 100);
  }
}

// --- Small ones.

enum { ALL_TXNS = 3, SUBSETS = 1 << SET_ELEMENTS };

// The n-th transaction adds the n-th element, if anything.
static void put_txn(struct sets_history *sets, unsigned n, unsigned session,
                    unsigned found, unsigned how) {
  struct sets_txn *txn = &sets->txn[n];
  *txn = (struct sets_txn){.session = session,
                           .begin = session ? 2 : 4 * n,
                           .end = session ? 4 * n + 9 : 4 * n + 3};
  const struct sets_op read = {SETS_READ, 0, found}, add = {SETS_ADD, 0, n};
  if (how == 2)
    txn->ops[txn->nops++] = add;
  if (how < 3)
    txn->ops[txn->nops++] = read;
  if (how == 1 || how == 3)
    txn->ops[txn->nops++] = add;
}

static void small_ones(void) {
  static const unsigned sessions[][ALL_TXNS] = {
      {0, 0, 0}, {0, 0, 1}, {0, 1, 1}, {0, 1, 2}};
  enum { HOWS = 3 * SUBSETS + 1, ALL = HOWS * HOWS * HOWS };
  // Shares no factor with HOWS, so that each transaction does all that it may.
  const unsigned step = getenv("ISOSTRESS_LONG") ? 1 : 4 * TAP_SHARE;
  struct counts counts = {0};
  for (unsigned i = 0; i < ALL; i += step)
    for (unsigned s = 0; s < sizeof sessions / sizeof *sessions; s++) {
      struct sets_history sets = {.ntxns = ALL_TXNS};
      for (unsigned n = 0, rest = i; n < ALL_TXNS; n++, rest /= HOWS)
        put_txn(&sets, n, sessions[s][n], rest % HOWS % SUBSETS,
                rest % HOWS / SUBSETS);
      compare(&counts, &sets, true);
    }
  check_counts(&counts);
}

// --- Random ones.

static unsigned below(gsl_rng *random, unsigned n) {
  return (unsigned)gsl_rng_uniform_int(random, n);
}

struct drawing {
  gsl_rng *random;
  bool registers;
  unsigned added[SETS], written; // so far
};

static unsigned draw_fresh(struct drawing *d, unsigned set) {
  unsigned e = below(d->random, SET_ELEMENTS);
  while (d->added[set] >> e & 1)
    e = (e + 1) % SET_ELEMENTS;
  d->added[set] |= 1u << e;
  return e;
}

// Mostly elements that were added.
static struct sets_op draw_op(struct drawing *d) {
  struct sets_op op = {.set = below(d->random, SETS)};
  const unsigned any = below(d->random, d->registers ? 6 : 4);
  op.kind = any == 5 ? SETS_WRITE_Z : any == 4 ? SETS_READ_Z : any / 2;
  if (op.kind == SETS_ADD && d->added[op.set] == SUBSETS - 1)
    op.kind = SETS_READ;
  if (op.kind == SETS_WRITE_Z)
    op.value = ++d->written;
  else if (op.kind == SETS_READ_Z)
    op.value = below(d->random, d->written + 1);
  else if (op.kind == SETS_ADD)
    op.value = draw_fresh(d, op.set);
  else
    op.value = below(d->random, SUBSETS);
  return op;
}

// Reads find nothing that nobody adds, but rarely.
static void mend_reads(struct drawing *d, struct sets_history *sets) {
  for (unsigned t = 0; t < sets->ntxns; t++)
    for (unsigned i = 0; i < sets->txn[t].nops; i++) {
      struct sets_op *op = &sets->txn[t].ops[i];
      if (op->kind == SETS_READ && below(d->random, 64))
        op->value &= d->added[op->set];
      for (unsigned k = 0; k < sets->txn[t].nops && op->kind == SETS_READ; k++)
        if (sets->txn[t].ops[k].kind == SETS_ADD &&
            sets->txn[t].ops[k].set == op->set && below(d->random, 64)) {
          const unsigned bit = 1u << sets->txn[t].ops[k].value;
          op->value = k < i ? op->value | bit : op->value & ~bit;
        }
    }
}

static void draw(gsl_rng *random, bool registers, struct sets_history *sets) {
  struct drawing d = {.random = random, .registers = registers};
  unsigned session = 0;
  *sets = (struct sets_history){.ntxns = 2 + below(random, SETS_TXNS - 1)};
  for (unsigned t = 0; t < sets->ntxns; t++) {
    struct sets_txn *txn = &sets->txn[t];
    const unsigned fate = below(random, 12), begin = below(random, 20);
    session += t && below(random, 3) != 0;
    txn->session = session;
    txn->begin = 2 * begin;
    txn->end = txn->begin + 1 + 2 * below(random, 20);
    txn->outcome = fate == 0   ? OUTCOME_ABORTED
                   : fate == 1 ? OUTCOME_UNKNOWN
                               : OUTCOME_OK;
    for (txn->nops = 0; txn->nops < 1 + t % SETS_OPS; txn->nops++) {
      if (d.written == SETS_TXNS)
        d.registers = false;
      txn->ops[txn->nops] = draw_op(&d);
    }
  }
  mend_reads(&d, sets);
}

// At the weak levels, what a register may hold is not decided here.
static void random_ones(void) {
  const unsigned count = tap_inputs(RANDOM_HISTORIES, 40);
  gsl_rng *random = random_stream(47, 0, RANDOM_TEST);
  struct counts counts = {0};
  for (unsigned i = 0; i < count; i++) {
    struct sets_history sets;
    draw(random, i % 3 == 0, &sets);
    compare(&counts, &sets, i % 3 != 0);
  }
  gsl_rng_free(random);
  check_counts(&counts);
}

int main(void) {
  return TAP_RUN({"small histories of one set", small_ones},
                 {"random histories of two sets", random_ones});
}
