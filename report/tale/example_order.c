// SPDX-License-Identifier: GPL-3.0-or-later
// Orders the steps of a counterexample (report/tale/example_order.h).
#include "config.h"

#include "report/tale/example_order.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct timed_step {
  uint64_t time;
  uint32_t position; // steps of one time stay as they are
  struct ordered_step step;
};

static int by_time_of_step(const void *a, const void *b) {
  const struct timed_step *x = a, *y = b;
  if (x->time != y->time)
    return x->time < y->time ? -1 : 1;
  return (x->position > y->position) - (x->position < y->position);
}

static bool txn_has_times(const struct example_txn *txn) {
  return txn->begin != TIME_UNKNOWN && txn->end != TIME_UNKNOWN &&
         txn->end >= txn->begin;
}

// A statement stands where it was answered or, if that is not known, at an even
// share of its transaction's time.
static uint64_t time_of_ordered_op(const struct example *e,
                                   const struct example_txn *txn, uint32_t op) {
  const uint64_t share =
      (txn->end - txn->begin) / (txn->end_op - txn->first_op + 1);
  return e->ops[op].end != TIME_UNKNOWN
             ? e->ops[op].end
             : txn->begin + share * (op - txn->first_op + 1);
}

// ---- Places that let each read return what it did

// Moves a read before the commit of who replaced what it returned: it may have
// been sent before, and answered after it.
static void move_before(const struct example *e,
                        const struct example_edge *edge, uint64_t *times) {
  const struct example_txn *reader = &e->txns[edge->from];
  const uint64_t commit = e->txns[edge->to].end;
  for (uint32_t op = edge->from_op + 1; op-- > reader->first_op;)
    if (times[op] >= commit)
      times[op] = commit - 1;
}

// Moves a read whose time is a guess behind the commit of what it returned.
static void move_behind(const struct example *e,
                        const struct example_edge *edge, uint64_t *times) {
  const struct example_txn *reader = &e->txns[edge->to];
  const uint64_t commit = e->txns[edge->from].end;
  for (uint32_t op = edge->to_op; op < reader->end_op; op++)
    if (times[op] <= commit)
      times[op] = commit + 1;
}

// By operation.  A transaction that began after the other one had ended, or
// ended before, stays where it was: that is what is wrong with it.
static uint64_t *find_op_times(const struct example *e) {
  uint64_t *times = xcalloc((size_t)e->nops + 1, sizeof *times);
  for (uint32_t t = 0; t < e->ntxns; t++)
    for (uint32_t op = e->txns[t].first_op;
         op < e->txns[t].end_op && txn_has_times(&e->txns[t]); op++)
      times[op] = time_of_ordered_op(e, &e->txns[t], op);
  for (uint32_t i = 0; i < e->nedges; i++) {
    const struct example_edge *edge = &e->edges[i];
    assert(edge->from < e->ntxns && edge->to < e->ntxns);
    const struct example_txn *from = &e->txns[edge->from];
    const struct example_txn *to = &e->txns[edge->to];
    if (from->end == TIME_UNKNOWN || to->end == TIME_UNKNOWN)
      continue;
    if (!strcmp(edge->kind, "RW") && edge->from_op != EXAMPLE_NONE &&
        from->begin < to->end)
      move_before(e, edge, times);
    else if (!strcmp(edge->kind, "WR") && edge->to_op != EXAMPLE_NONE &&
             e->ops[edge->to_op].end == TIME_UNKNOWN && from->end < to->end)
      move_behind(e, edge, times);
  }
  return times;
}

// ---- The steps

static bool find_column(struct example_order *o, uint32_t session,
                        uint32_t *column) {
  uint32_t i = 0;
  while (i < o->ncolumns && o->sessions[i] != session)
    i++;
  *column = i;
  if (i == ORDER_MOST_SESSIONS)
    return false;
  if (i == o->ncolumns)
    o->sessions[o->ncolumns++] = session;
  return true;
}

static bool add_steps_of_txn(struct example_order *o, const struct example *e,
                             uint32_t t, const uint64_t *times,
                             struct timed_step *all) {
  const struct example_txn *txn = &e->txns[t];
  struct ordered_step step = {t, EXAMPLE_NONE, true, 0};
  if (!txn_has_times(txn) || !find_column(o, txn->session, &step.column))
    return false;
  uint32_t n = o->nsteps;
  all[n] = (struct timed_step){txn->begin, n, step};
  n++;
  step.is_begin = false;
  for (uint32_t op = txn->first_op; op < txn->end_op; op++, n++) {
    step.op = op;
    all[n] = (struct timed_step){times[op], n, step};
  }
  step.op = EXAMPLE_NONE;
  all[n] = (struct timed_step){txn->end, n, step};
  o->nsteps = n + 1;
  return true;
}

bool example_order_steps(struct example_order *o, const struct example *e) {
  *o = (struct example_order){0};
  if (!e->ntxns || e->ntxns > ORDER_MOST_TXNS)
    return false;
  const uint32_t most = e->nops + 2 * e->ntxns;
  struct timed_step *all = xcalloc(most, sizeof *all);
  uint64_t *times = find_op_times(e);
  bool fits = true;
  for (uint32_t t = 0; t < e->ntxns && fits; t++)
    fits = add_steps_of_txn(o, e, t, times, all);
  free(times);
  qsort(all, o->nsteps, sizeof *all, by_time_of_step);
  o->steps = xcalloc(most, sizeof *o->steps);
  for (uint32_t i = 0; i < o->nsteps; i++)
    o->steps[i] = all[i].step;
  free(all);
  return fits;
}

void example_order_free(struct example_order *o) {
  free(o->steps);
  *o = (struct example_order){0};
}
