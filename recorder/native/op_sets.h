// SPDX-License-Identifier: GPL-3.0-or-later
// Up to 64 operations that follow each other as sets of bits, by what they do.
// Going through a set, the processor need not guess what comes next, as it
// would have to operation by operation.
#ifndef RECORDER_NATIVE_OP_SETS_H
#define RECORDER_NATIVE_OP_SETS_H

#include "base/bytes.h"
#include "base/operation.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define EACH_BYTE(byte) (UINT64_C(0x0101010101010101) * (byte))
_Static_assert(OP_IS_READ == 1 << 0 && OP_IS_WRITE == 1 << 1 &&
                   OP_IS_LIST == 1 << 2,
               "which bit of a kind is which");

enum { OP_SET_MOST = 64 }; // operations

struct op_set {
  uint32_t size;
  uint64_t reads, writes, lists; // as enum op_kind has it
};

enum { OP_SET_STEP = 16 };

// Bit i of the result is bit `bit` of kind[i], for 16 kinds.
static inline uint64_t kinds_with(const uint8_t *kind, int bit) {
#ifdef __SSE2__
  __m128i kinds;
  memcpy(&kinds, kind, sizeof kinds);
  return (uint64_t)_mm_movemask_epi8(_mm_slli_epi64(kinds, 7 - bit));
#else
  const uint64_t first = load64(kind) >> bit & EACH_BYTE(1);
  const uint64_t last = load64(kind + 8) >> bit & EACH_BYTE(1);
  const uint64_t gather = UINT64_C(0x0102040810204080);
  return first * gather >> 56 | last * gather >> 56 << 8;
#endif
}

// The sets of n operations, OP_SET_MOST at most.
static inline __attribute__((always_inline)) struct op_set
op_set_of(const uint8_t *kind, uint32_t n) {
  struct op_set set = {.size = n};
  uint8_t last[OP_SET_STEP] = {0};
  for (uint32_t i = 0; i < n; i += OP_SET_STEP) {
    const uint8_t *step = kind + i;
    if (n - i < OP_SET_STEP)
      step = memcpy(last, step, n - i);
    set.reads |= kinds_with(step, 0) << i;
    set.writes |= kinds_with(step, 1) << i;
    set.lists |= kinds_with(step, 2) << i;
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
