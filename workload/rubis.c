// SPDX-License-Identifier: GPL-3.0-or-later
// RUBiS, the auction site over keys and values that Cobra and PolySI measure
// (PolySI, section 5.1.1): ten times as many items as users, who browse, bid,
// buy, sell and comment.  An item has three keys: itself, its highest bid and
// its comments.
#include "config.h"

#include "workload/planner.h"

#include "base/memory.h"

enum { ITEM, BID, COMMENTS, KEYS_OF_ITEM };
enum { ITEMS_OF_USER = 10, KEYS_OF_USER = 1 + ITEMS_OF_USER * KEYS_OF_ITEM };
enum { SHOWN = 8 }; // items of a page

enum { BROWSE, VIEW, MAKE_BID, BUY, SELL, COMMENT };

static void *rubis_open(const struct workload_options *options,
                        uint32_t session) {
  struct planner *planner = xcalloc(1, sizeof *planner);
  struct workload_options users = *options;
  users.nkeys /= KEYS_OF_USER;
  planner_init(planner, &workload_rubis, &users, session);
  return planner;
}

static uint64_t some_user(struct planner *planner) {
  return keys_draw(planner->keys) * KEYS_OF_USER;
}

// One that the user sells.
static uint64_t item_of(struct planner *planner, uint64_t user) {
  return user + 1 +
         gsl_rng_uniform_int(planner->random, ITEMS_OF_USER) * KEYS_OF_ITEM;
}

static void rubis_next(void *state, struct plan *plan) {
  struct planner *planner = state;
  plan_start(plan, planner);
  const uint64_t user = some_user(planner), seller = some_user(planner),
                 item = item_of(planner, seller);
  switch (plan->shape) {
  case BROWSE:
    for (int i = 0; i < SHOWN; i++)
      plan_add(plan, OP_READ, item_of(planner, some_user(planner)) + ITEM);
    break;
  case VIEW:
    for (uint32_t i = 0; i < KEYS_OF_ITEM; i++)
      plan_add(plan, OP_READ, item + i);
    plan_add(plan, OP_READ, seller);
    break;
  case MAKE_BID:
    plan_add(plan, OP_READ, user);
    plan_add(plan, OP_READ, item + ITEM);
    plan_add_update(plan, item + BID);
    break;
  case BUY:
    plan_add_update(plan, item + ITEM);
    plan_add_update(plan, user);
    break;
  case SELL:
    plan_add_update(plan, seller);
    plan_add(plan, OP_WRITE, item + ITEM);
    plan_add(plan, OP_WRITE, item + BID);
    break;
  case COMMENT:
    plan_add(plan, OP_READ, item + ITEM);
    plan_add_update(plan, item + COMMENTS);
    plan_add_update(plan, seller);
  }
}

static const struct shape shapes[] = {
    [BROWSE] = {"browse", 0.35, "read eight items"},
    [VIEW] = {"view", 0.25, "read an item, its bid, its comments, its seller"},
    [MAKE_BID] = {"bid", 0.2, "read a user and an item, update its bid"},
    [BUY] = {"buy", 0.05, "update an item and its buyer"},
    [SELL] = {"sell", 0.1, "update a seller, write an item and its bid"},
    [COMMENT] = {"comment", 0.05, "read an item, update comments and seller"},
    {NULL, 0, NULL},
};

const struct workload workload_rubis = {
    .name = "rubis",
    .summary = "RUBiS over keys and values: an auction site",
    .shapes = shapes,
    .needs = 1 << OP_READ | 1 << OP_WRITE,
    .min_keys = KEYS_OF_USER,
    .preload = true,
    .open = rubis_open,
    .close = planner_close,
    .next = rubis_next,
};
