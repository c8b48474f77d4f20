// SPDX-License-Identifier: GPL-3.0-or-later
// Up to 64 operations that follow each other as sets of bits, by what they do.
// Going through a set, the processor need not guess what comes next, as it
// would have to operation by operation.
#ifndef RECORDER_FORMATS_NATIVE_SETS_H
#define RECORDER_FORMATS_NATIVE_SETS_H

#include "base/operation.h"
#include "recorder/bytes.h"

#define EACH_BYTE(byte) (UINT64_C(0x0101010101010101) * (byte))

enum { OP_SET_MOST = 64 }; // operations

struct op_set {
  uint32_t size;
  uint64_t reads, writes, lists; // as enum op_kind has it
};

// Which of eight kinds have a property.
static inline uint64_t kinds_with(uint64_t eight, enum op_kind property) {
  const uint64_t ones = eight / property & EACH_BYTE(1);
  return ones * UINT64_C(0x0102040810204080) >> 56;
}

// Of n operations, OP_SET_MOST at most.
static inline __attribute__((always_inline)) struct op_set
op_set_of(const uint8_t *kind, uint32_t n) {
  struct op_set set = {.size = n};
  for (uint32_t i = 0; i < n; i += 8) {
    const uint32_t left = n - i;
    uint64_t eight = 0;
    if (left >= 8)
      eight = load64(kind + i);
    else
      memcpy(&eight, kind + i, left);
    set.reads |= kinds_with(eight, OP_IS_READ) << i;
    set.writes |= kinds_with(eight, OP_IS_WRITE) << i;
    set.lists |= kinds_with(eight, OP_IS_LIST) << i;
  }
  return set;
}

// Takes the first one out, and says which it was; there is one.
static inline uint32_t op_set_take(uint64_t *set) {
  const unsigned first = (unsigned)__builtin_ctzll(*set);
  *set &= *set - 1;
  return first;
}

#endif
