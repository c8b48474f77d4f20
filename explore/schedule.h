// SPDX-License-Identifier: GPL-3.0-or-later
// Is there a schedule of the events of a history that shows that it keeps the
// levels of its transactions?  For the levels that no demand of single reads
// decides: pc, si, ser, rc-statement, any mix of them with others, and reads
// for update.
#ifndef EXPLORE_SCHEDULE_H
#define EXPLORE_SCHEDULE_H

#include "explore/partial.h"

enum { SCHEDULE_MAX_EVENTS = 4096 };

enum schedule_kind {
  SCHEDULE_READS,    // sees what is committed last, and takes its locks
  SCHEDULE_SNAPSHOT, // sees it; locks are taken later
  SCHEDULE_PLAIN,    // the snapshot of mysql-rr, of what is not READ_NEWEST
  SCHEDULE_LOCKS,    // a statement that saw it earlier takes its locks
};

struct schedule_event {
  uint8_t t;
  uint8_t kind; // enum schedule_kind
  bool commits;
  uint32_t first_read, end_read; // in partial.reads
};

// Does the event decide what the read returns; does it take its lock?
bool schedule_sees(const struct partial *partial,
                   const struct schedule_event *event, uint32_t read);
bool schedule_locks(const struct partial *partial,
                    const struct schedule_event *event, uint32_t read);

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
