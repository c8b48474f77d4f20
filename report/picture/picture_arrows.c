// SPDX-License-Identifier: GPL-3.0-or-later
// The arrows of a picture (report/picture/picture_laying.h): where each one
// starts and ends, and the lane that it has for itself.
#include "config.h"

#include "report/picture/picture_laying.h"

#include <string.h>

enum { LANE_APART = 4 }; // two arrows of a lane

static double middle_of(const struct laying *l, uint32_t txn, uint32_t op,
                        bool end) {
  const struct picture_event *event =
      op == EXAMPLE_NONE ? NULL : laying_event(l, txn, op, EVENT_STATEMENT);
  const struct picture_box *box = &l->p->boxes[txn];
  const double y = event ? event->y : end ? box->bottom - PICTURE_ROW : box->y;
  return y + PICTURE_ROW / 2.0;
}

static bool is_neighbor(const struct laying *l, uint32_t from, uint32_t to) {
  const struct picture_box *a = &l->p->boxes[from], *b = &l->p->boxes[to];
  if (a->column != b->column || a->y > b->y)
    return false;
  for (uint32_t t = 0; t < l->e->ntxns; t++)
    if (l->p->boxes[t].drawn && l->p->boxes[t].column == a->column &&
        l->p->boxes[t].y > a->y && l->p->boxes[t].y < b->y)
      return false;
  return true;
}

static void start_arrow(struct laying *l, uint32_t i) {
  const struct example_edge *edge = &l->e->edges[i];
  if (!edge->number || edge->from == edge->to ||
      !l->p->boxes[edge->from].drawn || !l->p->boxes[edge->to].drawn)
    return;
  const bool straight =
      !strcmp(edge->kind, "SO") && is_neighbor(l, edge->from, edge->to);
  l->p->arrows[l->p->narrows++] = (struct picture_arrow){
      .edge = i,
      .straight = straight,
      .y1 = straight ? l->p->boxes[edge->from].bottom
                     : middle_of(l, edge->from, edge->from_op, true) - 4,
      .y2 = straight ? l->p->boxes[edge->to].y
                     : middle_of(l, edge->to, edge->to_op, false) + 4};
}

double laying_length(const struct picture_arrow *a) {
  return a->y1 > a->y2 ? a->y1 - a->y2 : a->y2 - a->y1;
}

static void sort_arrows(struct laying *l) {
  struct picture_arrow *a = l->p->arrows;
  for (uint32_t i = 1; i < l->p->narrows; i++)
    for (uint32_t k = i; k > 0; k--) {
      const bool one = l->e->edges[a[k - 1].edge].on_cycle;
      const bool other = l->e->edges[a[k].edge].on_cycle;
      if (one > other ||
          (one == other && laying_length(&a[k - 1]) <= laying_length(&a[k])))
        break;
      const struct picture_arrow later = a[k - 1];
      a[k - 1] = a[k];
      a[k] = later;
    }
}

static bool meets(const struct picture_arrow *a,
                  const struct picture_arrow *b) {
  const double top = a->y1 < a->y2 ? a->y1 : a->y2;
  const double low = b->y1 < b->y2 ? b->y1 : b->y2;
  return top <= low + laying_length(b) + LANE_APART &&
         low <= top + laying_length(a) + LANE_APART;
}

// The first lane of a channel in which the arrow meets none of the `before`
// ones.
static uint32_t free_lane(const struct laying *l, uint32_t channel,
                          uint32_t before) {
  const struct picture_arrow *a = l->p->arrows;
  uint32_t lane = 0;
  for (uint32_t i = 0; i < before; i++)
    if (!a[i].straight && a[i].channel == channel && a[i].lane == lane &&
        meets(&a[i], &a[before])) {
      lane++;
      i = UINT32_MAX; // begin again
    }
  return lane;
}

// Channel c is to the right of column c.
static void choose_lane(struct laying *l, uint32_t i) {
  struct picture_arrow *a = &l->p->arrows[i];
  const struct example_edge *edge = &l->e->edges[a->edge];
  const uint32_t from = l->p->boxes[edge->from].column;
  const uint32_t to = l->p->boxes[edge->to].column;
  const uint32_t count = from < to ? to - from : from > to ? from - to : 1;
  const int step = from <= to ? 1 : -1;
  uint32_t channel = from <= to ? from : from - 1;
  a->channel = channel;
  for (uint32_t k = 1; k < count; k++) {
    channel += (uint32_t)step;
    if (l->lanes[channel] < l->lanes[a->channel])
      a->channel = channel;
  }
  a->lane = free_lane(l, a->channel, i);
  if (a->lane >= l->lanes[a->channel])
    l->lanes[a->channel] = a->lane + 1;
}

void laying_place_arrows(struct laying *l) {
  for (uint32_t i = 0; i < l->e->nedges; i++)
    start_arrow(l, i);
  sort_arrows(l);
  for (uint32_t i = 0; i < l->p->narrows; i++)
    if (!l->p->arrows[i].straight)
      choose_lane(l, i);
}
