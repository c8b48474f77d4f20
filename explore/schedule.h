// SPDX-License-Identifier: GPL-3.0-or-later
// Is there a schedule of the events of a history that shows that it keeps the
// levels of its transactions?  For the levels that no demand of single reads
// decides: pc, si, ser, rc-statement, any mix of them with others, and reads
// for update.
#ifndef EXPLORE_SCHEDULE_H
#define EXPLORE_SCHEDULE_H

#include "explore/partial.h"

enum { SCHEDULE_MAX_EVENTS = 4096 };

struct schedule_event {
  uint8_t t;
  bool commits;
  uint32_t first_read, end_read; // in partial.reads: what it sees
};

struct schedule {
  uint32_t nevents;
  struct schedule_event events[SCHEDULE_MAX_EVENTS];
};

// Does it need one at these levels?
bool schedule_is_needed(const struct program *program, const uint8_t *levels);

// Is there one?  The first found goes into `schedule`, which may be NULL.
bool schedule_find(const struct partial *partial, const uint8_t *levels,
                   struct schedule *schedule);

// Asks about the part of the history that no swap can change
// (explore/PROOF.md): the causal past of the reads that are swapped or far, up
// to them.
bool schedule_core(const struct partial *partial, const uint8_t *levels);

#endif
