// SPDX-License-Identifier: GPL-3.0-or-later
// A thread that keeps ranks in touch while each does its own work: how far all
// are, whether all are to stop, what rank 0's clock shows, and who is gone.
#ifndef RANKS_BEAT_H
#define RANKS_BEAT_H

#include "ranks/clock.h"

#define BEAT_INTERVAL UINT64_C(100000000) // ns

struct beat_counts { // of a rank so far, or of several
  uint64_t committed, aborted, unknown, refused;
  uint64_t slowest; // plans that its slowest session had taken; UINT64_MAX:
                    // none is at work
};

struct beat_options {
  struct ranks *ranks;
  struct clock_bound bound; // as clock_ask found it
  bool goes_on;             // after a rank is gone; else all stop
  // Asked of the rank's own work by the thread, each BEAT_INTERVAL.
  void (*count)(void *context, struct beat_counts *counts);
  bool (*stops)(void *context); // is it to stop here?
  // Told each second, of ranks whose clock is not rank 0's.
  void (*bounded)(void *context, const struct clock_bound *bound);
  void *context, *bounded_context;
};

struct beat;

struct beat *beat_start(const struct beat_options *options);

// Set once another rank stops, or rank 0 is gone.
const volatile sig_atomic_t *beat_flag(const struct beat *beat);
// The sums of the other ranks, and the slowest of them; only rank 0 knows more
// of them than that.
struct beat_counts beat_others(struct beat *beat);

// The work of this rank has ended: waits for that of the others, and ends the
// thread.  The first error, if a rank was lost, in `error`, which is empty
// otherwise.
void beat_end(struct beat *beat, struct error *error);

#endif
