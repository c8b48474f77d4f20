// SPDX-License-Identifier: GPL-3.0-or-later
// Does the memory driver keep each level, and show what the level permits?  And
// does each bug break the levels that its anomaly breaks and no other?  Long
// loads are checked by the axioms in the store's own commit order, many short
// ones by the referee in all orders.
#include "config.h"

#include "base/memory.h"
#include "checker/verify/referee.h"
#include "recorder/builder/builder.h"
#include "tests/kit/memory_axioms.h"
#include "tests/kit/memory_load.h"
#include "tests/tap.h"

#include <stdlib.h>

static const enum isolation offered[] = {
    ISOLATION_RC, ISOLATION_RA,  ISOLATION_CC,  ISOLATION_PC,
    ISOLATION_SI, ISOLATION_SER, ISOLATION_SSER};
enum { NOFFERED = sizeof offered / sizeof *offered };

// MTC, table I, with the strongest level that permits the anomaly.
static const struct {
  const char *name;
  enum isolation keeps;
} bugs[] = {
    {"ThinAirRead", ISOLATION_NONE},
    {"AbortedRead", ISOLATION_NONE},
    {"FutureRead", ISOLATION_NONE},
    {"NotMyLastWrite", ISOLATION_NONE},
    {"NotMyOwnWrite", ISOLATION_NONE},
    {"IntermediateRead", ISOLATION_NONE},
    {"NonRepeatableReads", ISOLATION_RC},
    {"SessionGuaranteeViolation", ISOLATION_RC},
    {"NonMonotonicRead", ISOLATION_NONE},
    {"FracturedRead", ISOLATION_RC},
    {"CausalityViolation", ISOLATION_RA},
    {"LongFork", ISOLATION_CC},
    {"LostUpdate", ISOLATION_PC},
    {"WriteSkew", ISOLATION_SI},
};
enum { NBUGS = sizeof bugs / sizeof *bugs };

static enum isolation weaker(enum isolation a, enum isolation b) {
  return a < b ? a : b;
}

static void print_load(const struct load_options *o) {
  printf("# bug %s at %s: %u sessions, %u keys%s%s, seed %u\n",
         o->bug ? o->bug : "none", isolation_name(o->level), o->nsessions,
         o->nkeys, o->mini ? ", mini" : "", o->lists ? ", lists" : "",
         (unsigned)o->seed);
}

static enum isolation strongest_kept(const struct load_options *options) {
  struct load load = load_run(options);
  const enum isolation strongest =
      axioms_strongest(&load, options->nsessions, options->nkeys);
  load_free(&load);
  return strongest;
}

// --- Long loads.

static void long_loads_keep_just_the_level(void) {
  for (int i = 0; i < NOFFERED * 4; i++)
    for (uint32_t nkeys = 3; nkeys <= 75; nkeys *= 5) {
      const struct load_options o = {.level = offered[i / 4],
                                     .stale = "0.3",
                                     .seed = 1,
                                     .nsessions = 3 + nkeys % 10,
                                     .ntxns = 400,
                                     .nkeys = nkeys,
                                     .mini = i & 1,
                                     .lists = i & 2};
      if (!CHECK(strongest_kept(&o) == o.level))
        print_load(&o);
    }
}

static void long_loads_are_weakened_just_as_far(void) {
  for (int b = 0; b < NBUGS; b++)
    for (int l = 0; l < NOFFERED; l++) {
      const struct load_options o = {.level = offered[l],
                                     .bug = bugs[b].name,
                                     .seed = 1,
                                     .nsessions = 8,
                                     .ntxns = 500,
                                     .nkeys = 10,
                                     .mini = true};
      if (!CHECK(strongest_kept(&o) == weaker(o.level, bugs[b].keeps)))
        print_load(&o);
    }
}

