// SPDX-License-Identifier: GPL-3.0-or-later
// For the tests of the runner: workloads whose plans are written down, and runs
// of them against a scripted database.
#ifndef TESTS_UNIT_RUNNER_PROPOSED_H
#define TESTS_UNIT_RUNNER_PROPOSED_H

#include "tests/unit/runner/scripted.h"

enum { PROPOSED_MAX_OPS = 8 };

struct proposed {
  struct operation ops[PROPOSED_MAX_OPS];
  uint64_t n; // plans made so far
  uint64_t closed;
};

static inline void *proposed_open(const struct workload_options *options,
                                  uint32_t session) {
  (void)options, (void)session;
  return xcalloc(1, sizeof(struct proposed));
}

static inline void proposed_close(void *state) { free(state); }

// Starts a plan; operations are then added to it.
static inline void propose(struct proposed *state, struct plan *plan) {
  *plan = (struct plan){.ops = state->ops};
  state->n++;
}

static inline void propose_op(struct plan *plan, enum op_kind kind,
                              uint64_t key) {
  plan->ops[plan->nops++] = (struct operation){.kind = kind, .key = key};
}

static inline void propose_cas(struct plan *plan, uint64_t key,
                               int16_t expect) {
  propose_op(plan, OP_CAS, key);
  plan->ops[plan->nops - 1].expect = expect;
}

// Read-modify-writes of key 0.
static inline void rmw_next(void *state, struct plan *plan) {
  propose(state, plan);
  propose_op(plan, OP_READ, 0);
  propose_op(plan, OP_WRITE, 0);
}

#define PROPOSED_COMMON .open = proposed_open, .close = proposed_close

static const struct shape one_shape[] = {{"rmw", 1, ""}, {NULL, 0, NULL}};
static const struct workload rmw_workload = {
    PROPOSED_COMMON, .name = "rmw", .shapes = one_shape, .next = rmw_next};

// One session, the transactions by count; tests change what they need.
static inline struct run_options options_for(struct scripted_target *target,
                                             const struct workload *workload,
                                             uint64_t transactions) {
  return (struct run_options){
      .target = &target->target,
      .level = scripted_levels,
      .workload = workload,
      .workload_options = {.seed = 1, .nsessions = 1, .nkeys = SCRIPTED_KEYS},
      .transactions = transactions,
      .max_tries = 1,
      .history = "a history",
  };
}

// Runs, and checks what holds for every run of which there is a recording.
static inline void run_well(const struct run_options *options,
                            struct run_figures *figures) {
  struct error error;
  const bool fine = run(options, figures, &error) == 0;
  CHECK(fine);
  CHECK_STR(error.text, "");
  CHECK_INT(scripted(options->target)->open, 0);
  if (!options->history)
    return;
  uint64_t ntxns = 0, ended[OUTCOME_COUNT] = {0};
  for (int s = 0; s < TAPED_SESSIONS; s++) {
    const struct session_log *log = &taped.session_logs[s];
    CHECK(!log->open);
    ntxns += log->ntxns;
    for (int o = 0; o < OUTCOME_COUNT; o++)
      ended[o] += log->ended[o];
    CHECK(!log->ntxns || log->ordered);
  }
  CHECK(!taped.open);
  CHECK_INT(figures->all_begun, ntxns);
  CHECK_INT(figures->all_committed, ended[OUTCOME_OK]);
  CHECK_INT(figures->all_aborted, ended[OUTCOME_ABORTED]);
  CHECK_INT(figures->all_unknown, ended[OUTCOME_UNKNOWN]);
}

#endif
