// SPDX-License-Identifier: GPL-3.0-or-later
// How far rank 0's clock is ahead of a rank's own, as bounds: a question that
// was sent at t0, answered when rank 0's clock showed t1, and whose answer was
// there at t2 says from t1 - t2 to t1 - t0.  Between questions a clock may
// drift; by how much at most is assumed.
#ifndef RANKS_CLOCK_H
#define RANKS_CLOCK_H

#include "ranks/ranks.h"

// ns that two clocks may drift apart in each million: twice what a quartz of a
// server does at its worst.
#define CLOCK_DRIFT_PPM INT64_C(200)

// All in ns; `at` is of this rank's clock_now.
struct clock_bound {
  uint64_t at;
  int64_t low, high;
  bool exact; // both are one clock: 0 to 0 for ever
};

// By how much two clocks drift apart in so many ns, at most.
static inline int64_t clock_drift(uint64_t ns) {
  return (int64_t)(ns / 1000000) * CLOCK_DRIFT_PPM + CLOCK_DRIFT_PPM;
}

// The bound of one question and its answer.
struct clock_bound clock_bound_of(uint64_t asked, uint64_t rank0s,
                                  uint64_t answered);
// Both together at the time of the later one; where they contradict each other,
// the later one alone.
struct clock_bound clock_bound_join(const struct clock_bound *earlier,
                                    const struct clock_bound *later);

// The machine whose clock this is: its boot and time namespace, at most so many
// bytes; empty if the system does not say.
enum { MACHINE_ROOM = 128 };
void clock_machine(char text[MACHINE_ROOM]);

// Asks rank 0 a few times; all ranks call it.  -1 with a sentence.
int clock_ask(struct ranks *ranks, struct clock_bound *bound,
              struct error *error);

#endif
