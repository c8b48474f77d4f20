// SPDX-License-Identifier: GPL-3.0-or-later
// A crew is a thread and the sessions it moves: one, or several in turns.
#ifndef RUNNER_CREW_H
#define RUNNER_CREW_H

#include "runner/session.h"

#include <pthread.h>

// How many open their sessions at the same time.  All crews of a large run at
// once would keep a server busy until the first ones have waited too long.
enum { CREWS_OPENING = 16 };

enum gate_state { GATE_CLOSED, GATE_OPEN, GATE_CANCELLED };

// Lets all crews start at the same moment, and tells when they have opened
// their sessions and when they have finished.
struct gate {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  enum gate_state state;
  pthread_cond_t place_left;
  uint32_t places;  // how many more crews may open their sessions now
  uint32_t opening; // crews that have not opened theirs
  uint32_t working; // crews that have not finished
};

void gate_init(struct gate *gate);
void gate_fini(struct gate *gate);
void gate_set(struct gate *gate, enum gate_state state);
// Waits for all crews to have opened their sessions.  -1: one could not, so the
// gate is cancelled.
int gate_await_sessions(struct gate *gate);

struct crew {
  alignas(CACHE_LINE) pthread_t thread;
  const struct run_context *run;
  struct gate *gate;
  struct step_clock clock;
  gsl_rng *random;       // which session moves next
  struct session **live; // those that have not ended
  uint32_t nlive;
  bool resumed;   // a thread moves them again
  uint64_t ended; // when the last one did, by its clock
};

// `room` sessions will be put into `live`.
void crew_init(struct crew *crew, const struct run_context *run,
               struct gate *gate, uint32_t number, uint32_t room,
               bool counts_steps);
void crew_fini(struct crew *crew);

// Makes the thread, which opens the sessions and waits at the gate.  Returns 0
// or an error number.
int crew_start(struct crew *crew);

// Moves sessions that were put into `live` of a crew that has finished, until
// all have ended: on a thread of its own, or on the caller's where none can be
// had.  crew_await waits for it.
void crew_resume(struct crew *crew);
void crew_await(struct crew *crew);

#endif
