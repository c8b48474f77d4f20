// SPDX-License-Identifier: GPL-3.0-or-later
// Texts to dense ids (recorder/builder/text_map.h): open addressing, at most
// half full.
#include "config.h"

#include "recorder/builder/text_map.h"

#include "base/memory.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static bool slot_has_text(const struct text_map *map, uint32_t id,
                          uint64_t hash, const char *text, size_t length) {
  assert(id < map->count);
  if (map->hash[id] != hash)
    return false;
  const size_t end = id + 1 < map->count ? map->start[id + 1] : map->bytes;
  return end - map->start[id] == length + 1 &&
         memcmp(map->texts + map->start[id], text, length) == 0;
}

static uint32_t first_slot(const struct text_map *map, uint64_t hash) {
  assert(map->nslots && (map->nslots & (map->nslots - 1)) == 0);
  return (uint32_t)hash & (map->nslots - 1);
}

static uint32_t next_slot(const struct text_map *map, uint32_t i) {
  return (i + 1) & (map->nslots - 1);
}

static void grow_text_map(struct text_map *map, uint32_t nslots) {
  map->nslots = nslots;
  free(map->slots);
  map->slots = xcalloc(map->nslots, sizeof *map->slots);
  for (uint32_t id = 0; id < map->count; id++) {
    uint32_t i = first_slot(map, map->hash[id]);
    while (map->slots[i])
      i = next_slot(map, i);
    map->slots[i] = id + 1;
  }
}

static void keep_new_text(struct text_map *map, uint64_t hash, const char *text,
                          size_t length) {
  while (map->room - map->bytes <= length) {
    map->room = map->room ? map->room * 2 : 256;
    map->texts = xrealloc(map->texts, map->room, 1);
  }
  ARRAY_RESERVE(map->start, map->count, map->starts_room);
  ARRAY_RESERVE(map->hash, map->count, map->hashes_room);
  map->hash[map->count] = hash;
  map->start[map->count++] = map->bytes;
  memcpy(map->texts + map->bytes, text, length);
  map->bytes += length;
  map->texts[map->bytes++] = 0;
}

uint32_t text_map_id(struct text_map *map, const char *text, size_t length) {
  if (map->count >= map->nslots / 2)
    grow_text_map(map, map->nslots ? map->nslots * 2 : 32);
  const uint64_t hash = XXH3_64bits(text, length);
  uint32_t i = first_slot(map, hash);
  while (map->slots[i] &&
         !slot_has_text(map, map->slots[i] - 1, hash, text, length))
    i = next_slot(map, i);
  if (!map->slots[i]) {
    keep_new_text(map, hash, text, length);
    map->slots[i] = map->count;
  }
  return map->slots[i] - 1;
}

const char *text_map_text(const struct text_map *map, uint32_t id) {
  assert(id < map->count);
  return map->texts + map->start[id];
}

char **text_map_array(const struct text_map *map) {
  if (!map->count)
    return NULL;
  char **array = xmalloc(map->count * sizeof *array + map->bytes);
  char *texts = (char *)(array + map->count);
  memcpy(texts, map->texts, map->bytes);
  for (uint32_t id = 0; id < map->count; id++)
    array[id] = texts + map->start[id];
  return array;
}

void text_map_close(struct text_map *map) {
  free(map->slots);
  free(map->hash);
  map->slots = NULL;
  map->hash = NULL;
}

void text_map_free(struct text_map *map) {
  text_map_close(map);
  free(map->start);
  free(map->texts);
  *map = (struct text_map){0};
}
