// SPDX-License-Identifier: GPL-3.0-or-later
// Items sorted by a small number that each of them has, in time O(items +
// numbers): operations by their keys, events by their places.
#ifndef BASE_BUCKETS_H
#define BASE_BUCKETS_H

#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>

#define NO_BUCKET UINT32_MAX

// Those of bucket b are items[first[b]] to items[first[b + 1]], ascending. Free
// both arrays.
struct buckets {
  uint32_t *first, *items;
};

// Sorts the items 0 to nitems - 1, but those without a bucket.  Inlined, so
// that asking for the bucket of an item costs no call.
__attribute__((always_inline)) static inline struct buckets
buckets_make(uint32_t nbuckets, uint32_t nitems,
             uint32_t (*bucket_of)(const void *context, uint32_t item),
             const void *context) {
  // Counted two places ahead and filled in one ahead, so that each bucket's end
  // has become the next one's beginning.
  uint32_t *first = xcalloc((size_t)nbuckets + 2, sizeof *first);
  for (uint32_t i = 0; i < nitems; i++) {
    const uint32_t bucket = bucket_of(context, i);
    if (bucket != NO_BUCKET)
      first[bucket + 2]++;
  }
  for (uint32_t b = 0; b < nbuckets; b++)
    first[b + 2] += first[b + 1];
  uint32_t *items = xmalloc(first[nbuckets + 1] * sizeof *items);
  for (uint32_t i = 0; i < nitems; i++) {
    const uint32_t bucket = bucket_of(context, i);
    if (bucket != NO_BUCKET)
      items[first[bucket + 1]++] = i;
  }
  return (struct buckets){first, items};
}

static inline void buckets_free(struct buckets *buckets) {
  free(buckets->first);
  free(buckets->items);
}

#endif
