// SPDX-License-Identifier: GPL-3.0-or-later
// Counts of durations in buckets whose width grows with the duration, so that
// every percentile is known within 1/64 of its value from 1 ns to an hour, in
// constant memory and without a lock.
#ifndef BASE_HISTOGRAM_H
#define BASE_HISTOGRAM_H

#include <stdint.h>

enum { HISTOGRAM_BUCKETS = 64 * 38 };

// Zero-initialised is empty.
struct histogram {
  uint64_t count, sum, min, max; // of ns; min and max are exact
  uint64_t bucket[HISTOGRAM_BUCKETS];
};

void histogram_add(struct histogram *histogram, uint64_t ns);
void histogram_merge(struct histogram *into, const struct histogram *from);

// The smallest bucket's upper end that at least `share` (0 to 1) of the
// durations do not exceed, never above max; 0 if empty.
uint64_t histogram_percentile(const struct histogram *histogram, double share);

// The longest duration of a bucket.
uint64_t histogram_bucket_end(unsigned bucket);

double histogram_mean(const struct histogram *histogram);

#endif
