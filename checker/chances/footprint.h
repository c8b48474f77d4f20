// SPDX-License-Identifier: GPL-3.0-or-later
// Which keys each transaction of a history used, and how.
#ifndef CHECKER_CHANCES_FOOTPRINT_H
#define CHECKER_CHANCES_FOOTPRINT_H

#include "recorder/history.h"

// A set of what a transaction does with a key.  A register that it has written
// itself shows nothing of others, so that reads after that are only USE_LOOK.
enum use {
  USE_READ = 1,
  USE_READ_LIST = 2, // then USE_READ, too
  USE_REREAD = 4,    // more than once
  USE_WRITE = 8,
  USE_REWRITE = 16, // more than once
  USE_LOOK = 32,    // a read of any kind
  USE_LEAVE = 64,   // a write that the database did not refuse: then USE_WRITE,
                    // too
};

// A set of what a transaction does within itself.
enum habit {
  HABIT_READ = 1,              // it reads
  HABIT_READ_THEN_WRITE = 2,   // it writes a key that it has read
  HABIT_WRITE_THEN_READ = 4,   // it reads a key that it has written
  HABIT_REWRITE_THEN_READ = 8, // and that it has written more than once
};

enum {
  FOOTPRINT_KEYS = 64
}; // of a transaction; what it does with more keys
   // is left out

// Footprints are taken when they are first asked for.
struct footprints {
  const struct history *history;
  uint8_t *count;  // per transaction: keys; UINT8_MAX: not taken yet
  uint8_t *habits; // per transaction
  uint32_t *key;   // from the number of its first operation on: ascending, none
                   // twice
  uint8_t *use;    // of that key
};

struct footprint {
  uint32_t count;
  unsigned habits;
  const uint32_t *key;
  const uint8_t *use;
};

void footprints_open(struct footprints *footprints,
                     const struct history *history);
void footprints_close(struct footprints *footprints);
struct footprint footprint_of(struct footprints *footprints, uint32_t txn);

#endif
