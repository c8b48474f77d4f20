// SPDX-License-Identifier: GPL-3.0-or-later
// Arrays of ids (base/ids.h).
#include "config.h"

#include "base/ids.h"

#include <stdlib.h>
#include <string.h>

uint32_t *ids_none(size_t n) {
  uint32_t *items = xmalloc(n * sizeof *items);
  return memset(items, 0xff, n * sizeof *items);
}

uint32_t *ids_copy(const uint32_t *items, size_t n) {
  uint32_t *copy = xmalloc(n * sizeof *copy);
  return n ? memcpy(copy, items, n * sizeof *items) : copy;
}

static int compare_id_numbers(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

void ids_sort(uint32_t *items, size_t n) {
  if (n)
    qsort(items, n, sizeof *items, compare_id_numbers);
}

uint32_t ids_sort_once(uint32_t *items, uint32_t n) {
  uint32_t left = 0;
  ids_sort(items, n);
  for (uint32_t i = 0; i < n; i++)
    if (left == 0 || items[i] != items[left - 1])
      items[left++] = items[i];
  return left;
}

uint32_t ids_below(const uint32_t *items, uint32_t n, uint32_t id) {
  uint32_t low = 0, high = n;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (items[middle] < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}
