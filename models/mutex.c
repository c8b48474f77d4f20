// SPDX-License-Identifier: GPL-3.0-or-later
// Knossos' mutex: one lock, which is acquired and released by turns.  Nobody
// asks who holds it.
//
//   {:type :ok, :f :acquire, :process 0}
//   {:type :ok, :f :release, :process 0}
//
// Each operation that succeeded took effect between its two events; one whose
// outcome is unknown did so after its invocation, or never.  The places in the
// order of effects belong to acquires and releases by turns, so operations of
// one sort differ only in how long they can wait.  It is therefore enough to
// wait until an operation ends, and to put it in place then; if an operation of
// the other sort has to come before it, that is the one that ends first of all
// that have begun.  Any order of effects can be turned into this one: where the
// two differ first, swap the operations of the two, which are of one sort.
#include "config.h"

#include "models/models.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

enum sort { ACQUIRE, RELEASE, SORTS };

#define NO_OP UINT32_MAX

struct lock_ending {
  uint64_t at;
  uint32_t op;
};

// The order of effects so far.
struct effects {
  const struct log *log;
  enum sort *sorts; // by operation
  bool *placed;
  struct lock_ending
      *endings; // of operations that succeeded, the first one first
  uint32_t nendings;
  uint32_t begun; // operations from this one on have not begun
  // Operations that have begun and are not in place.
  uint32_t waiting[SORTS], in_doubt[SORTS];
  uint32_t last[SORTS]; // in place; NO_OP: none, or one in doubt
  enum sort next;
};

static int by_end_of_lock(const void *a, const void *b) {
  const struct lock_ending *x = a, *y = b;
  return (x->at > y->at) - (x->at < y->at);
}

static void learn_lock_effects(struct effects *e) {
  const struct log *log = e->log;
  for (uint32_t i = 0; i < log->nops; i++) {
    const struct log_op *op = &log->ops[i];
    e->sorts[i] = log_op_is(log, op, "acquire") ? ACQUIRE : RELEASE;
    if (op->outcome == OUTCOME_OK)
      e->endings[e->nendings++] = (struct lock_ending){op->completed, i};
  }
  qsort(e->endings, e->nendings, sizeof *e->endings, by_end_of_lock);
}

static void begin_before(struct effects *e, uint64_t at) {
  const struct log *log = e->log;
  for (; e->begun < log->nops && log->ops[e->begun].invoked < at; e->begun++) {
    const enum outcome outcome = log->ops[e->begun].outcome;
    e->waiting[e->sorts[e->begun]] += outcome == OUTCOME_OK;
    e->in_doubt[e->sorts[e->begun]] += outcome == OUTCOME_UNKNOWN;
  }
}

static void place_lock(struct effects *e, uint32_t op) {
  const enum sort sort = e->sorts[op];
  assert(sort == e->next && !e->placed[op]);
  e->placed[op] = true;
  e->waiting[sort]--;
  e->last[sort] = op;
  e->next = !sort;
}

// Puts an operation of the next sort in place: of those that wait, the one that
// ends first, from that ending on.  False: none has begun.
static bool place_next_lock(struct effects *e, uint32_t ending) {
  if (e->waiting[e->next]) {
    uint32_t op;
    do
      op = e->endings[ending++].op;
    while (e->placed[op] || e->sorts[op] != e->next || op >= e->begun);
    place_lock(e, op);
    return true;
  }
  if (!e->in_doubt[e->next])
    return false;
  e->in_doubt[e->next]--;
  e->last[e->next] = NO_OP;
  e->next = !e->next;
  return true;
}

static void tell_lock(const struct effects *e, uint32_t op,
                      struct model_answer *answer) {
  const enum sort sort = e->sorts[op];
  if (sort == ACQUIRE)
    model_break(answer, "HeldTwice",
                "An acquire succeeded while the lock was held: no release is "
                "left that may have come before it.");
  else
    model_break(answer, "NotHeld",
                "A release succeeded while nobody held the lock: no acquire "
                "is left that may have come before it.");
  if (e->last[sort] != NO_OP)
    model_show(e->log, answer, e->last[sort]);
  model_show(e->log, answer, op);
}

// Stops at the first operation that no order of effects has room for.
static void put_in_order(struct effects *e, struct model_answer *answer) {
  for (uint32_t i = 0; i < e->nendings; i++) {
    const uint32_t op = e->endings[i].op;
    begin_before(e, e->endings[i].at);
    answer->checked++;
    if (e->placed[op])
      continue;
    if (e->sorts[op] != e->next && !place_next_lock(e, i)) {
      tell_lock(e, op, answer);
      return;
    }
    place_lock(e, op);
  }
}

static int hold_mutex(const struct log *log, const int64_t *options,
                      struct model_answer *answer, struct error *error) {
  (void)options, (void)error;
  struct effects e = {.log = log, .last = {NO_OP, NO_OP}};
  e.sorts = xmalloc((log->nops + 1) * sizeof *e.sorts);
  e.placed = xcalloc(log->nops + 1, sizeof *e.placed);
  e.endings = xmalloc((log->nops + 1) * sizeof *e.endings);
  learn_lock_effects(&e);
  put_in_order(&e, answer);
  if (!answer->checked)
    model_leave_open(answer, "No acquire and no release succeeded.");
  FREE_EACH(e.sorts, e.placed, e.endings);
  return 0;
}

const struct log_model model_mutex = {
    .name = "mutex",
    .summary = "a lock is acquired and released by turns",
    .counts = "effects",
    .functions = {"acquire", "release"},
    .check = hold_mutex};
