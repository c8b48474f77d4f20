// SPDX-License-Identifier: GPL-3.0-or-later
// C-Twitter, the clone of Twitter over keys and values that Cobra and PolySI
// measure (PolySI, section 5.1.1): users tweet, look at whom they follow, and
// follow others.  A user has four keys, all in one range, so that the keys of
// popular users are the popular ones.
#include "config.h"

#include "workload/planner.h"

#include "base/memory.h"

enum { LATEST, TWEET, FOLLOWS, FOLLOWERS, KEYS_OF_USER };
enum { SHOWN = 8 }; // users that a timeline shows

enum { POST, TIMELINE, FOLLOW, PROFILE };

static void *c_twitter_open(const struct workload_options *options,
                            uint32_t session) {
  struct planner *planner = xcalloc(1, sizeof *planner);
  struct workload_options users = *options;
  users.nkeys /= KEYS_OF_USER;
  planner_init(planner, &workload_c_twitter, &users, session);
  return planner;
}

static uint64_t twitter_key_of(struct planner *planner, uint32_t which) {
  return keys_draw(planner->keys) * KEYS_OF_USER + which;
}

static void c_twitter_next(void *state, struct plan *plan) {
  struct planner *planner = state;
  plan_start(plan, planner);
  const uint64_t user = twitter_key_of(planner, 0),
                 other = twitter_key_of(planner, 0);
  switch (plan->shape) {
  case POST:
    plan_add_update(plan, user + LATEST);
    plan_add(plan, OP_WRITE, user + TWEET);
    break;
  case TIMELINE:
    plan_add(plan, OP_READ, user + FOLLOWS);
    for (int i = 0; i < SHOWN; i++)
      plan_add(plan, OP_READ, twitter_key_of(planner, i % 2 ? TWEET : LATEST));
    break;
  case FOLLOW:
    plan_add_update(plan, user + FOLLOWS);
    plan_add_update(plan, other + FOLLOWERS);
    break;
  case PROFILE:
    for (uint32_t i = 0; i < KEYS_OF_USER; i++)
      plan_add(plan, OP_READ, user + i);
  }
}

static const struct shape shapes[] = {
    [POST] = {"tweet", 0.2, "update the latest tweet, write another"},
    [TIMELINE] = {"timeline", 0.5, "read tweets of eight users"},
    [FOLLOW] = {"follow", 0.2, "update the lists of two users"},
    [PROFILE] = {"profile", 0.1, "read all keys of a user"},
    {NULL, 0, NULL},
};

const struct workload workload_c_twitter = {
    .name = "c-twitter",
    .summary = "C-Twitter over keys and values: tweets, timelines, followers",
    .shapes = shapes,
    .needs = 1 << OP_READ | 1 << OP_WRITE,
    .min_keys = KEYS_OF_USER,
    .preload = true,
    .open = c_twitter_open,
    .close = planner_close,
    .next = c_twitter_next,
};
