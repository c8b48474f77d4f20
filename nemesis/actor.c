// SPDX-License-Identifier: GPL-3.0-or-later
// Follows a schedule (nemesis/actor.h).  An action begins when those on the
// same nodes have ended, so that a node which takes long to start delays no
// other.
#include "config.h"

#include "nemesis/actor.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/notice.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define NO_EVENT UINT32_MAX
#define LEAST_WAIT (60 * NS_PER_SECOND)  // for what was begun
#define LOOK (20 * NS_PER_SECOND / 1000) // how often it looks whether to end

// An action on some nodes, some of which have not answered yet.
struct pending_fault {
  uint32_t event; // of the log; NO_EVENT: none is told
  uint32_t nodes; // that have not answered
  uint32_t first; // order of node 0; node i has first + i
  bool failed;
  char words[HAND_WORDS]; // the first reason
};

struct fault_actor {
  const struct fault_schedule *schedule;
  const struct hands *hands;
  struct event_log *log;
  uint32_t nnodes;
  uint64_t start;
  atomic_bool over;
  pthread_t thread;
  // The thread's, then actor_settle's.
  struct pending_fault *pending;
  uint32_t npending, room;
  uint32_t next_order;
  uint32_t down, paused; // nodes, as far as this actor made them so
  bool gone;             // nobody takes orders any more
};

static uint64_t elapsed(const struct fault_actor *actor) {
  return clock_now() - actor->log->start;
}

static void tell_fault_end(struct fault_actor *actor,
                           const struct pending_fault *p) {
  const struct event *event = &actor->log->events[p->event];
  event_log_end(actor->log, p->event, elapsed(actor),
                p->failed ? p->words : NULL);
  if (p->failed)
    notice("%s %s has failed: %s", event->action, event->nodes, p->words);
}

static void end_pending(struct fault_actor *actor, uint32_t i) {
  if (actor->pending[i].event != NO_EVENT)
    tell_fault_end(actor, &actor->pending[i]);
  actor->pending[i] = actor->pending[--actor->npending];
}

static void take_hand_answer(struct fault_actor *actor,
                             const struct hand_answer *answer) {
  for (uint32_t i = 0; i < actor->npending; i++) {
    struct pending_fault *p = &actor->pending[i];
    const uint32_t node = answer->id - p->first;
    if (node >= actor->nnodes)
      continue;
    if (!answer->done && !p->failed) {
      p->failed = true;
      snprintf(p->words, sizeof p->words, "%s", answer->words);
    }
    p->nodes &= ~(1u << node);
    if (!p->nodes)
      end_pending(actor, i);
    return;
  }
}

// Nobody will answer: what is open stays open.
static void lose_hands(struct fault_actor *actor) {
  if (!actor->gone)
    notice("the script that acts on the server has ended: no further faults");
  actor->gone = true;
}

// Takes answers until `when`, or until `enough` says that it may go on.
static void hear_answers(struct fault_actor *actor, uint64_t when,
                         bool (*enough)(const struct fault_actor *, uint32_t),
                         uint32_t nodes) {
  while (!actor->gone && clock_now() < when && !enough(actor, nodes)) {
    struct hand_answer answer;
    const uint64_t look = clock_now() + LOOK;
    const int got = actor->hands->answer(actor->hands->context,
                                         look < when ? look : when, &answer);
    if (got > 0)
      take_hand_answer(actor, &answer);
    if (got < 0)
      lose_hands(actor);
  }
}

static bool are_free(const struct fault_actor *actor, uint32_t nodes) {
  uint32_t busy = 0;
  for (uint32_t i = 0; i < actor->npending; i++)
    busy |= actor->pending[i].nodes;
  return !(busy & nodes);
}

static bool is_to_end(const struct fault_actor *actor, uint32_t nodes) {
  (void)nodes;
  return atomic_load_explicit(&actor->over, memory_order_relaxed);
}

static bool is_to_end_or_free(const struct fault_actor *actor, uint32_t nodes) {
  return is_to_end(actor, nodes) || are_free(actor, nodes);
}

// Asks who is the primary; none: nobody says so within two seconds.
static uint32_t find_primary(struct fault_actor *actor) {
  const uint64_t end = clock_now() + 2 * NS_PER_SECOND;
  const uint32_t id = actor->next_order++;
  struct hand_answer answer = {.id = id - 1};
  int got = actor->hands->order(actor->hands->context, id, "primary", 0);
  while (got >= 0 && answer.id != id && clock_now() < end) {
    got = actor->hands->answer(actor->hands->context, end, &answer);
    if (got > 0 && answer.id != id)
      take_hand_answer(actor, &answer);
  }
  const unsigned long node = strtoul(answer.words, NULL, 10);
  return got > 0 && answer.id == id && answer.done && node < actor->nnodes
             ? 1u << node
             : 0;
}

static bool is_called(const struct fault_action *action, const char *name) {
  return !strcmp(action->name, name);
}

