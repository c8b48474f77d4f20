// SPDX-License-Identifier: GPL-3.0-or-later
// Whole numbers in texts, eight digits at a time.
#ifndef RECORDER_FORMATS_DIGITS_H
#define RECORDER_FORMATS_DIGITS_H

#include "recorder/bytes.h"

#include <stdbool.h>
#include <stddef.h>

enum { DIGITS_MAX = 19 }; // of a number that is sure to fit

// How many digits stand at the start of eight characters, of which '0' was
// taken away bit by bit.
static inline unsigned digits_count(uint64_t digits) {
  const uint64_t other = ((digits + UINT64_C(0x7676767676767676)) | digits) &
                         UINT64_C(0x8080808080808080);
  return other ? (unsigned)__builtin_ctzll(other) / 8 : 8;
}

// What eight digits say: of pairs, then fours, then all.
static inline uint64_t digits_value(uint64_t digits) {
  digits = (digits * 10 + (digits >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
  digits = (digits * 100 + (digits >> 16)) & UINT64_C(0x0000ffff0000ffff);
  return (digits * 10000 + (digits >> 32)) & UINT32_MAX;
}

// Reads all digits at `p` and returns how many there are; what they say is
// `*number`, if they are no more than DIGITS_MAX.  Seven bytes more are there
// behind the first one that is no digit, as in the window of an input.
static inline size_t digits_read(const char *p, uint64_t *number) {
  static const uint64_t powers[] = {1,      10,      100,      1000,     10000,
                                    100000, 1000000, 10000000, 100000000};
  const char *const start = p;
  unsigned n;
  *number = 0;
  do {
    const uint64_t digits =
        load64((const unsigned char *)p) ^ UINT64_C(0x3030303030303030);
    n = digits_count(digits);
    if (n)
      *number = *number * powers[n] + digits_value(digits << (64 - 8 * n));
    p += n;
  } while (n == 8);
  return (size_t)(p - start);
}

// Do the `n` digits that it read at `p` say a number below 2^64?  Where there
// is one more than is sure to fit, what does not has lost its highest part.
static inline bool digits_fit(const char *p, size_t n, uint64_t number) {
  return n && (n <= DIGITS_MAX || (n == DIGITS_MAX + 1 && *p == '1' &&
                                   number >= UINT64_C(10000000000000000000)));
}

#endif
