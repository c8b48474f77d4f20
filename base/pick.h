// SPDX-License-Identifier: GPL-3.0-or-later
// Unpredictable choices, such as whether an operation of a history reads or
// writes, made by arithmetic: a mispredicted branch costs the time of dozens of
// instructions.
#ifndef BASE_PICK_H
#define BASE_PICK_H

#include <stdbool.h>
#include <stdint.h>

// `number` if so, else 0.
static inline uint32_t pick_if(bool so, uint32_t number) {
  return number & -(uint32_t)so;
}

// `number` if so, else `other`.
static inline uint32_t pick(bool so, uint32_t number, uint32_t other) {
  return other ^ pick_if(so, number ^ other);
}

// Puts the larger one of each pair into `largest`.  Both have n numbers, a
// constant, so that the compiler can take several at once.
static inline void pick_larger(uint32_t *restrict largest,
                               const uint32_t *restrict others, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    largest[i] = others[i] > largest[i] ? others[i] : largest[i];
}

#endif
