// SPDX-License-Identifier: GPL-3.0-or-later
// Writes by value where values are near each other: most generators that make
// values unique in the whole history count them, in all or by session.  Then
// values in a row share a block of a table, those that are told one after the
// other are found one beside the other, and there is no doubt about the value,
// only about the key.
#ifndef RECORDER_NEAR_VALUES_H
#define RECORDER_NEAR_VALUES_H

#include "recorder/history.h"
#include "recorder/number_map.h"

enum { NEAR_BLOCK = 256 }; // values

struct near_values {
  // By hash: the values of a block divided by NEAR_BLOCK, and its first entry,
  // 0 if there is none: the block at 0 is of no values.
  struct near_block {
    uint64_t number;
    uint32_t first;
  } * blocks;
  uint32_t mask, nentries, room;
  struct near_write {
    uint32_t key, writer; // operation + 1, or 0
  } * writes;             // NULL: not in use
};

// Makes an empty table for so many writes.
void near_values_open(struct near_values *near, uint32_t nwrites);
void near_values_close(struct near_values *near);

// The entry of a value that is going to be written.  0: the blocks hold too few
// of them each, so that there is no more room.
uint32_t near_values_add(struct near_values *near, uint64_t value);

// The entry of a value; one without a writer if none is near it.
static inline uint32_t near_values_entry(const struct near_values *near,
                                         uint64_t value) {
  const uint64_t number = value / NEAR_BLOCK;
  uint32_t i = (uint32_t)number_mix(number) & near->mask;
  while (near->blocks[i].first && near->blocks[i].number != number)
    i = (i + 1) & near->mask;
  return near->blocks[i].first + (uint32_t)(value % NEAR_BLOCK);
}

#endif
