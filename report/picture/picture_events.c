// SPDX-License-Identifier: GPL-3.0-or-later
// The events of a picture in the order of time
// (report/picture/picture_laying.h).
#include "config.h"

#include "report/picture/picture_laying.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static void happen(struct laying *l, uint32_t txn, uint32_t op,
                   enum event_kind kind, uint64_t time) {
  ARRAY_RESERVE(l->events, l->nevents, l->room);
  l->events[l->nevents] = (struct picture_event){
      .time = time, .txn = txn, .op = op, .order = l->nevents, .kind = kind};
  l->nevents++;
}

// A transaction whose end is not known goes on until its session does.
static uint64_t event_end_of(const struct laying *l, uint32_t txn) {
  const struct example_txn *t = &l->e->txns[txn];
  uint64_t end = t->end;
  for (uint32_t u = txn + 1; u < l->e->ntxns && end == TIME_UNKNOWN; u++)
    if (l->e->txns[u].session == t->session && l->p->boxes[u].drawn)
      end = l->e->txns[u].begin;
  return end;
}

// Where it stands: at its answer or, where that is not known, at an even share
// of its transaction's time.
static uint64_t time_of_op(const struct laying *l, uint32_t txn, uint32_t op) {
  const struct example_txn *t = &l->e->txns[txn];
  const uint64_t answered = l->e->ops[op].end;
  const uint64_t nth = op - t->first_op + 1, of = t->end_op - t->first_op + 1;
  if (!l->e->timed)
    return txn;
  if (answered != TIME_UNKNOWN)
    return answered;
  const uint64_t end = event_end_of(l, txn);
  return end == TIME_UNKNOWN ? t->begin + nth
                             : t->begin + (end - t->begin) / of * nth;
}

// Did another transaction end while the statement was waiting for its answer?
static bool waits(const struct laying *l, uint32_t txn, uint32_t op) {
  const struct example_op *o = &l->e->ops[op];
  if (!l->e->timed || o->begin == TIME_UNKNOWN || o->end == TIME_UNKNOWN)
    return false;
  for (uint32_t t = 0; t < l->e->ntxns; t++)
    if (t != txn && l->p->boxes[t].drawn && l->e->txns[t].end > o->begin &&
        l->e->txns[t].end < o->end)
      return true;
  return false;
}

// Is it of the statement of the operation before?
static bool is_of_same(const struct laying *l, uint32_t txn, uint32_t op) {
  const struct example_op *o = &l->e->ops[op];
  return op > l->e->txns[txn].first_op && o[-1].begin == o->begin &&
         o[-1].end == o->end;
}

static bool has_end(const struct laying *l, uint32_t txn) {
  return l->p->boxes[txn].core || example_has_rows(l->e) ||
         strcmp(l->e->txns[txn].outcome, "committed") != 0;
}

static void list_events(struct laying *l, uint32_t txn) {
  const struct example_txn *t = &l->e->txns[txn];
  const bool timed = l->e->timed;
  uint64_t last = timed ? t->begin : txn;
  happen(l, txn, EXAMPLE_NONE, EVENT_BEGIN, last);
  for (uint32_t op = t->first_op; op < t->end_op; op++) {
    if (waits(l, txn, op) && !is_of_same(l, txn, op))
      happen(l, txn, op, EVENT_WAIT, l->e->ops[op].begin);
    const uint64_t time = time_of_op(l, txn, op);
    last = time > last ? time : last;
    happen(l, txn, op, EVENT_STATEMENT, last);
  }
  if (has_end(l, txn))
    happen(l, txn, EXAMPLE_NONE, EVENT_END, timed ? event_end_of(l, txn) : txn);
}

static int by_time_of_event(const void *a, const void *b) {
  const struct picture_event *x = a, *y = b;
  if (x->time != y->time)
    return x->time < y->time ? -1 : 1;
  return (x->order > y->order) - (x->order < y->order);
}

const struct picture_event *laying_event(const struct laying *l, uint32_t txn,
                                         uint32_t op, enum event_kind kind) {
  for (uint32_t i = 0; i < l->nevents; i++)
    if (l->events[i].txn == txn && l->events[i].op == op &&
        l->events[i].kind == kind)
      return &l->events[i];
  return NULL;
}

void laying_list_events(struct laying *l) {
  for (uint32_t t = 0; t < l->e->ntxns; t++)
    if (l->p->boxes[t].drawn)
      list_events(l, t);
  qsort(l->events, l->nevents, sizeof *l->events, by_time_of_event);
}
