// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of a picture (report/picture/picture_laying.h): time runs downwards.
#include "config.h"

#include "report/picture/picture_laying.h"

#include <string.h>

enum {
  GAP = 10,         // between boxes of a column
  SESSION_GAP = 34, // the same, with an arrow in it
};

static bool has_session_arrow(const struct laying *l, uint32_t from,
                              uint32_t to) {
  for (uint32_t i = 0; i < l->e->nedges; i++)
    if (l->e->edges[i].number && l->e->edges[i].from == from &&
        l->e->edges[i].to == to && !strcmp(l->e->edges[i].kind, "SO"))
      return true;
  return false;
}

// The first session of a column is named in the head, a later one above its
// box.
static void begin_box(struct laying *l, uint32_t txn) {
  struct picture_column *column = &l->columns[l->p->boxes[txn].column];
  const bool first = column->above == EXAMPLE_NONE;
  const bool same =
      !first && l->e->txns[column->above].session == l->e->txns[txn].session;
  const double least =
      column->bottom +
      (has_session_arrow(l, column->above, txn) ? SESSION_GAP : GAP);
  if (!first && l->y < least)
    l->y = least;
  if (first)
    laying_add_session(l, txn, PICTURE_TOP);
  else if (!same) {
    laying_add_session(l, txn, l->y);
    l->y += PICTURE_ROW;
  }
  column->above = txn;
  l->p->boxes[txn].y = l->y;
}

// A dotted line from where a statement was sent to where it was answered.
static void place_waits(struct laying *l) {
  for (uint32_t i = 0; i < l->nevents; i++) {
    const struct picture_event *sent = &l->events[i];
    if (sent->kind != EVENT_WAIT)
      continue;
    const struct picture_event *answered =
        laying_event(l, sent->txn, sent->op, EVENT_STATEMENT);
    l->p->waits[l->p->nwaits++] =
        (struct picture_wait){.x = l->p->boxes[sent->txn].column,
                              .y = sent->y,
                              .bottom = answered->y};
  }
}

// Are there statements of the transaction before and behind the event, by times
// that are known?
static bool lies_between(const struct laying *l,
                         const struct picture_event *event, uint32_t txn) {
  bool before = false, behind = false;
  for (uint32_t i = 0; i < l->nevents; i++) {
    const struct picture_event *o = &l->events[i];
    if (o->txn != txn || o->kind != EVENT_STATEMENT)
      continue;
    if (l->e->ops[o->op].end == TIME_UNKNOWN)
      return false;
    before |= o < event;
    behind |= o > event;
  }
  return before && behind;
}

static void place_row_of_commit(struct laying *l, uint32_t txn,
                                uint32_t other) {
  const struct picture_event *end =
      laying_event(l, txn, EXAMPLE_NONE, EVENT_END);
  if (!end || strcmp(l->e->txns[txn].outcome, "committed") != 0 ||
      l->p->boxes[txn].column == l->p->boxes[other].column ||
      !lies_between(l, end, other))
    return;
  l->p->commits[l->p->ncommits++] =
      (struct picture_commit){.txn = txn, .other = other, .y = end->y};
  laying_add_commit(l, txn, other, end->y);
}

// Where it is about two transactions.
void laying_place_commits(struct laying *l) {
  uint32_t core[2], ncore = 0;
  for (uint32_t t = 0; t < l->e->ntxns; t++) {
    if (l->p->boxes[t].core && ncore < 2)
      core[ncore] = t;
    ncore += l->p->boxes[t].core;
  }
  if (!l->e->timed || ncore != 2)
    return;
  place_row_of_commit(l, core[0], core[1]);
  place_row_of_commit(l, core[1], core[0]);
}

void laying_place_rows(struct laying *l) {
  l->y = PICTURE_TOP + PICTURE_ROW;
  for (uint32_t i = 0; i < l->nevents; i++) {
    struct picture_event *event = &l->events[i];
    struct picture_box *box = &l->p->boxes[event->txn];
    if (event->kind == EVENT_BEGIN)
      begin_box(l, event->txn);
    event->y = l->y;
    l->y += event->kind == EVENT_STATEMENT
                ? laying_height_of_op(&l->e->ops[event->op])
                : PICTURE_ROW;
    box->bottom = l->y;
    l->columns[box->column].bottom = l->y;
    laying_add_words(l, event);
  }
  l->p->height = l->y + PICTURE_TOP;
  place_waits(l);
}
