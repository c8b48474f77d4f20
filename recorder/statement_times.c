// SPDX-License-Identifier: GPL-3.0-or-later
// Packs the times of statements (recorder/statement_times.h).  Every number is
// the distance from the one before it, which may be negative, seven bits a
// byte; within a block of statements the first one is a distance from 0.
#include "config.h"

#include "recorder/statement_times.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

enum {
  BLOCK = 64,   // statements
  MOST = 10,    // bytes of a number
  MORE = 1 << 7 // the bit of a byte that is not the last one of its number
};

// Small where the distance is, in either direction.
static uint64_t without_sign(uint64_t distance) {
  return distance << 1 ^ (distance >> 63 ? UINT64_MAX : 0);
}

static uint64_t with_sign(uint64_t number) {
  return number >> 1 ^ (number & 1 ? UINT64_MAX : 0);
}

static void put_distance(struct packed_times *t, uint64_t distance) {
  uint64_t left = without_sign(distance);
  assert(t->nbytes + MOST <= t->bytes_room);
  for (; left >= MORE; left >>= 7)
    t->bytes[t->nbytes++] = (uint8_t)(left | MORE);
  t->bytes[t->nbytes++] = (uint8_t)left;
}

static uint64_t take_distance(const uint8_t **at) {
  uint64_t number = 0;
  unsigned shift = 0;
  for (; **at & MORE; ++*at, shift += 7)
    number |= (uint64_t)(**at & (MORE - 1)) << shift;
  number |= (uint64_t) * (*at)++ << shift;
  return with_sign(number);
}

void statement_times_add(struct packed_times *t, struct statement_times added) {
  if (t->nbytes + 2 * MOST > t->bytes_room) {
    t->bytes_room = t->bytes_room ? 2 * t->bytes_room : 64 * MOST;
    t->bytes = xrealloc(t->bytes, t->bytes_room, 1);
  }
  if (t->count % BLOCK == 0) {
    const uint32_t nblocks = t->count / BLOCK;
    ARRAY_RESERVE(t->block, nblocks, t->block_room);
    t->block[nblocks] = t->nbytes;
    t->last = 0;
  }
  put_distance(t, added.begin - t->last);
  put_distance(t, added.end - added.begin);
  t->last = added.end;
  t->count++;
}

struct statement_times statement_times_at(const struct packed_times *t,
                                          uint32_t statement) {
  assert(statement < t->count);
  const uint8_t *at = t->bytes + t->block[statement / BLOCK];
  struct statement_times times = {0, 0};
  for (uint32_t s = statement / BLOCK * BLOCK; s <= statement; s++) {
    times.begin = times.end + take_distance(&at);
    times.end = times.begin + take_distance(&at);
  }
  return times;
}

void statement_times_trim(struct packed_times *t) {
  if (!t->count)
    return;
  t->bytes = xrealloc(t->bytes, t->nbytes, 1);
  t->bytes_room = t->nbytes;
}

void statement_times_free(struct packed_times *t) {
  FREE_EACH(t->bytes, t->block);
  *t = (struct packed_times){0};
}
