// SPDX-License-Identifier: GPL-3.0-or-later
// Durations in buckets (base/histogram.h).  The first 64 buckets are one ns
// wide; after them every doubling of the duration has 64 buckets, so a bucket
// is never wider than 1/64 of the durations in it.
#include "config.h"

#include "base/histogram.h"

#include <assert.h>

enum { PER_DOUBLING_BITS = 6, PER_DOUBLING = 1 << PER_DOUBLING_BITS };

// Number of halvings that bring the duration below 128.
static unsigned halvings(uint64_t ns) {
  return ns < PER_DOUBLING
             ? 0
             : 63 - (unsigned)__builtin_clzll(ns) - PER_DOUBLING_BITS;
}

static unsigned latency_bucket_of(uint64_t ns) {
  unsigned shift = halvings(ns);
  uint64_t bucket = shift * PER_DOUBLING + (ns >> shift);
  return bucket < HISTOGRAM_BUCKETS ? (unsigned)bucket : HISTOGRAM_BUCKETS - 1;
}

// The last bucket has no end.
uint64_t histogram_bucket_end(unsigned bucket) {
  if (bucket == HISTOGRAM_BUCKETS - 1)
    return UINT64_MAX;
  if (bucket < 2 * PER_DOUBLING)
    return bucket;
  unsigned shift = bucket / PER_DOUBLING - 1;
  uint64_t leading = bucket - shift * PER_DOUBLING;
  return ((leading + 1) << shift) - 1;
}

void histogram_add(struct histogram *histogram, uint64_t ns) {
  if (!histogram->count || ns < histogram->min)
    histogram->min = ns;
  if (ns > histogram->max)
    histogram->max = ns;
  histogram->count++;
  histogram->sum += ns;
  histogram->bucket[latency_bucket_of(ns)]++;
}

void histogram_merge(struct histogram *into, const struct histogram *from) {
  if (!from->count)
    return;
  if (!into->count || from->min < into->min)
    into->min = from->min;
  if (from->max > into->max)
    into->max = from->max;
  into->count += from->count;
  into->sum += from->sum;
  for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
    into->bucket[i] += from->bucket[i];
}

// The least number of durations that make up this share of all; at least one.
static uint64_t latency_rank_of(const struct histogram *histogram,
                                double share) {
  double exact = share * (double)histogram->count;
  uint64_t rank = (uint64_t)exact;
  if ((double)rank < exact || !rank)
    rank++;
  return rank < histogram->count ? rank : histogram->count;
}

uint64_t histogram_percentile(const struct histogram *histogram, double share) {
  assert(share >= 0 && share <= 1);
  if (!histogram->count)
    return 0;
  const uint64_t rank = latency_rank_of(histogram, share);
  uint64_t seen = 0;
  unsigned bucket = 0;
  while ((seen += histogram->bucket[bucket]) < rank)
    bucket++;
  uint64_t longest = histogram_bucket_end(bucket);
  return longest < histogram->max ? longest : histogram->max;
}

double histogram_mean(const struct histogram *histogram) {
  return histogram->count ? (double)histogram->sum / (double)histogram->count
                          : 0;
}
