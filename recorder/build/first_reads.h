// SPDX-License-Identifier: GPL-3.0-or-later
// The initial values of a history that starts in the middle of things.
#ifndef RECORDER_BUILD_FIRST_READS_H
#define RECORDER_BUILD_FIRST_READS_H

#include "recorder/history.h"

// Of each key, what the first read that saw something nobody wrote had seen is
// taken for what was there at the start (of a list: the elements at its front
// that nobody appended).  First is what began first or, without times, what
// comes first in its session; transactions that do not count (history_counted)
// are not asked.  What else nobody wrote stays from thin air.  A list is taken
// only if all lists read of its key start with it, by transactions that count.
void history_take_first_reads(struct history *history);

// Reads that count and saw what nobody wrote; and how many of them saw the same
// as the very first read of their key, as most do where a history starts in the
// middle of things.
struct unwritten {
  uint32_t reads, at_first;
};
struct unwritten history_unwritten(const struct history *history);

#endif