// "start all" and "resume all" mean the nodes that are down or paused; a node
// that is down can be neither killed nor paused.
static uint32_t nodes_that_can(const struct fault_actor *actor,
                               const struct fault_action *action,
                               uint32_t nodes) {
  if (is_called(action, "start"))
    return nodes & actor->down;
  if (is_called(action, "resume"))
    return nodes & actor->paused;
  if (is_called(action, "pause"))
    return nodes & ~actor->down & ~actor->paused;
  return nodes & ~actor->down;
}

static void note_states(struct fault_actor *actor,
                        const struct fault_action *action, uint32_t nodes) {
  if (is_called(action, "kill") || is_called(action, "stop")) {
    actor->down |= nodes;
    actor->paused &= ~nodes;
  } else if (is_called(action, "start")) {
    actor->down &= ~nodes;
  } else if (is_called(action, "pause")) {
    actor->paused |= nodes;
  } else if (is_called(action, "resume")) {
    actor->paused &= ~nodes;
  }
}

// Sends the orders for all these nodes.
static void send_orders(struct fault_actor *actor, const char *action,
                        uint32_t nodes, uint32_t event) {
  ARRAY_RESERVE(actor->pending, actor->npending, actor->room);
  actor->pending[actor->npending++] = (struct pending_fault){
      .event = event, .nodes = nodes, .first = actor->next_order};
  for (uint32_t node = 0; node < actor->nnodes; node++)
    if (nodes & 1u << node &&
        !actor->hands->order(actor->hands->context, actor->next_order + node,
                             action, node))
      lose_hands(actor);
  actor->next_order += actor->nnodes;
}

static void begin_action(struct fault_actor *actor,
                         const struct fault_action *action, uint32_t nodes,
                         uint32_t event) {
  send_orders(actor, action->name, nodes, event);
  note_states(actor, action, nodes);
}

static uint32_t note_fault_begin(struct fault_actor *actor,
                                 const struct fault_action *action,
                                 uint32_t nodes) {
  struct event event = {.begin = elapsed(actor), .harms = action->harms};
  const struct node_set set = {.members = nodes};
  snprintf(event.action, sizeof event.action, "%s", action->name);
  node_set_write(&set, event.nodes);
  return event_log_begin(actor->log, &event);
}

static void carry_out(struct fault_actor *actor, const struct fault *fault) {
  const struct fault_action *action = fault->action;
  const uint32_t wanted =
      fault->nodes.primary ? find_primary(actor) : fault->nodes.members;
  hear_answers(actor, UINT64_MAX, is_to_end_or_free, wanted);
  if (is_to_end(actor, 0) || actor->gone)
    return;
  const uint32_t nodes = nodes_that_can(actor, action, wanted);
  const uint32_t event =
      note_fault_begin(actor, action, nodes ? nodes : wanted);
  if (nodes)
    begin_action(actor, action, nodes, event);
  else
    event_log_end(actor->log, event, elapsed(actor),
                  !wanted ? "no node says that it is the primary"
                          : "the nodes were not in a state for it");
}

static void *follow_schedule(void *argument) {
  struct fault_actor *actor = argument;
  for (uint32_t i = 0; i < actor->schedule->nfaults && !is_to_end(actor, 0);
       i++) {
    const struct fault *fault = &actor->schedule->faults[i];
    hear_answers(actor, actor->start + fault->at, is_to_end, 0);
    if (!is_to_end(actor, 0) && !actor->gone)
      carry_out(actor, fault);
  }
  hear_answers(actor, UINT64_MAX, is_to_end, 0);
  return NULL;
}

struct fault_actor *actor_start(const struct fault_schedule *schedule,
                                const struct hands *hands,
                                struct event_log *log, uint32_t nnodes) {
  struct fault_actor *actor = xcalloc(1, sizeof *actor);
  sigset_t all, old;
  assert(nnodes > 0 && nnodes <= FAULT_NODES_MAX);
  actor->schedule = schedule;
  actor->hands = hands;
  actor->log = log;
  actor->nnodes = nnodes;
  actor->start = clock_now();
  if (!log->start)
    log->start = actor->start;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  if (pthread_create(&actor->thread, NULL, follow_schedule, actor))
    out_of_memory(0);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  return actor;
}

static void take_harm_back(struct fault_actor *actor, const char *name,
                           uint32_t nodes) {
  const struct fault_action *action = fault_action_find(name, strlen(name));
  if (nodes)
    begin_action(actor, action, nodes, note_fault_begin(actor, action, nodes));
}

void actor_settle(struct fault_actor *actor, uint64_t settle) {
  const uint32_t all = (1u << actor->nnodes) - 1;
  const uint64_t end =
      clock_now() + (settle > LEAST_WAIT ? settle : LEAST_WAIT);
  atomic_store(&actor->over, true);
  pthread_join(actor->thread, NULL);
  hear_answers(actor, end, are_free, all);
  if (settle && !actor->gone) {
    take_harm_back(actor, "resume", actor->paused);
    take_harm_back(actor, "start", actor->down);
    hear_answers(actor, end, are_free, all);
    send_orders(actor, "settle", all, NO_EVENT);
    hear_answers(actor, end, are_free, all);
  }
  free(actor->pending);
  free(actor);
}
