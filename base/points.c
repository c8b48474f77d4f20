// SPDX-License-Identifier: GPL-3.0-or-later
// Points in their order (base/points.h): short sorted blocks, which are split
// where they are full.
#include "config.h"

#include "base/points.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_POINTS = 256 };

struct points_block {
  struct point *points; // BLOCK_POINTS of them
  uint32_t count;
};

static bool is_below(const struct point *a, const struct point *b) {
  if (a->major != b->major)
    return a->major < b->major;
  if (a->minor != b->minor)
    return a->minor < b->minor;
  return a->id < b->id;
}

// The last block whose first point is not above the point; else the first one.
static size_t points_block_of(const struct points *s,
                              const struct point *point) {
  size_t low = 0, high = s->nblocks;
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    if (is_below(point, &s->blocks[middle].points[0]))
      high = middle;
    else
      low = middle;
  }
  return low;
}

// The number of points in the block that are below the point.
static uint32_t point_place_in(const struct points_block *block,
                               const struct point *point) {
  uint32_t low = 0, high = block->count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (is_below(&block->points[middle], point))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void move(struct point *to, const struct point *from, size_t n) {
  memmove(to, from, n * sizeof *to);
}

static struct points_block *insert_block(struct points *s, size_t at) {
  ARRAY_RESERVE(s->blocks, s->nblocks, s->room);
  memmove(s->blocks + at + 1, s->blocks + at,
          (s->nblocks++ - at) * sizeof *s->blocks);
  s->blocks[at] = (struct points_block){
      .points = xmalloc(BLOCK_POINTS * sizeof(struct point))};
  return &s->blocks[at];
}

// Moves the points of a full block from `at` on to a block behind it: none of
// them where points come in ascending order, so that blocks stay full.
static void split(struct points *s, size_t block, uint32_t at) {
  struct points_block *behind = insert_block(s, block + 1),
                      *full = &s->blocks[block];
  behind->count = full->count - at;
  move(behind->points, full->points + at, behind->count);
  full->count = at;
}

void points_add(struct points *s, struct point point) {
  if (!s->nblocks)
    insert_block(s, 0);
  size_t block = points_block_of(s, &point);
  uint32_t at = point_place_in(&s->blocks[block], &point);
  if (s->blocks[block].count == BLOCK_POINTS) {
    const uint32_t half = at == BLOCK_POINTS ? at : BLOCK_POINTS / 2;
    split(s, block, half);
    if (at > half || at == BLOCK_POINTS) {
      block++;
      at -= half;
    }
  }
  struct points_block *b = &s->blocks[block];
  assert(b->count < BLOCK_POINTS && at <= b->count);
  move(b->points + at + 1, b->points + at, b->count++ - at);
  b->points[at] = point;
}

void points_remove(struct points *s, struct point point) {
  const size_t block = points_block_of(s, &point);
  struct points_block *b = &s->blocks[block];
  const uint32_t at = point_place_in(b, &point);
  assert(at < b->count && b->points[at].id == point.id);
  move(b->points + at, b->points + at + 1, --b->count - at);
  if (b->count)
    return;
  free(b->points);
  memmove(b, b + 1, (--s->nblocks - block) * sizeof *b);
}

struct points_place points_from(const struct points *s, int64_t major,
                                int64_t minor) {
  const struct point first = {major, minor, 0};
  struct points_place place = {0};
  if (s->nblocks) {
    place.block = points_block_of(s, &first);
    place.at = point_place_in(&s->blocks[place.block], &first);
  }
  return place;
}

const struct point *points_next(const struct points *s,
                                struct points_place *place) {
  if (place->block < s->nblocks && place->at == s->blocks[place->block].count) {
    place->block++;
    place->at = 0;
  }
  return place->block < s->nblocks
             ? &s->blocks[place->block].points[place->at++]
             : NULL;
}

void points_free(struct points *s) {
  for (size_t i = 0; i < s->nblocks; i++)
    free(s->blocks[i].points);
  free(s->blocks);
  *s = (struct points){0};
}
