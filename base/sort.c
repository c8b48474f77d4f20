// SPDX-License-Identifier: GPL-3.0-or-later
// Sorts by merging (base/sort.h): the library sorts runs of a few thousand
// items, and neighbouring runs are merged into ever longer ones.
#include "config.h"

#include "base/sort.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { RUN = 1 << 10 };

struct sorting {
  size_t n, size;
  int (*compare)(const void *a, const void *b);
  struct patience *patience;
  char *from, *to; // arrays of all items: those to be merged, and a spare one
};

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

static bool is_sort_stopped(struct sorting *s, size_t items) {
  return patience_ends(s->patience, (uint32_t)items);
}

static void sort_runs(struct sorting *s) {
  for (size_t i = 0, n; i < s->n && !s->patience->ended; i += n) {
    n = smaller(RUN, s->n - i);
    if (!is_sort_stopped(s, n))
      qsort(s->from + i * s->size, n, s->size, s->compare);
  }
}

// Merges [first, middle) and [middle, end), of equal items those of the first
// half first.
static void merge_halves(struct sorting *s, size_t first, size_t middle,
                         size_t end) {
  const char *a = s->from + first * s->size, *b = s->from + middle * s->size;
  const char *const end_a = b, *const end_b = s->from + end * s->size;
  char *to = s->to + first * s->size;
  for (size_t i = 1; a < end_a && b < end_b; i++, to += s->size) {
    if (i % RUN == 0 && is_sort_stopped(s, RUN))
      return;
    const char **less = s->compare(a, b) <= 0 ? &a : &b;
    memcpy(to, *less, s->size);
    *less += s->size;
  }
  memcpy(to, a, (size_t)(end_a - a));
  memcpy(to + (end_a - a), b, (size_t)(end_b - b));
}

// Merges each two neighbours; false: it was stopped.
static bool merge_runs(struct sorting *s, size_t length) {
  for (size_t i = 0; i < s->n && !s->patience->ended; i += 2 * length)
    merge_halves(s, i, smaller(i + length, s->n),
                 smaller(i + 2 * length, s->n));
  return !s->patience->ended;
}

static void swap_arrays(struct sorting *s) {
  char *const from = s->from;
  s->from = s->to;
  s->to = from;
}

void sort_patiently(void *items, size_t n, size_t size,
                    int (*compare)(const void *a, const void *b),
                    struct patience *patience) {
  struct sorting s = {.n = n,
                      .size = size,
                      .compare = compare,
                      .patience = patience,
                      .from = items};
  assert(size && (items || !n));
  sort_runs(&s);
  if (n <= RUN || patience->ended)
    return;
  char *const spare = xmalloc(n * size);
  s.to = spare;
  for (size_t length = RUN; length < n && merge_runs(&s, length); length *= 2)
    swap_arrays(&s);
  if (s.from == spare)
    memcpy(items, spare, n * size);
  free(spare);
}
