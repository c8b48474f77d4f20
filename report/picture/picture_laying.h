// SPDX-License-Identifier: GPL-3.0-or-later
// The stages that lay a picture out (report/picture/picture.h), in this order:
// which boxes are drawn, columns, events, rows with their words, arrows in
// lanes, and last the widths, which decide where everything is.
#ifndef REPORT_PICTURE_PICTURE_LAYING_H
#define REPORT_PICTURE_PICTURE_LAYING_H

#include "report/picture/picture.h"

#include <stdbool.h>
#include <stdint.h>

enum {
  PICTURE_TOP = 6,   // above the head
  PICTURE_LANE = 22, // from one lane to the next
};

enum event_kind { EVENT_BEGIN, EVENT_WAIT, EVENT_STATEMENT, EVENT_END };

struct picture_event {
  uint64_t time;
  uint32_t txn, op, order; // of events of a transaction: as it did them
  enum event_kind kind;
  double y;
};

struct picture_column {
  double bottom;  // of the box above
  uint32_t above; // its transaction
  double x, width;
};

struct laying {
  struct picture *p;
  const struct example *e;
  struct picture_event *events;
  uint32_t nevents, room;
  uint32_t *sessions, nsessions; // column by column, before any share one
  struct picture_column *columns;
  uint32_t *lanes; // per channel
  double y;
};

// report/picture/picture_columns.c: chooses the boxes that are drawn, and a
// column for each of them.
void laying_choose_boxes(struct laying *laying);
void laying_place_columns(struct laying *laying);

// report/picture/picture_events.c: lists the events of all boxes, in the order
// of time.
void laying_list_events(struct laying *laying);
// The statement's event of that kind, or NULL.
const struct picture_event *laying_event(const struct laying *laying,
                                         uint32_t txn, uint32_t op,
                                         enum event_kind kind);

// report/picture/picture_words.c: the words of an event, of a session's head,
// and of the times beside all events.
void laying_add_words(struct laying *laying, const struct picture_event *event);
void laying_add_session(struct laying *laying, uint32_t txn, double y);
void laying_add_times(struct laying *laying);
void laying_add_commit(struct laying *laying, uint32_t txn, uint32_t other,
                       double y);
// Rows that the words of a statement take, at least one, and their height.
uint32_t laying_rows_of_op(const struct example_op *op);
double laying_height_of_op(const struct example_op *op);

// report/picture/picture_rows.c: gives each event its rows and words, and each
// statement that waits its line.
void laying_place_rows(struct laying *laying);
// Finds the commits that are drawn across, and adds their words.
void laying_place_commits(struct laying *laying);

// report/picture/picture_arrows.c: gives each arrow its ends and a lane of its
// own.
void laying_place_arrows(struct laying *laying);
double laying_length(const struct picture_arrow *arrow);

// report/picture/picture_widths.c: places columns, words and arrows from left
// to right.
void laying_place_widths(struct laying *laying);

#endif
