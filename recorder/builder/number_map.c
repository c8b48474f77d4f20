// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers to dense ids (recorder/builder/number_map.h).  Small numbers, of
// which most maps are full, have a table; all others are hashed: open
// addressing, a power of two of slots, at most half of them full.
#include "config.h"

#include "recorder/builder/number_map.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL_MIN = 1024, SMALL_END = 1 << 20 };

bool number_map_cover(struct number_map *map, uint64_t most) {
  if (most >= SMALL_END)
    return false;
  if (most >= map->nsmall) {
    uint32_t n = map->nsmall ? map->nsmall : SMALL_MIN;
    while (n <= most)
      n *= 2;
    map->small = xrealloc(map->small, n, sizeof *map->small);
    memset(map->small + map->nsmall, 0, (n - map->nsmall) * sizeof *map->small);
    map->nsmall = n;
  }
  return true;
}

static uint32_t *number_slot(const struct number_map *map, uint64_t number) {
  uint32_t mask = map->nslots - 1;
  uint32_t i = (uint32_t)number_mix(number) & mask;
  while (map->slots[i] && map->numbers[map->slots[i] - 1] != number)
    i = (i + 1) & mask;
  return &map->slots[i];
}

static void grow_number_map(struct number_map *map) {
  uint32_t *const old = map->slots;
  const uint32_t nold = map->nslots;
  map->nslots = nold ? nold * 2 : 32;
  map->slots = xcalloc(map->nslots, sizeof *map->slots);
  for (uint32_t i = 0; i < nold; i++)
    if (old[i])
      *number_slot(map, map->numbers[old[i] - 1]) = old[i];
  free(old);
}

static uint32_t *hashed_entry(struct number_map *map, uint64_t number) {
  assert(number >= SMALL_END);
  if (map->nhashed >= map->nslots / 2)
    grow_number_map(map);
  uint32_t *const slot = number_slot(map, number);
  map->nhashed += !*slot;
  return slot;
}

uint32_t number_map_find(struct number_map *map, uint64_t number) {
  uint32_t *const entry = number_map_cover(map, number)
                              ? &map->small[number]
                              : hashed_entry(map, number);
  if (!*entry) {
    ARRAY_RESERVE(map->numbers, map->count, map->room);
    map->numbers[map->count] = number;
    *entry = ++map->count;
  }
  return *entry - 1;
}

void number_map_free(struct number_map *map) {
  FREE_EACH(map->numbers, map->small, map->slots);
  *map = (struct number_map){0};
}
