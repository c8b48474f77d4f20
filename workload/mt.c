// SPDX-License-Identifier: GPL-3.0-or-later
// Mini-transactions (MTC, definition 8): one or two reads and at most two
// writes, each write after a read of its key.  Small as they are, they can show
// all of MTC's 14 anomalies (figure 5), and their histories are checked in
// linear time.
#include "config.h"

#include "workload/planner.h"

#include "base/memory.h"

#include <string.h>

enum { RO, RMW1, RMW2, R2W1, REREAD, REWRITE, READBACK, NSHAPES };

// The forms that a shape takes, equally often.  Which of two keys is x is up to
// chance, so that keys are not taken in one order; deadlocks that this causes
// are the database's business.
static const char *const forms[NSHAPES][2] = {
    [RO] = {"rx", "rx ry"},
    [RMW1] = {"rx wx", "rx wx"},
    [RMW2] = {"rx ry wx wy", "rx wx ry wy"},
    [R2W1] = {"rx ry wx", "rx ry wy"},
    [REREAD] = {"rx rx", "rx rx"},
    [REWRITE] = {"rx wx wx", "rx wx wx"},
    [READBACK] = {"rx wx rx", "rx wx wx rx"},
};

static void *mt_open(const struct workload_options *options, uint32_t session) {
  struct planner *planner = xcalloc(1, sizeof *planner);
  planner_init(planner, &workload_mt, options, session);
  return planner;
}

// Another key than x.  Where x has nearly all of the probability the draws may
// not find one soon; then it is x's neighbour.
static uint64_t other_key(struct planner *planner, uint64_t x) {
  for (int draws = 0; draws < 16; draws++) {
    uint64_t y = keys_draw(planner->keys);
    if (y != x)
      return y;
  }
  return (x + 1) % planner->options.nkeys;
}

static void mt_next(void *state, struct plan *plan) {
  struct planner *planner = state;
  uint32_t shape = plan_start(plan, planner);
  const char *form = forms[shape][gsl_rng_uniform_int(planner->random, 2)];
  uint64_t x = keys_draw(planner->keys);
  uint64_t y = strchr(form, 'y') ? other_key(planner, x) : x;
  for (size_t i = 0; i < strlen(form); i += 3)
    plan_add(plan, form[i] == 'r' ? OP_READ : OP_WRITE,
             form[i + 1] == 'x' ? x : y);
}

static const struct shape shapes[] = {
    [RO] = {"ro", 0.25, "read one key or two"},
    [RMW1] = {"rmw1", 0.25, "read a key, write it"},
    [RMW2] = {"rmw2", 0.20, "read two keys, write both"},
    [R2W1] = {"r2w1", 0.20, "read two keys, write one of them"},
    [REREAD] = {"reread", 0.03, "read a key twice: shows NonRepeatableReads"},
    [REWRITE] = {"rewrite", 0.03,
                 "read a key, write it twice: shows IntermediateRead"},
    [READBACK] = {"readback", 0.04,
                  "read a key, write it once or twice, read it again: shows "
                  "NotMyOwnWrite and NotMyLastWrite"},
    {NULL, 0, NULL},
};

const struct workload workload_mt = {
    .name = "mt",
    .summary = "mini-transactions: at most two reads and two writes, each "
               "write after a read of its key; checked fastest",
    .shapes = shapes,
    .needs = 1 << OP_READ | 1 << OP_WRITE,
    .min_keys = 2,
    .preload = true,
    .open = mt_open,
    .close = planner_close,
    .next = mt_next,
};
