// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers to dense ids (recorder/number_map.h): open addressing, at most half
// full.
#include "config.h"

#include "recorder/number_map.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { DIRECT_MIN = 1024, DIRECT_MAX = 1 << 30 };

static uint32_t *slot_of(const struct number_map *map, uint64_t number) {
  uint32_t mask = map->nslots - 1;
  uint32_t i = (uint32_t)number_mix(number) & mask;
  while (map->slots[i] && map->numbers[map->slots[i] - 1] != number)
    i = (i + 1) & mask;
  return &map->slots[i];
}

static void grow(struct number_map *map) {
  map->nslots = map->nslots ? map->nslots * 2 : 32;
  free(map->slots);
  map->slots = xcalloc(map->nslots, sizeof *map->slots);
  for (uint32_t id = 0; id < map->count; id++)
    *slot_of(map, map->numbers[id]) = id + 1;
}

// Small numbers, of which most maps are full, are found without hashing.
static void remember_small(struct number_map *map, uint32_t id) {
  const uint64_t number = map->numbers[id];
  if (number >= DIRECT_MIN + 4 * (uint64_t)map->count || number >= DIRECT_MAX)
    return;
  if (number >= map->ndirect) {
    uint32_t n = map->ndirect ? map->ndirect : DIRECT_MIN;
    while (n <= number)
      n *= 2;
    map->direct = xrealloc(map->direct, n, sizeof *map->direct);
    memset(map->direct + map->ndirect, 0,
           (n - map->ndirect) * sizeof *map->direct);
    map->ndirect = n;
  }
  map->direct[number] = id + 1;
}

uint32_t number_map_find(struct number_map *map, uint64_t number) {
  if (map->count >= map->nslots / 2)
    grow(map);
  uint32_t *slot = slot_of(map, number);
  if (!*slot) {
    ARRAY_RESERVE(map->numbers, map->count, map->room);
    map->numbers[map->count++] = number;
    *slot = map->count;
  }
  const uint32_t id = *slot - 1;
  remember_small(map, id);
  return id;
}

void number_map_free(struct number_map *map) {
  free(map->slots);
  free(map->numbers);
  free(map->direct);
  *map = (struct number_map){0};
}
