// SPDX-License-Identifier: GPL-3.0-or-later
// The events of a history on its way into a format: an invocation and a
// completion for each transaction, in the order of their times.
#ifndef RECORDER_FORMATS_EVENTS_H
#define RECORDER_FORMATS_EVENTS_H

#include "recorder/formats/export.h"

struct call_event {
  uint64_t index; // of all events, from 0
  uint32_t session, txn;
  bool invocation;
  bool alone;    // a completion that no invocation stands for: it is not known
                 // when its transaction began, or ended
  uint64_t time; // or TIME_UNKNOWN
};

// Tells all events, until writing->failed.  The event's transaction is good
// until the next one.
void events_tell(struct export_writing *writing,
                 void (*tell)(void *context, const struct call_event *event),
                 void *context);

#endif
