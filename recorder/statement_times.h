// SPDX-License-Identifier: GPL-3.0-or-later
// The times of a history's statements, packed: each is told by what passed
// since the one before it, in as few bytes as that takes, six for both as a
// rule.
#ifndef RECORDER_STATEMENT_TIMES_H
#define RECORDER_STATEMENT_TIMES_H

#include "sql/statement.h"

#include <stddef.h>
#include <stdint.h>

// All zero is empty.  Free with statement_times_free.
struct packed_times {
  uint8_t *bytes;
  size_t nbytes, bytes_room;
  size_t *block; // where the bytes of every so many statements begin
  uint32_t count, block_room;
  uint64_t last; // the end of the last one
};

// Appends those of one more statement, in ns.
void statement_times_add(struct packed_times *times,
                         struct statement_times added);

// Those of a statement; there are `count`.
struct statement_times statement_times_at(const struct packed_times *times,
                                          uint32_t statement);

// Gives back the room for more.
void statement_times_trim(struct packed_times *times);
void statement_times_free(struct packed_times *times);

#endif
