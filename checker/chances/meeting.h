// SPDX-License-Identifier: GPL-3.0-or-later
// Which transactions overlapped in time, and what each did with the keys of
// the other.
#ifndef CHECKER_CHANCES_MEETING_H
#define CHECKER_CHANCES_MEETING_H

#include "checker/chances/footprint.h"

// Two transactions that met.  Bit i is key i of the first one's footprint.
struct meeting {
  uint32_t txn, other, session;           // the session is the other one's
  uint64_t reads, rereads, writes, lists; // of the first one
  uint64_t other_reads, other_writes, other_rewrites, other_leaves;
};

// All meetings of a transaction in which one of the two wrote a key of the
// other; `room` for any number.
struct meetings {
  uint32_t count, room;
  struct meeting *items;
};

struct calendar {
  const struct history *history;
  struct footprints *footprints;
  uint32_t *cursor; // per session: no transaction before it meets those asked
                    // about from here on
  uint64_t steps;   // that were taken so far, as a measure of the time
};

void calendar_open(struct calendar *calendar, const struct history *history,
                   struct footprints *footprints);
void calendar_close(struct calendar *calendar);

// Start over: the transactions of a session are asked about in their order.
void calendar_rewind(struct calendar *calendar);
// Fills in the meetings of a transaction of the session; free `items` at last.
void calendar_find(struct calendar *calendar, uint32_t session, uint32_t txn,
                   struct meetings *meetings);

#endif
