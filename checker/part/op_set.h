// SPDX-License-Identifier: GPL-3.0-or-later
// Looks up where an operation is among those that are taken from a history.
#ifndef CHECKER_PART_OP_SET_H
#define CHECKER_PART_OP_SET_H

#include "checker/part/subhistory.h"

struct places {
  const struct operations *ops;
  uint64_t *bits; // per operation of the whole; NULL: they are few
  uint32_t *rank; // how many there are before those of each word
};

// The operations, which are ascending, must stay.
struct places places_open(const struct history *whole,
                          const struct operations *ops);
void places_close(struct places *places);

// UINT32_MAX: it is not taken.
uint32_t places_find(const struct places *places, uint32_t op);

#endif
