// SPDX-License-Identifier: GPL-3.0-or-later
// Ordered points against an array that is searched from end to end.
#include "config.h"

#include "base/points.h"
#include "tests/tap.h"

enum { SIDE = 24, IDS = 4, STEPS = 60000 };

// Which points are there, in their order.
static bool is_there[SIDE][SIDE][IDS];

static uint64_t state = 1;

static uint32_t draw(uint32_t below) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(state >> 33) % below;
}

// Differences to the array, from (major, minor) on.
static uint32_t differences(const struct points *points, uint32_t major,
                            uint32_t minor) {
  uint32_t n = 0;
  struct points_place place = points_from(points, major, minor);
  for (uint32_t a = major; a < SIDE; a++)
    for (uint32_t b = a == major ? minor : 0; b < SIDE; b++)
      for (uint32_t id = 0; id < IDS; id++) {
        if (!is_there[a][b][id])
          continue;
        const struct point *p = points_next(points, &place);
        n += !p || p->major != a || p->minor != b || p->id != id;
      }
  return n + (points_next(points, &place) != NULL);
}

static void points_come_in_order(void) {
  struct points points = {0};
  uint32_t wrong = 0;
  for (uint32_t step = 0; step < STEPS; step++) {
    const uint32_t a = draw(SIDE), b = draw(SIDE), id = draw(IDS);
    const struct point point = {a, b, id};
    // The set grows, shrinks to nothing, and grows.
    const bool add = (step / 20000) % 2 ? draw(8) == 0 : draw(8) != 0;
    if (add == is_there[a][b][id])
      continue;
    (add ? points_add : points_remove)(&points, point);
    is_there[a][b][id] = add;
    if (step % 64 == 0)
      wrong += differences(&points, draw(SIDE), draw(SIDE));
  }
  CHECK_INT(wrong, 0);
  points_free(&points);
}

static void ascending_points_stay(void) {
  struct points points = {0};
  uint32_t n = 0, wrong = 0;
  CHECK(!points_next(&points, &(struct points_place){0}));
  for (uint32_t i = 0; i < 5000; i++)
    points_add(&points, (struct point){i % 10, i / 10, i});
  struct points_place place = points_from(&points, INT64_MIN, 0);
  for (const struct point *p; (p = points_next(&points, &place)); n++)
    wrong += p->major != n / 500 || p->minor != n % 500;
  CHECK_INT(n, 5000);
  CHECK_INT(wrong, 0);
  for (uint32_t i = 0; i < 5000; i++)
    points_remove(&points, (struct point){i % 10, i / 10, i});
  place = points_from(&points, INT64_MIN, 0);
  CHECK(!points_next(&points, &place));
  points_free(&points);
}

int main(void) {
  return TAP_RUN({"points come in order", points_come_in_order},
                 {"ascending points stay", ascending_points_stay});
}
