// SPDX-License-Identifier: GPL-3.0-or-later
// A hash table with linear probing (checker/stream/value_map.h).
#include "config.h"

#include "checker/stream/value_map.h"

#include "base/memory.h"
#include "recorder/builder/number_map.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// Where the value is, or would be.
static uint32_t slot_of_value(const struct value_map *map, uint64_t value) {
  assert(map->count < map->room);
  const uint32_t mask = map->room - 1;
  uint32_t i = (uint32_t)number_mix(value) & mask;
  while (map->slots[i].used && map->slots[i].value != value)
    i = (i + 1) & mask;
  return i;
}

uint32_t value_map_get(const struct value_map *map, uint64_t value) {
  if (!map->count)
    return UINT32_MAX;
  const struct value_slot *slot = &map->slots[slot_of_value(map, value)];
  return slot->used ? slot->number : UINT32_MAX;
}

static void make_wider(struct value_map *map) {
  const struct value_map old = *map;
  map->room = old.room ? old.room * 2 : 64;
  map->slots = xcalloc(map->room, sizeof *map->slots);
  for (uint32_t i = 0; i < old.room; i++)
    if (old.slots[i].used)
      map->slots[slot_of_value(map, old.slots[i].value)] = old.slots[i];
  free(old.slots);
}

void value_map_set(struct value_map *map, uint64_t value, uint32_t number) {
  if (2 * (map->count + 1) > map->room)
    make_wider(map);
  struct value_slot *slot = &map->slots[slot_of_value(map, value)];
  map->count += !slot->used;
  *slot = (struct value_slot){value, number, true};
}

// Moves back what stands behind the free slot and would not be found any more.
void value_map_remove(struct value_map *map, uint64_t value) {
  if (value_map_get(map, value) == UINT32_MAX)
    return;
  const uint32_t mask = map->room - 1;
  uint32_t hole = slot_of_value(map, value);
  for (uint32_t i = (hole + 1) & mask; map->slots[i].used; i = (i + 1) & mask) {
    const uint32_t home = (uint32_t)number_mix(map->slots[i].value) & mask;
    if (((i - home) & mask) < ((i - hole) & mask))
      continue;
    map->slots[hole] = map->slots[i];
    hole = i;
  }
  map->slots[hole].used = false;
  map->count--;
}

void value_map_clear(struct value_map *map) {
  if (map->count)
    memset(map->slots, 0, map->room * sizeof *map->slots);
  map->count = 0;
}

void value_map_free(struct value_map *map) {
  free(map->slots);
  *map = (struct value_map){0};
}
