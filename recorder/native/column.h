// SPDX-License-Identifier: GPL-3.0-or-later
// Columns of numbers: a base and, for each number, as many low bytes of what it
// is above the base as the largest one needs (recorder/native/FORMAT.md).
#ifndef RECORDER_NATIVE_COLUMN_H
#define RECORDER_NATIVE_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  COLUMN_HEADER_BYTES = 16,
  COLUMN_SLACK = 8, // bytes behind a column that may be read and, when it is
                    // stored, overwritten
};

struct packed_column {
  const unsigned char *data; // count * width bytes
  uint64_t base;
  uint32_t count;
  uint8_t id, width; // width: 0 to 8
};

// Bytes that a column of so many numbers may need, slack included.
static inline size_t column_bound(size_t count) {
  return COLUMN_HEADER_BYTES + count * 8 + COLUMN_SLACK;
}

// Writes a column to `out`; returns where the next one goes.
unsigned char *column_store(unsigned char *out, uint8_t id,
                            const uint64_t *values, uint32_t count);
unsigned char *column_store_bytes(unsigned char *out, uint8_t id,
                                  const uint8_t *values, uint32_t count);
// The bits from `shift` on of each value, so many of them.
unsigned char *column_store_bits(unsigned char *out, uint8_t id,
                                 const uint64_t *values, uint32_t count,
                                 unsigned shift, unsigned bits);

// Reads the header of the column at `p`, which has `bytes` bytes up to the end
// of the chunk.  Returns where the next one starts, or NULL if it does not fit.
const unsigned char *column_load(const unsigned char *p, size_t bytes,
                                 struct packed_column *column);

// The numbers from..from + n - 1 of a column, modulo 2^64, 2^32 or 2^8.
void column_unpack(const struct packed_column *column, uint32_t from,
                   uint32_t n, uint64_t *values);
void column_unpack32(const struct packed_column *column, uint32_t from,
                     uint32_t n, uint32_t *values);
void column_unpack8(const struct packed_column *column, uint8_t *values);

// Are all numbers that such a column could have below `limit`?
bool column_is_below(const struct packed_column *column, uint64_t limit);

#endif
