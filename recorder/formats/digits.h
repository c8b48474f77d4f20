// SPDX-License-Identifier: GPL-3.0-or-later
// Whole numbers in texts.
#ifndef RECORDER_FORMATS_DIGITS_H
#define RECORDER_FORMATS_DIGITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DIGITS_MAX = 19 }; // of a number that is sure to fit

// Reads all digits at `p` and returns how many there are; what they say is
// `*number`, if they are no more than DIGITS_MAX.
static inline size_t digits_read(const char *p, uint64_t *number) {
  const char *const start = p;
  for (*number = 0; *p >= '0' && *p <= '9'; p++)
    *number = *number * 10 + (uint64_t)(*p - '0');
  return (size_t)(p - start);
}

// Do the `n` digits that it read at `p` say a number below 2^64?  Where there
// is one more than is sure to fit, what does not has lost its highest part.
static inline bool digits_fit(const char *p, size_t n, uint64_t number) {
  return n && (n <= DIGITS_MAX || (n == DIGITS_MAX + 1 && *p == '1' &&
                                   number >= UINT64_C(10000000000000000000)));
}

#endif
