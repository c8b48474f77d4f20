// SPDX-License-Identifier: GPL-3.0-or-later
// A table from 64-bit values to 32-bit numbers; entries come and go.
#ifndef CHECKER_STREAM_VALUE_MAP_H
#define CHECKER_STREAM_VALUE_MAP_H

#include <stdbool.h>
#include <stdint.h>

// Zero-initialised is empty.
struct value_map {
  struct value_slot {
    uint64_t value;
    uint32_t number;
    bool used;
  } * slots;
  uint32_t count, room; // room: a power of two, or 0
};

// The number of the value, or UINT32_MAX.
uint32_t value_map_get(const struct value_map *map, uint64_t value);
// Enters the value, or gives it another number.
void value_map_set(struct value_map *map, uint64_t value, uint32_t number);
void value_map_remove(struct value_map *map, uint64_t value);
// Removes all, and keeps the memory.
void value_map_clear(struct value_map *map);
void value_map_free(struct value_map *map);

#endif
