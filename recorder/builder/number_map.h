// SPDX-License-Identifier: GPL-3.0-or-later
// Gives 64-bit numbers (keys, sessions of a file) dense 32-bit ids in the order
// in which they first appear.  Two numbers never share an id.
#ifndef RECORDER_BUILDER_NUMBER_MAP_H
#define RECORDER_BUILDER_NUMBER_MAP_H

#include <stdbool.h>
#include <stdint.h>

// Zero-initialised is empty.
struct number_map {
  uint64_t *numbers; // by id
  uint32_t *small;   // by number, as far as small ones came: id + 1, or 0
  uint32_t *slots;   // of all other numbers, hashed: id + 1, or 0
  uint32_t count, room, nsmall, nhashed, nslots;
};

// The id of `number`, a new one if it has none.  There are at most
// HISTORY_MAX ids; the caller sees to that.  number_map_find is the slower half
// of it, for numbers that are not in `small`.
uint32_t number_map_find(struct number_map *map, uint64_t number);
static inline uint32_t number_map_id(struct number_map *map, uint64_t number) {
  return number < map->nsmall && map->small[number]
             ? map->small[number] - 1
             : number_map_find(map, number);
}

// Has `small` an entry for each number up to `most`, from now on?
bool number_map_cover(struct number_map *map, uint64_t most);

void number_map_free(struct number_map *map);

// Spreads a number over 64 bits, for hashing.
static inline uint64_t number_mix(uint64_t z) {
  z = (z ^ (z >> 32)) * UINT64_C(0xd6e8feb86659fd93);
  return z ^ (z >> 32);
}

#endif
