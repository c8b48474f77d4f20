// SPDX-License-Identifier: GPL-3.0-or-later
// Chances that are one row which a statement found by its condition.  All
// statements are looked at, in one pass.
#ifndef CHECKER_CHANCES_FOUND_H
#define CHECKER_CHANCES_FOUND_H

#include "base/stop.h"
#include "recorder/history.h"

struct found_rows {
  uint64_t all;
  uint64_t unchanged; // rows that were there at first, and of which nobody ever
                      // changes a column in the condition
};

// Rows that statements of transactions that count found.  `plain_reads`: the
// unchanged ones are those of plain SELECTs.  Where the patience ended, the
// counts say nothing.
void found_rows_count(struct found_rows *found, const struct history *history,
                      const uint8_t *counted, bool plain_reads,
                      struct patience *patience);

// The kinds of operations, without the reads of statements other than plain
// SELECTs if these are the only reads.  To be freed.
uint8_t *kinds_that_count(const struct history *history, bool plain_reads);

#endif
