// SPDX-License-Identifier: GPL-3.0-or-later
// Columns of numbers (recorder/native/column.h).  The loops that unpack are
// kept so plain that the compiler turns them into vector instructions.
#include "config.h"

#include "recorder/native/column.h"

#include "base/bytes.h"

#include <assert.h>
#include <stdbool.h>

enum { BLOCK = 16 }; // numbers

static void store_header(unsigned char *out, uint8_t id, uint8_t width,
                         uint32_t count, uint64_t base) {
  assert(width <= 8);
  out[0] = id;
  out[1] = width;
  store16(out + 2, 0);
  store32(out + 4, count);
  store64(out + 8, base);
}

// Bytes needed for the bits in which the numbers differ.
static uint8_t width_of_numbers(uint64_t differ) {
  return differ ? (uint8_t)((63 - __builtin_clzll(differ)) / 8 + 1) : 0;
}

static uint64_t low_bytes(unsigned width) {
  assert(width <= 8);
  return width == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * width) - 1;
}

// The bits in which some number is not as the first one.
static uint64_t bits_that_differ(const uint64_t *values, uint32_t count) {
  typedef uint64_t pair __attribute__((vector_size(16)));
  const uint64_t *const end = values + count;
  const uint64_t first = count ? values[0] : 0;
  const pair firsts = {first, first};
  pair even = {0}, odd = {0}, a, b;
  uint64_t differ = 0;
  for (; end - values >= 4; values += 4) {
    memcpy(&a, values, sizeof a);
    memcpy(&b, values + 2, sizeof b);
    even |= a ^ firsts;
    odd |= b ^ firsts;
  }
  for (; values < end; values++)
    differ |= *values ^ first;
  even |= odd;
  return differ | even[0] | even[1];
}

// Every number is stored as eight bytes of which the next one overwrites what
// is too much.
static inline void pack(unsigned char *out, size_t width,
                        const uint64_t *values, uint32_t count,
                        unsigned shift) {
  const uint64_t *const end = values + count;
  for (; end - values >= 4; values += 4, out += 4 * width) {
    store64(out, values[0] >> shift);
    store64(out + width, values[1] >> shift);
    store64(out + 2 * width, values[2] >> shift);
    store64(out + 3 * width, values[3] >> shift);
  }
  for (; values < end; values++, out += width)
    store64(out, *values >> shift);
}

unsigned char *column_store_bits(unsigned char *out, uint8_t id,
                                 const uint64_t *values, uint32_t count,
                                 unsigned shift, unsigned bits) {
  assert(shift + bits <= 64);
  const uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
  const uint8_t width =
      width_of_numbers(bits_that_differ(values, count) >> shift & mask);
  const uint64_t first = count ? values[0] >> shift & mask : 0;
  store_header(out, id, width, count, first & ~low_bytes(width));
  out += COLUMN_HEADER_BYTES;
  if (width && shift)
    pack(out, width, values, count, shift);
  else if (width)
    pack(out, width, values, count, 0);
  return out + width * (size_t)count;
}

unsigned char *column_store(unsigned char *out, uint8_t id,
                            const uint64_t *values, uint32_t count) {
  return column_store_bits(out, id, values, count, 0, 64);
}

unsigned char *column_store_bytes(unsigned char *out, uint8_t id,
                                  const uint8_t *values, uint32_t count) {
  const bool vary = count && memcmp(values, values + 1, count - 1) != 0;
  store_header(out, id, vary, count, vary || !count ? 0 : values[0]);
  out += COLUMN_HEADER_BYTES;
  if (!vary)
    return out;
  memcpy(out, values, count);
  return out + count;
}

const unsigned char *column_load(const unsigned char *p, size_t bytes,
                                 struct packed_column *column) {
  if (bytes < COLUMN_HEADER_BYTES || p[1] > 8 || load16(p + 2) != 0)
    return NULL;
  *column = (struct packed_column){.id = p[0],
                                   .width = p[1],
                                   .count = load32(p + 4),
                                   .base = load64(p + 8),
                                   .data = p + COLUMN_HEADER_BYTES};
  size_t size = column->width * (size_t)column->count;
  return size <= bytes - COLUMN_HEADER_BYTES ? column->data + size : NULL;
}

// Sets all n numbers at once, in blocks of a known length, of which compilers
// make vector instructions: number i to `base` and what is at p, `step` bytes
// further on than that of the one before.
#define SET_ALL(type, step, entry)                                             \
  do {                                                                         \
    for (; n >= BLOCK; n -= BLOCK, values += BLOCK, p += BLOCK * (step))       \
      for (size_t i = 0; i < BLOCK; i++)                                       \
        values[i] = (type)(base + (entry));                                    \
    for (size_t i = 0; i < n; i++)                                             \
      values[i] = (type)(base + (entry));                                      \
    return;                                                                    \
  } while (0)

void column_unpack(const struct packed_column *column, uint32_t from,
                   uint32_t n, uint64_t *restrict values) {
  assert(from <= column->count && n <= column->count - from);
  const unsigned width = column->width;
  const unsigned char *restrict p = column->data + width * (size_t)from;
  const uint64_t base = column->base;
  const uint64_t mask = low_bytes(width);
  switch (width) {
  case 0:
    SET_ALL(uint64_t, 0, 0);
  case 1:
    SET_ALL(uint64_t, 1, p[i]);
  case 2:
    SET_ALL(uint64_t, 2, load16(p + 2 * i));
  case 3:
    SET_ALL(uint64_t, 3, load32(p + 3 * i) & 0xffffff);
  case 4:
    SET_ALL(uint64_t, 4, load32(p + 4 * i));
  default:
    SET_ALL(uint64_t, width, load64(p + width * i) & mask);
  }
}

// Only the lowest four bytes of wider entries matter.
void column_unpack32(const struct packed_column *column, uint32_t from,
                     uint32_t n, uint32_t *restrict values) {
  assert(from <= column->count && n <= column->count - from);
  assert(column->width <= 8);
  const unsigned width = column->width;
  const unsigned char *restrict p = column->data + width * (size_t)from;
  const uint32_t base = (uint32_t)column->base;
  switch (width) {
  case 0:
    SET_ALL(uint32_t, 0, 0);
  case 1:
    SET_ALL(uint32_t, 1, p[i]);
  case 2:
    SET_ALL(uint32_t, 2, load16(p + 2 * i));
  case 3:
    SET_ALL(uint32_t, 3, load32(p + 3 * i) & 0xffffff);
  case 4:
    SET_ALL(uint32_t, 4, load32(p + 4 * i));
  default:
    SET_ALL(uint32_t, width, load32(p + width * i));
  }
}

void column_unpack8(const struct packed_column *column, uint8_t *values) {
  const unsigned char *p = column->data;
  const uint8_t base = (uint8_t)column->base;
  if (!column->width)
    memset(values, base, column->count);
  else if (column->width == 1 && !base)
    memcpy(values, p, column->count);
  else
    for (size_t i = 0; i < column->count; i++)
      values[i] = (uint8_t)(base + p[column->width * i]);
}

bool column_is_below(const struct packed_column *column, uint64_t limit) {
  const uint64_t most = low_bytes(column->width);
  return column->base < limit && limit - column->base > most;
}
