// SPDX-License-Identifier: GPL-3.0-or-later
// The table of writers of small values (recorder/small_values.h).
#include "config.h"

#include "recorder/small_values.h"

#include "base/memory.h"

#include <stdlib.h>

enum { WRITES_MAX = HISTORY_MAX / 2 }; // so that twice as many can be counted
enum { GLANCE = 16 };                  // of so many operations one is looked at

// False: there are too many.
static bool count_writes(struct small_values *small, const struct history *h) {
  uint32_t *const count = small->first;
  uint64_t sum = 0;
  for (uint32_t op = 0; op < h->nops; op++)
    count[h->key[op]] += op_writes(h->kind[op]) != 0;
  for (uint32_t key = 0; key <= h->nkeys; key++) {
    const uint32_t n = 2 * count[key];
    small->first[key] = (uint32_t)sum;
    sum += n;
  }
  small->none = (uint32_t)sum;
  return sum <= 2 * (uint64_t)WRITES_MAX;
}

static bool are_small(const struct small_values *small,
                      const struct history *h) {
  uint32_t nwrites = 0, others = 0;
  for (uint64_t op = 0; op < h->nops; op += GLANCE) {
    const uint32_t entry = small_values_entry(small, h->key[op], h->value[op]);
    nwrites += op_writes(h->kind[op]) != 0;
    others += op_writes(h->kind[op]) && entry == small->none;
  }
  return others <= nwrites / 2;
}

void small_values_open(struct small_values *small, const struct history *h,
                       uint64_t lowest) {
  *small = (struct small_values){.lowest = lowest};
  if (h->lists)
    return;
  small->first = xcalloc((size_t)h->nkeys + 1, sizeof *small->first);
  if (count_writes(small, h) && are_small(small, h))
    small->writer = xcalloc((size_t)small->none + 1, sizeof *small->writer);
  else
    small_values_close(small);
}

void small_values_close(struct small_values *small) {
  free(small->first);
  free(small->writer);
  *small = (struct small_values){0};
}
