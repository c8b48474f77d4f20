// SPDX-License-Identifier: GPL-3.0-or-later
// A radix sort: two million events are in order after four or five passes
// (checker/model/time_events.h).
#include "config.h"

#include "checker/model/time_events.h"

#include <assert.h>

enum {
  DIGIT_BITS = 11,
  NDIGITS = 1 << DIGIT_BITS,
  FEW = 32 // instants, which are faster inserted one by one
};

static unsigned digit(uint64_t time, unsigned shift) {
  return (unsigned)(time >> shift) & (NDIGITS - 1);
}

// One pass of a radix sort by how long after `low` they are.
static void sort_by_digit(const struct instant *from, struct instant *to,
                          uint32_t n, uint64_t low, unsigned shift) {
  uint32_t place[NDIGITS] = {0};
  for (uint32_t i = 0; i < n; i++)
    place[digit(from[i].time - low, shift)]++;
  uint32_t sum = 0;
  for (unsigned d = 0; d < NDIGITS; d++) {
    const uint32_t count = place[d];
    place[d] = sum;
    sum += count;
  }
  for (uint32_t i = 0; i < n; i++)
    to[place[digit(from[i].time - low, shift)]++] = from[i];
}

// Keeps the order of equal ones, as the radix sort does.
static void insert_each(struct instant *instants, uint32_t n) {
  for (uint32_t i = 1; i < n; i++) {
    const struct instant next = instants[i];
    uint32_t at = i;
    for (; at > 0 && instants[at - 1].time > next.time; at--)
      instants[at] = instants[at - 1];
    instants[at] = next;
  }
}

struct instant *instants_sort(struct instant *instants, struct instant *spare,
                              uint32_t n) {
  assert(n == 0 || (instants && spare && instants != spare));
  uint64_t low = UINT64_MAX, high = 0;
  if (n <= FEW) {
    insert_each(instants, n);
    return instants;
  }
  for (uint32_t i = 0; i < n; i++) {
    low = instants[i].time < low ? instants[i].time : low;
    high = instants[i].time > high ? instants[i].time : high;
  }
  for (unsigned shift = 0; shift < 64 && (high - low) >> shift;
       shift += DIGIT_BITS) {
    sort_by_digit(instants, spare, n, low, shift);
    struct instant *sorted = spare;
    spare = instants;
    instants = sorted;
  }
  return instants;
}
