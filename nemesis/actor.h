// SPDX-License-Identifier: GPL-3.0-or-later
// Follows a schedule in a thread of its own, and notes what came of it.
#ifndef NEMESIS_ACTOR_H
#define NEMESIS_ACTOR_H

#include "nemesis/schedule.h"
#include "recorder/events.h"

enum { HAND_WORDS = 256 };

// The answer to an order.
struct hand_answer {
  uint32_t id;
  bool done;
  char words[HAND_WORDS]; // why not, or what was asked for
};

// Who acts on nodes, for one thread at a time.
struct hands {
  void *context;
  // An order that is carried out while others are: an action on a node;
  // "primary": which node is it?; "settle": waits until a node answers.  False:
  // nobody takes orders any more.
  bool (*order)(void *context, uint32_t id, const char *action, uint32_t node);
  // The next answer, not waited for after `when` by clock_now.  1: there is
  // one; 0: not yet; -1: nobody answers any more.
  int (*answer)(void *context, uint64_t when, struct hand_answer *answer);
};

struct fault_actor;

// From now on, which is the time 0 of the schedule, the schedule is followed.
// All three outlive the actor.
struct fault_actor *actor_start(const struct fault_schedule *schedule,
                                const struct hands *hands,
                                struct event_log *log, uint32_t nnodes);

// Nothing new is begun, and what was begun is waited for; unless `settle` is 0,
// what was harmed is taken back, and all nodes are waited for as long as
// `settle` ns or a minute.  Ends the actor.
void actor_settle(struct fault_actor *actor, uint64_t settle);

#endif
