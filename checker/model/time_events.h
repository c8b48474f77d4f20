// SPDX-License-Identifier: GPL-3.0-or-later
// Begins and ends in the order in which they happened.
#ifndef CHECKER_MODEL_TIME_EVENTS_H
#define CHECKER_MODEL_TIME_EVENTS_H

#include <stdint.h>

struct instant {
  uint64_t time;
  uint32_t id; // of a transaction or event
};

// Sorts them by time; those of one time stay in their order.  Returns whichever
// of the two arrays, both with room for n, holds the result.
struct instant *instants_sort(struct instant *instants, struct instant *spare,
                              uint32_t n);

#endif
