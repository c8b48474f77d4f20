// SPDX-License-Identifier: GPL-3.0-or-later
// Compare-and-set and insert-if-absent on single keys, each operation a
// transaction of its own, for checking linearizability (MTC, algorithm 2).
// Keys are absent at first and never deleted, so of all inserts into a key one
// can take place.
#include "config.h"

#include "workload/planner.h"

#include "base/memory.h"

enum { READ, CAS, INSERT };

static void *cas_open(const struct workload_options *options,
                      uint32_t session) {
  struct planner *planner = xcalloc(1, sizeof *planner);
  planner_init(planner, &workload_cas, options, session);
  return planner;
}

static void cas_next(void *state, struct plan *plan) {
  struct planner *planner = state;
  uint32_t shape = plan_start(plan, planner);
  uint64_t key = keys_draw(planner->keys);
  plan->one_by_one = true;
  if (shape != INSERT)
    plan_add(plan, OP_READ, key);
  if (shape != READ)
    plan_add_cas(plan, key, shape == INSERT ? EXPECT_ABSENT : 0);
}

static const struct shape shapes[] = {
    [READ] = {"read", 0.2, "read a key"},
    [CAS] = {"cas", 0.7,
             "read a key, then replace what was read unless it has changed"},
    [INSERT] = {"insert", 0.1, "store a value unless the key has one"},
    {NULL, 0, NULL},
};

const struct workload workload_cas = {
    .name = "cas",
    .summary = "single operations: read, compare-and-set, insert-if-absent; "
               "checked for linearizability",
    .shapes = shapes,
    .needs = 1 << OP_READ | 1 << OP_CAS,
    .min_keys = 1,
    .open = cas_open,
    .close = planner_close,
    .next = cas_next,
};
