// SPDX-License-Identifier: GPL-3.0-or-later
// Arrays of any size are sorted as qsort does, and a stopped sort loses nothing
// (base/sort.h).
#include "config.h"

#include "base/sort.h"
#include "tests/kit/stop.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 40000, VALUES = 1000 };

struct item {
  uint32_t value, place;
};

static struct item items[MOST];

static int by_value(const void *a, const void *b) {
  const struct item *x = a, *y = b;
  return (x->value > y->value) - (x->value < y->value);
}

static void shuffle(uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    items[i] = (struct item){i * 2654435761U % VALUES, i};
}

static bool has_all(uint32_t n) {
  static uint8_t seen[MOST];
  uint32_t found = 0;
  memset(seen, 0, sizeof seen);
  for (uint32_t i = 0; i < n; i++)
    seen[items[i].place] = 1;
  for (uint32_t i = 0; i < n; i++)
    found += seen[i];
  return found == n;
}

static bool is_sorted(uint32_t n) {
  for (uint32_t i = 1; i < n; i++)
    if (items[i - 1].value > items[i].value ||
        (items[i - 1].value == items[i].value &&
         items[i - 1].place > items[i].place))
      return false;
  return true;
}

static void sorted(void) {
  static const uint32_t sizes[] = {0,    1,    2,    1023,  1024,
                                   1025, 2048, 2049, 12345, MOST};
  answer_yes_from(UINT64_MAX);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    struct patience patience = {.stop = &stop_flag};
    shuffle(sizes[i]);
    sort_patiently(items, sizes[i], sizeof *items, by_value, &patience);
    CHECK(is_sorted(sizes[i]) && has_all(sizes[i]));
  }
}

// One question for the runs, and one for each doubling of their length.
static void stopped(void) {
  struct patience patience = {.stop = &stop_flag};
  shuffle(MOST);
  answer_yes_from(UINT64_MAX);
  sort_patiently(items, MOST, sizeof *items, by_value, &patience);
  const uint64_t questions = asked;
  CHECK(questions >= 6 * (MOST / PATIENCE_EFFORT));
  for (uint64_t k = 1; k <= questions; k++) {
    patience = (struct patience){.stop = &stop_flag};
    shuffle(MOST);
    answer_yes_from(k);
    sort_patiently(items, MOST, sizeof *items, by_value, &patience);
    CHECK(patience.ended && has_all(MOST));
    CHECK_INT(asked, k);
  }
}

int main(void) { return TAP_RUN({"sorted", sorted}, {"stopped", stopped}); }
