// SPDX-License-Identifier: GPL-3.0-or-later
// The longest list that was read of each key.  Whatever order the transactions
// took, it is what their appends make, one after the other, and every other
// list that was read is a beginning of it.
#ifndef CHECKER_LONGEST_H
#define CHECKER_LONGEST_H

#include "recorder/history.h"

#include <stdbool.h>
#include <stdint.h>

struct longest {
  const struct history *h;
  const uint32_t *value; // per version (ambiguity_values)
  uint32_t *list;        // per key; UINT32_MAX: none was read
  uint8_t *fits;         // per list: it is a beginning of the longest
  uint32_t *first;       // per key: of the longest list, in `append`
  uint32_t *append;      // what was noted there
};

// Of transactions that committed.  Both are kept.  Free with longest_close.
void longest_open(struct longest *longest, const struct history *history,
                  const uint32_t *value);
void longest_close(struct longest *longest);

// Was what the append appends read behind so many others of its key?
bool longest_goes_on_with(const struct longest *longest, uint32_t op,
                          uint32_t length);

// Notes that it comes there.  False: something else was read.
bool longest_append(struct longest *longest, uint32_t op, uint32_t length);

// Is what a list read shows there, where the key's list is so long?
bool longest_shows(const struct longest *longest, uint32_t op, uint32_t length);

// What was noted of the place in its list, or UINT32_MAX.
uint32_t longest_append_at(const struct longest *longest, uint32_t key,
                           uint32_t place);

#endif
