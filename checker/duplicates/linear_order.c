// SPDX-License-Identifier: GPL-3.0-or-later
// An order of the operations on a register from the steps that led to a
// configuration (checker/duplicates/register_order.h).  The events are gone
// through once more.  A read that begins waits until what it finds is there; a
// write that finds nothing waits for its own step or, if it has none, for that
// of another such write, which overwrites it at once.
#include "config.h"

#include "checker/duplicates/register_order.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

#define NONE LINEAR_NONE

struct telling {
  const struct linear_op *ops;
  uint32_t value;
  uint32_t *order, n;
  uint8_t *has_step;           // per operation that is not open
  uint32_t *waiting, nwaiting; // reads and writes
  uint32_t *open, nopen;       // open ones that have begun
};

static void begin(struct telling *t, uint32_t id) {
  const struct linear_op *op = &t->ops[id];
  const bool is_read = op->left == NONE;
  if (op->open && !is_read)
    t->open[t->nopen++] = id;
  else if (op->needed && op->reads == is_read && !t->has_step[id])
    t->waiting[t->nwaiting++] = id;
}

static bool is_over(const struct telling *t, uint32_t id, bool overwritten) {
  const struct linear_op *op = &t->ops[id];
  return op->reads ? !overwritten && op->found == t->value : overwritten;
}

// The reads that find what is there or, before it is overwritten, the writes.
static void end_waiting(struct telling *t, bool overwritten) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < t->nwaiting; i++) {
    const uint32_t id = t->waiting[i];
    if (is_over(t, id, overwritten))
      t->order[t->n++] = id;
    else
      t->waiting[kept++] = id;
  }
  t->nwaiting = kept;
}

static bool does_the_same(const struct linear_op *a,
                          const struct linear_op *b) {
  return a->left == b->left && a->reads == b->reads &&
         (!a->reads || a->found == b->found);
}

static uint32_t take_open(struct telling *t, uint32_t like) {
  uint32_t i = 0;
  while (!does_the_same(&t->ops[t->open[i]], &t->ops[like]))
    i++;
  assert(i < t->nopen);
  const uint32_t id = t->open[i];
  t->open[i] = t->open[--t->nopen];
  return id;
}

static void take_step(struct telling *t, uint32_t op) {
  const uint32_t id = t->ops[op].open ? take_open(t, op) : op;
  if (!t->ops[id].reads)
    end_waiting(t, true);
  t->order[t->n++] = id;
  t->value = t->ops[id].left;
  end_waiting(t, false);
}

// Lists the steps and returns how many they are.
static uint32_t list_steps(const struct linear_step *steps, uint32_t last,
                           struct linear_step **list) {
  uint32_t n = 0, at;
  for (uint32_t s = last; s != NONE; s = steps[s].before)
    n++;
  *list = xmalloc(n * sizeof **list);
  at = n;
  for (uint32_t s = last; s != NONE; s = steps[s].before)
    (*list)[--at] = steps[s];
  return n;
}

void linear_tell(const struct linear_op *ops, const struct linear_event *events,
                 uint32_t nevents, uint32_t initial,
                 const struct linear_step *steps, uint32_t last,
                 uint32_t *order) {
  struct linear_step *list;
  struct telling t = {.ops = ops, .value = initial, .order = order};
  const uint32_t n = list_steps(steps, last, &list);
  t.has_step = xcalloc(nevents, 1);
  t.waiting = xmalloc(nevents * sizeof *t.waiting);
  t.open = xmalloc(nevents * sizeof *t.open);
  for (uint32_t i = 0; i < n; i++)
    t.has_step[list[i].op] = 1;
  for (uint32_t e = 0, i = 0; e < nevents; e++) {
    if (!events[e].end) {
      begin(&t, events[e].op);
      end_waiting(&t, false);
    }
    for (; i < n && list[i].event == e; i++)
      take_step(&t, list[i].op);
  }
  assert(t.nwaiting == 0);
  order[t.n] = NONE;
  FREE_EACH(list, t.has_step, t.waiting, t.open);
}
