// SPDX-License-Identifier: GPL-3.0-or-later
// Chances that a transaction is by itself, or by what came before or after it.
// All transactions are looked at, in one pass.
#ifndef CHECKER_CHANCES_SINGLE_H
#define CHECKER_CHANCES_SINGLE_H

#include "base/stop.h"
#include "recorder/history.h"

// A read of a transaction that counts can be several of these at once.
enum read_kind {
  NO_READ,
  READ_ANY,
  READ_THEN_WRITTEN, // of a key that its transaction writes later
  READ_WRITTEN,      // of a key that it has written
  READ_REWRITTEN,    // more than once
  READ_OF_SESSION,   // of a key that an earlier transaction of its session
                     // wrote
  READ_OF_ENDED,     // ...that one wrote which ended before it began
  READ_KINDS
};

// How many reads there are of each kind.  `counted` per transaction: did it
// commit, as far as anybody knows?  `time`: the history has times, and
// READ_OF_ENDED is looked for.  Of both functions: what was counted when the
// patience ended says nothing.
void singles_of_reads(const struct history *history, const uint8_t *counted,
                      bool time, struct patience *patience,
                      uint64_t count[READ_KINDS]);

// Committed transactions that append to a list to which a later one of their
// session, or with `time` one that began after they had ended, appends what a
// third one reads.
uint64_t singles_of_appends(const struct history *history,
                            const uint8_t *counted, bool time,
                            struct patience *patience);

#endif
