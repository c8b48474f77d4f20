// SPDX-License-Identifier: GPL-3.0-or-later
// Chances that a transaction is by itself, or by what came before or after it.
// All transactions are looked at, in one pass.
#ifndef CHECKER_CHANCES_SINGLE_H
#define CHECKER_CHANCES_SINGLE_H

#include "recorder/history.h"

// A set of what a transaction does.
enum habit {
  HABIT_READ = 1,              // it reads
  HABIT_READ_THEN_WRITE = 2,   // it writes a key that it has read
  HABIT_WRITE_THEN_READ = 4,   // it reads a key that it has written
  HABIT_REWRITE_THEN_READ = 8, // and that it has written more than once
  HABIT_READ_SESSION = 16,     // it reads a key that an earlier transaction of
                               // its session wrote
  HABIT_READ_ENDED = 32,       // ...that one wrote which ended before it began
  HABIT_SETS = 64
};

// How many transactions do just that, by set of habits.  `counted` per
// transaction: did it commit, as far as anybody knows?  `time`: the history has
// times, and HABIT_READ_ENDED is looked for.
void singles_count(const struct history *history, const uint8_t *counted,
                   bool time, uint64_t by_set[HABIT_SETS]);

// Committed transactions that append to a list to which a later one of their
// session, or with `time` one that began after they had ended, appends what a
// third one reads.
uint64_t singles_of_appends(const struct history *history,
                            const uint8_t *counted, bool time);

#endif
