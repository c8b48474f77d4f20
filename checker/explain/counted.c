// SPDX-License-Identifier: GPL-3.0-or-later
// Notes what counted violations rest on (checker/explain/counted.h).
#include "config.h"

#include "checker/explain/counted.h"

#include "base/memory.h"
#include "checker/graph/classify.h"

#include <stdlib.h>

static void note_counted(struct example_tally *tally, enum anomaly anomaly,
                         uint32_t op) {
  ARRAY_RESERVE(tally->counted, tally->ncounted, tally->counted_room);
  tally->counted[tally->ncounted++] =
      (struct counted_op){tally->nviolations, op, anomaly};
}

void counted_note_read(struct example_tally *tally, enum anomaly anomaly,
                       uint32_t op) {
  note_counted(tally, anomaly, op);
  tally->nviolations++;
}

void counted_note_cycle(struct example_tally *tally,
                        const struct cycle *cycle) {
  bool missed = false;
  for (uint32_t i = 0; i < cycle->nedges; i++)
    missed |= cycle->edges[i].kind == EDGE_RW;
  for (uint32_t i = 0; i < cycle->nedges; i++) {
    const struct edge *edge = &cycle->edges[i];
    if (edge->kind == (missed ? EDGE_RW : EDGE_WR))
      note_counted(tally, cycle->anomaly, missed ? edge->from_op : edge->to_op);
  }
  tally->nviolations++;
}

struct example_tally counted_of(struct verdict *verdict) {
  const uint32_t n = verdict->ncounted;
  const struct example_tally tally = {
      .counted = verdict->counted,
      .ncounted = n,
      .counted_room = n,
      .nviolations = n ? verdict->counted[n - 1].number + 1 : 0};
  verdict->counted = NULL;
  verdict->ncounted = 0;
  return tally;
}

void counted_take(struct example_tally *tally, struct example_tally *other,
                  const uint32_t *ops, const struct check_options *beyond) {
  const uint32_t first = tally->nviolations;
  for (uint32_t i = 0; i < other->ncounted; i++) {
    const struct counted_op *o = &other->counted[i];
    const enum anomaly anomaly = (enum anomaly)o->anomaly;
    tally->nviolations = first + o->number;
    if (!beyond || !anomaly_breaks(anomaly, beyond))
      note_counted(tally, anomaly, ops ? ops[o->op] : o->op);
  }
  tally->nviolations = first + other->nviolations;
  free(other->counted);
  other->counted = NULL;
  other->ncounted = other->counted_room = 0;
}
