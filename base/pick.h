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

#endif
