// SPDX-License-Identifier: GPL-3.0-or-later
// A set of points in their order: by one number, then by another one, then by
// an id.
#ifndef BASE_POINTS_H
#define BASE_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct point {
  int64_t major, minor;
  uint32_t id;
};

// All zero is empty.
struct points {
  struct points_block *blocks; // ascending, none of them empty
  size_t nblocks, room;
};

void points_free(struct points *points);

// The point is not there yet; is there.
void points_add(struct points *points, struct point point);
void points_remove(struct points *points, struct point point);

// Goes through the points from (major, minor) on, until the set changes:
//
//   struct points_place place = points_from(points, major, minor);
//   for (const struct point *p; (p = points_next(points, &place));)
struct points_place {
  size_t block;
  uint32_t at;
};
struct points_place points_from(const struct points *points, int64_t major,
                                int64_t minor);
const struct point *points_next(const struct points *points,
                                struct points_place *place);

#endif
