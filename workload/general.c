// SPDX-License-Identifier: GPL-3.0-or-later
// General transactions over registers, blind writes included: those of Cobra's
// generator, which are read-only, write-only or read-modify-writes, and those
// of PolySI's (section 5.1.1), where each operation by itself is a read or a
// write and some transactions are long.
#include "config.h"

#include "workload/planner.h"

#include "base/memory.h"

enum { RO, WO, RMW, MIXED };

static void *general_open(const struct workload_options *options,
                          uint32_t session) {
  struct workload_options own = *options;
  if (own.read_ratio > 0 && !shares_are_set(&workload_general, &own))
    own.shape_share[MIXED] = 1;
  struct planner *planner = xcalloc(1, sizeof *planner);
  planner_init(planner, &workload_general, &own, session);
  return planner;
}

static void general_next(void *state, struct plan *plan) {
  struct planner *planner = state;
  const struct workload_options *options = &planner->options;
  plan_start(plan, planner);
  bool is_long = gsl_ran_bernoulli(planner->random, options->long_share);
  uint32_t nops = is_long ? options->long_ops : options->ops;
  while (plan->nops < nops) {
    uint64_t key = keys_draw(planner->keys);
    switch (plan->shape) {
    case RO:
      plan_add(plan, OP_READ, key);
      break;
    case WO:
      plan_add(plan, OP_WRITE, key);
      break;
    case RMW:
      plan_add(plan, OP_READ, key);
      if (plan->nops < nops)
        plan_add(plan, OP_WRITE, key);
      break;
    case MIXED:
      plan_add_mixed(plan, planner, OP_READ, OP_WRITE, key);
    }
  }
}

static const struct shape shapes[] = {
    [RO] = {"ro", 0.2, "reads only"},
    [WO] = {"wo", 0.4, "writes only, blind ones"},
    [RMW] = {"rmw", 0.4,
             "pairs of a read and a write of the same key; an odd number of "
             "operations ends in a read"},
    [MIXED] = {"mixed", 0,
               "each operation a read or a write by read-ratio, half and half "
               "unless set; the only shape when read-ratio is set and no "
               "share is"},
    {NULL, 0, NULL},
};

const struct workload workload_general = {
    .name = "general",
    .summary = "transactions of ops operations (long-share of them of "
               "long-ops): reads, blind writes, read-modify-writes",
    .shapes = shapes,
    .needs = 1 << OP_READ | 1 << OP_WRITE,
    .min_keys = 1,
    .preload = true,
    .open = general_open,
    .close = planner_close,
    .next = general_next,
};
