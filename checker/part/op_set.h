// SPDX-License-Identifier: GPL-3.0-or-later
// Looks up where an operation is among those that are taken from a history.
#ifndef CHECKER_PART_OP_SET_H
#define CHECKER_PART_OP_SET_H

#include "checker/part/subhistory.h"

struct op_set {
  const struct operations *ops;
  uint64_t *bits; // per operation of the whole; NULL: they are few
  uint32_t *rank; // how many there are before those of each word
};

// The operations, which are ascending, must stay.
struct op_set op_set_open(const struct history *whole,
                          const struct operations *ops);
void op_set_close(struct op_set *set);

// UINT32_MAX: it is not taken.
uint32_t op_set_find(const struct op_set *set, uint32_t op);

#endif