// With any load, the level just below the anomaly is kept.
static void bugs_never_weaken_further(void) {
  for (int b = 0; b < NBUGS; b++)
    for (int i = 0; i < NOFFERED * 4; i++) {
      const struct load_options o = {.level = offered[i / 4],
                                     .bug = bugs[b].name,
                                     .stale = "0.5",
                                     .seed = 2,
                                     .nsessions = 6,
                                     .ntxns = 80,
                                     .nkeys = i & 1 ? 3 : 12,
                                     .lists = i & 2};
      if (!CHECK(strongest_kept(&o) >= weaker(o.level, bugs[b].keeps)))
        print_load(&o);
    }
}

// --- Short loads, for the referee.

static void add_to_history(struct builder *builder,
                           const struct load_txn *txn) {
  builder_txn(builder, txn->session, txn->outcome, ISOLATION_NONE, txn->begun,
              txn->ended);
  for (uint32_t i = 0; i < txn->nops; i++) {
    const struct load_op *op = &txn->ops[i];
    if (op->kind == OP_READ_LIST)
      builder_list(builder, op->key, op->list.values, op->list.count);
    else
      builder_op(builder, (enum op_kind)op->kind, op->key, op->value);
  }
}

static struct history history_of(const struct load *load) {
  struct builder *builder = builder_open();
  for (uint32_t t = 0; t < load->ntxns; t++)
    add_to_history(builder, &load->txns[t]);
  struct history history;
  struct error error;
  if (builder_finish(builder, &history, &error)) {
    printf("Bail out! %s\n", error.text);
    exit(1);
  }
  return history;
}

static bool keeps(const struct history *history, enum isolation level) {
  const struct referee_options options = {.level = level,
                                          .session_order = true};
  return referee_decide(history, &options, NULL, NULL) == REFEREE_KEPT;
}

// The strongest of our levels that the referee finds kept in a short load.
static enum isolation referee_strongest(const struct load_options *options) {
  struct load load = load_run(options);
  struct history history = history_of(&load);
  enum isolation strongest = ISOLATION_NONE;
  for (int l = 0; l < NOFFERED; l++)
    if (keeps(&history, offered[l]))
      strongest = offered[l];
  history_free(&history);
  load_free(&load);
  return strongest;
}

// Over many seeds: never weaker than `floor`, at least once just `floor`.
static void try_short_loads(struct load_options o, uint64_t nseeds,
                            enum isolation floor) {
  bool shown = false;
  for (o.seed = 0; o.seed < nseeds; o.seed++) {
    const enum isolation strongest = referee_strongest(&o);
    shown |= strongest == floor;
    if (!CHECK(strongest >= floor))
      print_load(&o);
  }
  if (!CHECK(shown))
    print_load(&o);
}

static void the_referee_agrees_on_levels(void) {
  for (int i = 0; i < NOFFERED * 2; i++) {
    const struct load_options o = {.level = offered[i / 2],
                                   .stale = "0.7",
                                   .nsessions = 3,
                                   .ntxns = 2,
                                   .nkeys = 2,
                                   .lists = i & 1};
    try_short_loads(o, 1500, o.level);
  }
}

static void the_referee_agrees_on_bugs(void) {
  for (int b = 0; b < NBUGS; b++)
    for (int level = ISOLATION_SI; level <= ISOLATION_SSER; level++) {
      char bug[48];
      snprintf(bug, sizeof bug, "%s:0.5", bugs[b].name);
      const struct load_options o = {.level = (enum isolation)level,
                                     .bug = bug,
                                     .nsessions = 3,
                                     .ntxns = 3,
                                     .nkeys = 2,
                                     .mini = true};
      try_short_loads(o, 500, weaker(o.level, bugs[b].keeps));
    }
}

int main(void) {
  return TAP_RUN(
      {"long loads keep just the level", long_loads_keep_just_the_level},
      {"long loads are weakened by a bug just as far as its anomaly says",
       long_loads_are_weakened_just_as_far},
      {"a bug never weakens further", bugs_never_weaken_further},
      {"the referee agrees on levels", the_referee_agrees_on_levels},
      {"the referee agrees on bugs", the_referee_agrees_on_bugs});
}
