// SPDX-License-Identifier: GPL-3.0-or-later
// Planning that the workloads have in common: a session's random stream, its
// keys, the choice of a shape and the storage of the plan.  Only files of this
// room include it.
#ifndef WORKLOAD_PLANNER_H
#define WORKLOAD_PLANNER_H

#include "workload/keys.h"
#include "workload/workload.h"

#include <assert.h>
#include <gsl/gsl_randist.h>

struct planner {
  struct workload_options options; // a read_ratio that is not set: one half
  gsl_rng *random;
  gsl_rng *own;  // its state while `random` is that of twins; NULL: there are
                 // none
  bool is_twins; // the plan is
  uint32_t session;
  uint64_t nplans; // begun
  struct keys *keys;
  gsl_ran_discrete_t *shapes;
  struct operation ops[PLAN_MAX_OPS];
};

void planner_init(struct planner *planner, const struct workload *workload,
                  const struct workload_options *options, uint32_t session);
void planner_fini(struct planner *planner);

// Slot `close` of a workload whose state is a planner and nothing else.
void planner_close(void *state);

// Lets `random` be the stream of the next plan: the session's or that of twins.
void planner_turn(struct planner *planner);

// Empties the plan and chooses its shape, which it returns.
static inline uint32_t plan_start(struct plan *plan, struct planner *planner) {
  if (planner->own)
    planner_turn(planner);
  *plan = (struct plan){.ops = planner->ops};
  plan->shape = (uint32_t)gsl_ran_discrete(planner->random, planner->shapes);
  return plan->shape;
}

static inline void plan_add(struct plan *plan, enum op_kind kind,
                            uint64_t key) {
  assert(plan->nops < PLAN_MAX_OPS);
  plan->ops[plan->nops++] = (struct operation){.kind = kind, .key = key};
}

// A read and a write of the key.
static inline void plan_add_update(struct plan *plan, uint64_t key) {
  plan_add(plan, OP_READ, key);
  plan_add(plan, OP_WRITE, key);
}

// `expect` is the position of the read whose value is expected, or
// EXPECT_ABSENT.
static inline void plan_add_cas(struct plan *plan, uint64_t key, int expect) {
  assert(expect < (int)plan->nops);
  plan_add(plan, OP_CAS, key);
  plan->ops[plan->nops - 1].expect = (int16_t)expect;
}

// Adds a read with probability read_ratio, otherwise a write.
static inline void plan_add_mixed(struct plan *plan, struct planner *planner,
                                  enum op_kind read, enum op_kind write,
                                  uint64_t key) {
  bool reads = gsl_ran_bernoulli(planner->random, planner->options.read_ratio);
  plan_add(plan, reads ? read : write, key);
}

// Did the user set any share?  Otherwise the workload's own shares apply.
bool shares_are_set(const struct workload *workload,
                    const struct workload_options *options);

extern const struct workload workload_mt, workload_general, workload_append,
    workload_cas, workload_predicate, workload_tpcc, workload_twitter,
    workload_c_twitter, workload_rubis, workload_bank, workload_comments,
    workload_counter, workload_dirty_reads, workload_long_fork,
    workload_monotonic, workload_sequential, workload_set, workload_tpcc_pc;

#endif
