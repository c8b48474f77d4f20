// SPDX-License-Identifier: GPL-3.0-or-later
// Mini-transactions (MTC, definition 8): one or two reads and at most two
// writes, each write after a read of its key.  Small as they are, they can show
// all of MTC's 14 anomalies (figure 5), and their histories are checked in
// linear time.  With an aim some are wider (workload/aim.h).
#include "config.h"

#include "workload/planner.h"

#include "base/memory.h"
#include "workload/aim.h"

#include <stdlib.h>
#include <string.h>

// The forms that a shape takes, equally often.  Chance decides which of two
// keys is x, so that keys are not taken in one order; the database has to cope
// with the deadlocks that this causes.
static const char *const forms[MT_SHAPES][2] = {
    [MT_RO] = {"rx", "rx ry"},
    [MT_RMW1] = {"rx wx", "rx wx"},
    [MT_RMW2] = {"rx ry wx wy", "rx wx ry wy"},
    [MT_R2W1] = {"rx ry wx", "rx ry wy"},
    [MT_REREAD] = {"rx rx", "rx rx"},
    [MT_REWRITE] = {"rx wx wx", "rx wx wx"},
    [MT_READBACK] = {"rx wx rx", "rx wx wx rx"},
};

struct mt {
  struct planner planner;
  uint32_t session;
};

static void *mt_open(const struct workload_options *options, uint32_t session) {
  struct mt *mt = xcalloc(1, sizeof *mt);
  planner_init(&mt->planner, &workload_mt, options, session);
  mt->session = session;
  return mt;
}

static void mt_close(void *state) {
  struct mt *mt = state;
  planner_fini(&mt->planner);
  free(mt);
}

// A key other than x.  If x has nearly all of the probability, the draws may
// not find another key soon; then the result is x's neighbour.
static uint64_t other_key(struct planner *planner, uint64_t x) {
  for (int draws = 0; draws < 16; draws++) {
    uint64_t y = keys_draw(planner->keys);
    if (y != x)
      return y;
  }
  return (x + 1) % planner->options.nkeys;
}

static enum op_kind kind_in(const char *form) {
  return *form == 'r' ? OP_READ : OP_WRITE;
}

static void add_form(struct plan *plan, const char *form, uint64_t x,
                     uint64_t y) {
  for (size_t i = 0; i < strlen(form); i += 3)
    plan_add(plan, kind_in(form + i), form[i + 1] == 'x' ? x : y);
}

static void plan_any(struct planner *planner, struct plan *plan) {
  uint32_t shape = plan_start(plan, planner);
  const char *form = forms[shape][gsl_rng_uniform_int(planner->random, 2)];
  uint64_t x = keys_draw(planner->keys);
  uint64_t y = strchr(form, 'y') ? other_key(planner, x) : x;
  add_form(plan, form, x, y);
}

static const struct aimed_plan *choose_plan(const struct aim *aim,
                                            double chance) {
  const struct aimed_plan *plan = aim->plans;
  while (plan < aim->plans + AIM_MOST_PLANS - 1 && plan[1].share > 0 &&
         chance >= plan->share)
    chance -= plan++->share;
  return plan;
}

// Uses the keys of the session's neighbourhood.  If there are too few keys, the
// last neighbourhoods share those of the first.
static void plan_aimed(const struct mt *mt, struct planner *planner,
                       struct plan *plan) {
  const struct aim *aim = planner->options.aim;
  const uint64_t nkeys = planner->options.nkeys;
  const uint64_t size = aim->keys < nkeys ? aim->keys : nkeys;
  const uint64_t first = (uint64_t)(mt->session / aim->sessions) * size;
  const struct aimed_plan *aimed =
      choose_plan(aim, gsl_rng_uniform(planner->random));
  const uint64_t draw = gsl_rng_uniform_int(planner->random, size);
  *plan = (struct plan){.ops = planner->ops, .shape = aimed->shape};
  for (const char *form = aimed->form; *form; form += form[2] ? 3 : 2) {
    const uint64_t from = form[1] == 'y';
    const uint64_t end = form[1] == '*' ? size : from + 1;
    for (uint64_t i = from; i < end; i++)
      plan_add(plan, kind_in(form), (first + (draw + i) % size) % nkeys);
  }
}

static void mt_next(void *state, struct plan *plan) {
  struct mt *mt = state;
  if (mt->planner.options.aim)
    plan_aimed(mt, &mt->planner, plan);
  else
    plan_any(&mt->planner, plan);
}

static const struct shape shapes[] = {
    [MT_RO] = {"ro", 0.25, "read one key or two"},
    [MT_RMW1] = {"rmw1", 0.25, "read a key, write it"},
    [MT_RMW2] = {"rmw2", 0.20, "read two keys, write both"},
    [MT_R2W1] = {"r2w1", 0.20, "read two keys, write one of them"},
    [MT_REREAD] = {"reread", 0.03,
                   "read a key twice: shows NonRepeatableReads"},
    [MT_REWRITE] = {"rewrite", 0.03,
                    "read a key, write it twice: shows IntermediateRead"},
    [MT_READBACK] = {"readback", 0.04,
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
    .close = mt_close,
    .next = mt_next,
};
