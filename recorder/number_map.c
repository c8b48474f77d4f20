// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers to dense ids (recorder/number_map.h): open addressing, at most half
// full.
#include "config.h"

#include "recorder/number_map.h"

#include "base/memory.h"

#include <stdlib.h>

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

uint32_t number_map_id(struct number_map *map, uint64_t number) {
  if (map->count >= map->nslots / 2)
    grow(map);
  uint32_t *slot = slot_of(map, number);
  if (!*slot) {
    ARRAY_RESERVE(map->numbers, map->count, map->room);
    map->numbers[map->count++] = number;
    *slot = map->count;
  }
  return *slot - 1;
}

void number_map_free(struct number_map *map) {
  free(map->slots);
  free(map->numbers);
  *map = (struct number_map){0};
}
