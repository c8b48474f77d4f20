// SPDX-License-Identifier: GPL-3.0-or-later
// The text of chunks that say of which run a file is a part and what is known
// of its clock (recorder/native/FORMAT.md).
#ifndef RECORDER_RECORD_PART_NOTE_H
#define RECORDER_RECORD_PART_NOTE_H

#include <stdbool.h>
#include <stdint.h>

// The first one of a file; `exact`: its times are those of the first part.  To
// be freed.
char *part_note_head(uint64_t run, uint32_t rank, uint32_t nranks,
                     const char *host, bool exact);

// At the time `at` of this file the first part's time was from low to high ns
// more.  To be freed.
char *part_note_bound(int64_t at, int64_t low, int64_t high);

// Takes such a text apart.  Lines that are not known are left out.
struct part_note {
  bool has_head;
  uint64_t run;
  uint32_t rank, nranks;
  bool exact, bounded;
  int64_t at, low, high; // if it is bounded
};
struct part_note part_note_read(const char *text);

#endif
