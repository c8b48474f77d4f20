// SPDX-License-Identifier: GPL-3.0-or-later
// Texts to dense ids (recorder/text_map.h): open addressing, at most half full.
// Most texts are short: a number holds them, and nothing has to be compared.
#include "config.h"

#include "recorder/text_map.h"

#include "base/memory.h"
#include "recorder/bytes.h"
#include "recorder/number_map.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { SHORT_MAX = 7 };
#define LONG_TAG (UINT64_C(1) << 63)

// The bytes of a short text and, above them, its length: no two have the same.
static uint64_t short_tag(const char *text, size_t length) {
  const unsigned char *p = (const unsigned char *)text;
  uint64_t bytes = 0;
  if (length >= 4)
    bytes = load32(p) | (uint64_t)load32(p + length - 4) << 8 * (length - 4);
  else if (length)
    bytes = p[0] | (uint64_t)p[length / 2] << 8 * (length / 2) |
            (uint64_t)p[length - 1] << 8 * (length - 1);
  return bytes | (uint64_t)length << 8 * SHORT_MAX;
}

static inline uint64_t tag_of(const char *text, size_t length) {
  return length <= SHORT_MAX ? short_tag(text, length)
                             : XXH3_64bits(text, length) | LONG_TAG;
}

static bool is_text(const struct text_map *map, uint32_t id, uint64_t tag,
                    const char *text, size_t length) {
  if (map->tag[id] != tag || tag < LONG_TAG)
    return map->tag[id] == tag;
  const size_t end = id + 1 < map->count ? map->start[id + 1] : map->bytes;
  return end - map->start[id] == length + 1 &&
         memcmp(map->texts + map->start[id], text, length) == 0;
}

static uint32_t first_slot(const struct text_map *map, uint64_t tag) {
  return (uint32_t)number_mix(tag) & (map->nslots - 1);
}

static uint32_t next_slot(const struct text_map *map, uint32_t i) {
  return (i + 1) & (map->nslots - 1);
}

static void grow(struct text_map *map, uint32_t nslots) {
  map->nslots = nslots;
  free(map->slots);
  map->slots = xcalloc(map->nslots, sizeof *map->slots);
  for (uint32_t id = 0; id < map->count; id++) {
    uint32_t i = first_slot(map, map->tag[id]);
    while (map->slots[i])
      i = next_slot(map, i);
    map->slots[i] = id + 1;
  }
}

static void keep_text(struct text_map *map, uint64_t tag, const char *text,
                      size_t length) {
  while (map->room - map->bytes <= length) {
    map->room = map->room ? map->room * 2 : 256;
    map->texts = xrealloc(map->texts, map->room, 1);
  }
  ARRAY_RESERVE(map->start, map->count, map->starts_room);
  ARRAY_RESERVE(map->tag, map->count, map->tags_room);
  map->tag[map->count] = tag;
  map->start[map->count++] = map->bytes;
  memcpy(map->texts + map->bytes, text, length);
  map->bytes += length;
  map->texts[map->bytes++] = 0;
}

uint32_t text_map_id(struct text_map *map, const char *text, size_t length) {
  if (map->count >= map->nslots / 2)
    grow(map, map->nslots ? map->nslots * 2 : 32);
  const uint64_t tag = tag_of(text, length);
  uint32_t i = first_slot(map, tag);
  while (map->slots[i] && !is_text(map, map->slots[i] - 1, tag, text, length))
    i = next_slot(map, i);
  if (!map->slots[i]) {
    keep_text(map, tag, text, length);
    map->slots[i] = map->count;
  }
  return map->slots[i] - 1;
}

const char *text_map_text(const struct text_map *map, uint32_t id) {
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
  free(map->tag);
  map->slots = NULL;
  map->tag = NULL;
}

void text_map_free(struct text_map *map) {
  text_map_close(map);
  free(map->start);
  free(map->texts);
  *map = (struct text_map){0};
}
