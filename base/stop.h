// SPDX-License-Identifier: GPL-3.0-or-later
// Long work asks now and then whether it should stop.  A flag says so, which a
// signal handler or another thread sets.
#ifndef BASE_STOP_H
#define BASE_STOP_H

#include <stdbool.h>
#include <stdint.h>

// Has the flag been set?  NULL: never.
bool stop_is_set(const volatile bool *stop);

// Work of many small steps asks once per so much effort, such as operations
// that are looked at: a fraction of a millisecond.
enum { PATIENCE_EFFORT = 1 << 12 };

// Zero-initialised but for `stop` is ready to use.
struct patience {
  const volatile bool *stop;
  uint64_t effort; // since it was last asked
  bool ended;      // the flag had been set then: it stays so
};

// Is the work to be left, now that it took so much more effort?
static inline bool patience_ends(struct patience *patience, uint32_t effort) {
  patience->effort += effort;
  if (patience->effort < PATIENCE_EFFORT)
    return false;
  // Once it has ended, each question comes here again.
  patience->ended = patience->ended || stop_is_set(patience->stop);
  patience->effort = patience->ended ? PATIENCE_EFFORT : 0;
  return patience->ended;
}

// A loop of tiny steps gives the number of its step, and only each 64th one
// looks.  The loop leaves at once when the answer is true.
enum { PATIENCE_STEPS = 64 };
static inline bool patience_ends_at(struct patience *patience, uint64_t step) {
  return step % PATIENCE_STEPS == 0 && patience_ends(patience, PATIENCE_STEPS);
}

#endif
