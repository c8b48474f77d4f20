// SPDX-License-Identifier: GPL-3.0-or-later
// Up to 64 operations that follow each other as sets of bits: their reads,
// their writes.  Going through a set, the processor need not guess which of the
// two comes next, as it would have to operation by operation.
#ifndef RECORDER_FORMATS_NATIVE_SETS_H
#define RECORDER_FORMATS_NATIVE_SETS_H

#include "base/operation.h"
#include "recorder/bytes.h"

#define EACH_BYTE(byte) (UINT64_C(0x0101010101010101) * (byte))

struct op_set {
  uint32_t size;
  uint64_t reads, writes;
};

// The lowest bits of the eight bytes, as one byte.
static inline uint64_t lowest_bits(uint64_t bytes) {
  return (bytes & EACH_BYTE(1)) * UINT64_C(0x0102040810204080) >> 56;
}

// Of the first of n operations, all of which are OP_READ or OP_WRITE.
static inline struct op_set op_set_of(const uint8_t *kind, uint32_t n) {
  struct op_set set = {.size = n < 64 ? n : 64};
  uint32_t i = 0;
  for (; i + 8 <= set.size; i += 8)
    set.writes |= lowest_bits(load64(kind + i) >> 1) << i;
  for (; i < set.size; i++)
    set.writes |= (uint64_t)(kind[i] >> 1) << i;
  set.reads = ~set.writes & UINT64_MAX >> (64 - set.size);
  return set;
}

// Takes the first one out, and says which it was; there is one.
static inline uint32_t op_set_take(uint64_t *set) {
  const uint32_t first = (uint32_t)__builtin_ctzll(*set);
  *set &= *set - 1;
  return first;
}

#endif
