// SPDX-License-Identifier: GPL-3.0-or-later
// How a run went over time (runner/series.h).
#include "config.h"

#include "runner/series.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { UNIT_BITS = 8 }; // durations are told apart in steps of 256 ns

// Bucket 4 d + q holds durations from (4 + q) to (5 + q), times 2^(d - 1),
// units; the first four hold 0 to 3.
static uint32_t series_bucket_of(uint64_t ns) {
  const uint64_t units = ns >> UNIT_BITS;
  if (units < 4)
    return (uint32_t)units;
  const uint32_t doublings = 62 - (uint32_t)__builtin_clzll(units);
  const uint32_t bucket =
      4 * doublings + (uint32_t)(units >> (doublings - 1) & 3);
  return bucket < SERIES_BUCKETS ? bucket : SERIES_BUCKETS - 1;
}

static uint64_t middle_of_series_bucket(uint32_t bucket) {
  if (bucket < 4)
    return ((uint64_t)2 * bucket + 1) << (UNIT_BITS - 1);
  const uint32_t doublings = bucket / 4;
  return ((uint64_t)9 + 2 * (bucket % 4)) << (doublings - 1 + UNIT_BITS - 1);
}

static void add_interval(struct series_interval *into,
                         const struct series_interval *from) {
  into->committed += from->committed;
  into->aborted += from->aborted;
  into->unknown += from->unknown;
  if (from->longest > into->longest)
    into->longest = from->longest;
  for (uint32_t b = 0; b < SERIES_BUCKETS; b++)
    into->bucket[b] += from->bucket[b];
}

// Joins every two intervals.
static void widen(struct series *s) {
  struct series_interval *all = s->intervals;
  for (uint32_t i = 1; i < s->count; i++) {
    if (i % 2)
      add_interval(&all[i / 2], &all[i]);
    else
      all[i / 2] = all[i];
  }
  const uint32_t count = (s->count + 1) / 2;
  memset(&all[count], 0, (s->count - count) * sizeof *all);
  s->count = count;
  s->interval *= 2;
}

static struct series_interval *interval_at(struct series *s, uint64_t time) {
  if (!s->intervals) {
    s->intervals = xcalloc(SERIES_INTERVALS, sizeof *s->intervals);
    s->interval = SERIES_SHORTEST;
  }
  while (time / s->interval >= SERIES_INTERVALS)
    widen(s);
  const uint32_t i = (uint32_t)(time / s->interval);
  if (i >= s->count)
    s->count = i + 1;
  return &s->intervals[i];
}

void series_add(struct series *series, uint64_t since_start,
                enum outcome outcome, uint64_t latency) {
  struct series_interval *interval = interval_at(series, since_start);
  interval->committed += outcome == OUTCOME_OK;
  interval->aborted += outcome == OUTCOME_ABORTED;
  interval->unknown += outcome == OUTCOME_UNKNOWN;
  if (outcome != OUTCOME_OK)
    return;
  interval->bucket[series_bucket_of(latency)]++;
  if (latency > interval->longest)
    interval->longest = latency;
}

void series_merge(struct series *into, const struct series *from) {
  for (uint32_t i = 0; i < from->count; i++) {
    const uint64_t time = i * from->interval;
    struct series_interval *interval = interval_at(into, time);
    while (into->interval < from->interval) {
      widen(into);
      interval = interval_at(into, time);
    }
    add_interval(interval, &from->intervals[i]);
  }
}

uint64_t series_percentile(const struct series_interval *interval,
                           double share) {
  uint64_t all = 0, sum = 0;
  for (uint32_t b = 0; b < SERIES_BUCKETS; b++)
    all += interval->bucket[b];
  for (uint32_t b = 0; b < SERIES_BUCKETS; b++) {
    sum += interval->bucket[b];
    if (sum && (double)sum >= share * (double)all) {
      const uint64_t middle = middle_of_series_bucket(b);
      return middle < interval->longest ? middle : interval->longest;
    }
  }
  return 0;
}

void series_free(struct series *series) {
  free(series->intervals);
  *series = (struct series){0};
}
