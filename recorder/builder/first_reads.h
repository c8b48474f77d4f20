// SPDX-License-Identifier: GPL-3.0-or-later
// The initial values of a history that starts in the middle of things.
#ifndef RECORDER_BUILDER_FIRST_READS_H
#define RECORDER_BUILDER_FIRST_READS_H

#include "recorder/history.h"

// Infers initial values: the value of a key that nobody wrote and that was read
// first is taken for the value of the key at the start (for a list, the
// elements at its front that nobody appended).  A read is first if it began
// first or, without times, comes first in its session; transactions that do not
// count (history_counted) are passed over.  Every other value that nobody wrote
// stays from thin air.  A list is taken only if all lists that transactions
// that count read of the key start with it.
void history_take_first_reads(struct history *history);

// Reads that count and saw what nobody wrote; and how many of them saw the same
// as the very first read of their key, as most do where a history starts in the
// middle of things.
struct unwritten {
  uint32_t reads, at_first;
  bool alike;     // all of them are of registers, and saw this value...
  uint64_t value; // (of the history, see history_value)
  bool written;   // ...which somebody wrote to another key
};
struct unwritten history_unwritten(const struct history *history);

#endif
