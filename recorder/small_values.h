// SPDX-License-Identifier: GPL-3.0-or-later
// Writes by key and value where values are small: most generators count the
// writes of each key, and number its values so.  Then a table that has room for
// twice as many values as the key has writes knows the writer without a search,
// and nothing has to be guessed about what comes next.
#ifndef RECORDER_SMALL_VALUES_H
#define RECORDER_SMALL_VALUES_H

#include "base/pick.h"
#include "recorder/history.h"

struct small_values {
  uint64_t lowest;  // the value of the first entry of every key
  uint32_t *first;  // per key: its first entry; the next one's is its end
  uint32_t *writer; // per entry: operation + 1, or 0; NULL: not in use.  One
                    // more, `none`, is of no value
  uint32_t none;
};

// Makes an empty table for the values of a history of registers, `lowest` or
// more.  It is not in use if most of them do not seem to be small.
void small_values_open(struct small_values *small, const struct history *h,
                       uint64_t lowest);
void small_values_close(struct small_values *small);

// The entry of a value of a key: small->none if it has none.
static inline uint32_t small_values_entry(const struct small_values *small,
                                          uint32_t key, uint64_t value) {
  const uint32_t first = small->first[key];
  const uint64_t n = small->first[key + 1] - first, i = value - small->lowest;
  return pick(i < n, first + (uint32_t)i, small->none);
}

#endif
