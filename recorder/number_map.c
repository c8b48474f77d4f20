// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers to dense ids (recorder/number_map.h): a table by number where that is
// small, else open addressing, at most half full.
#include "config.h"

#include "recorder/number_map.h"

#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { DIRECT_MIN = 1024, DIRECT_ALWAYS = 1 << 16, DIRECT_MAX = 1 << 30 };

static uint32_t *slot_of(const struct number_map *map, uint64_t number) {
  uint32_t mask = map->nslots - 1;
  uint32_t i = (uint32_t)number_mix(number) & mask;
  while (map->slots[i] && map->numbers[map->slots[i] - 1] != number)
    i = (i + 1) & mask;
  return &map->slots[i];
}

static void grow(struct number_map *map) {
  uint32_t *const old = map->slots;
  const uint32_t nold = map->nslots;
  map->nslots = nold ? nold * 2 : 32;
  map->slots = xcalloc(map->nslots, sizeof *map->slots);
  for (uint32_t i = 0; i < nold; i++)
    if (old[i])
      *slot_of(map, map->numbers[old[i] - 1]) = old[i];
  free(old);
}

// Small numbers, of which most maps are full, are found without hashing.
static bool is_small(const struct number_map *map, uint64_t number) {
  return number < DIRECT_ALWAYS + 4 * (uint64_t)map->count &&
         number < DIRECT_MAX;
}

static void remember_small(struct number_map *map, uint32_t id) {
  const uint64_t number = map->numbers[id];
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

static uint32_t add(struct number_map *map, uint64_t number) {
  ARRAY_RESERVE(map->numbers, map->count, map->room);
  map->numbers[map->count] = number;
  return map->count++;
}

// Of a number that was not small enough when it came, or is not now.
static uint32_t find_by_hash(struct number_map *map, uint64_t number) {
  if (map->nhashed >= map->nslots / 2)
    grow(map);
  uint32_t *slot = slot_of(map, number);
  if (!*slot) {
    *slot = add(map, number) + 1;
    map->nhashed++;
  }
  return *slot - 1;
}

uint32_t number_map_find(struct number_map *map, uint64_t number) {
  const bool small = is_small(map, number);
  const bool is_new = small && (!map->nhashed || !*slot_of(map, number));
  const uint32_t id = is_new ? add(map, number) : find_by_hash(map, number);
  if (small)
    remember_small(map, id);
  return id;
}

void number_map_free(struct number_map *map) {
  free(map->slots);
  free(map->numbers);
  free(map->direct);
  *map = (struct number_map){0};
}
