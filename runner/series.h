// SPDX-License-Identifier: GPL-3.0-or-later
// How a run went over time: attempts by outcome and a coarse histogram of
// latency, for intervals of a tenth of a second or, in a long run, of twice,
// four times... as much, so that the memory is bounded.  A session fills its
// own, without a lock; they are merged after the run.
#ifndef RUNNER_SERIES_H
#define RUNNER_SERIES_H

#include "base/outcome.h"

#include <stdint.h>

enum {
  SERIES_INTERVALS = 256, // at most
  SERIES_BUCKETS = 112    // of latency, four to a doubling, from 1 us to 1 min
};
#define SERIES_SHORTEST UINT64_C(100000000) // ns

struct series_interval {
  uint32_t committed, aborted, unknown; // attempts that ended in it
  uint64_t longest;                     // ns, latency
  uint32_t bucket[SERIES_BUCKETS];
};

// Zero-initialised is empty.
struct series {
  uint64_t interval;                 // ns of each; 0 while empty
  uint32_t count;                    // of intervals
  struct series_interval *intervals; // room for SERIES_INTERVALS, or NULL
};
void series_free(struct series *series);

// An attempt ended `since_start` ns after the start; one that committed ended a
// transaction of this latency.
void series_add(struct series *series, uint64_t since_start,
                enum outcome outcome, uint64_t latency);
void series_merge(struct series *into, const struct series *from);

// The latency (ns, within a tenth of its value) that a share of the
// transactions of an interval did not exceed; 0 if there were none.
uint64_t series_percentile(const struct series_interval *interval,
                           double share);

#endif
