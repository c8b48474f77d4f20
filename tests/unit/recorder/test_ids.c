// SPDX-License-Identifier: GPL-3.0-or-later
// Arrays of ids: they grow, are copied, sorted and looked up.
#include "config.h"

#include "base/ids.h"
#include "tests/tap.h"

#include <stdlib.h>

enum { COUNT = 100 };

static void ids_are_added_and_sorted(void) {
  struct ids ids = {0};
  for (uint32_t i = 0; i < COUNT; i++)
    ids_add(&ids, i * 37 % COUNT * 2);
  CHECK_INT(ids.count, COUNT);
  CHECK_INT(ids.items[1], 74);
  uint32_t *before = ids_copy(ids.items, ids.count);
  ids_sort(ids.items, ids.count);
  CHECK_INT(before[1], 74);
  for (uint32_t i = 0; i < COUNT; i++)
    CHECK_INT(ids.items[i], 2 * i);
  free(before);
  free(ids.items);
}

static void ids_below_are_counted(void) {
  const uint32_t items[] = {1, 3, 3, 8};
  CHECK_INT(ids_below(items, 4, 0), 0);
  CHECK_INT(ids_below(items, 4, 3), 1);
  CHECK_INT(ids_below(items, 4, 4), 3);
  CHECK_INT(ids_below(items, 4, 9), 4);
  CHECK_INT(ids_below(items, 0, 9), 0);
}

static void none_is_no_id(void) {
  uint32_t *none = ids_none(2);
  CHECK(none[0] == UINT32_MAX && none[1] == UINT32_MAX);
  free(none);
  ids_sort(NULL, 0);
  free(ids_copy(NULL, 0));
}

int main(void) {
  return TAP_RUN({"ids are added and sorted", ids_are_added_and_sorted},
                 {"ids below are counted", ids_below_are_counted},
                 {"none is no id", none_is_no_id});
}
