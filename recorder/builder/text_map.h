// SPDX-License-Identifier: GPL-3.0-or-later
// Gives texts (names of keys, values that are no numbers) dense 32-bit ids in
// the order in which they first appear.
#ifndef RECORDER_BUILDER_TEXT_MAP_H
#define RECORDER_BUILDER_TEXT_MAP_H

#include <stddef.h>
#include <stdint.h>

// Zero-initialised is empty.
struct text_map {
  uint32_t *slots;    // id + 1, or 0 if free; a power of two of them
  uint64_t *hash;     // by id
  size_t *start;      // by id: where its text starts
  char *texts;        // behind each other, each with a zero byte at its end
  size_t bytes, room; // of texts
  uint32_t count, hashes_room, starts_room, nslots;
};

// The id of a text, a new one if it has none.
uint32_t text_map_id(struct text_map *map, const char *text, size_t length);

// The text with this id, until the next one gets its own.
const char *text_map_text(const struct text_map *map, uint32_t id);

// All texts as an array by id, with the texts in the same block; NULL if there
// is none.  Free with free().
char **text_map_array(const struct text_map *map);

// Frees what only text_map_id needs, which may not be called any more.
void text_map_close(struct text_map *map);

void text_map_free(struct text_map *map);

#endif
