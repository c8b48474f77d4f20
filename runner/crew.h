// SPDX-License-Identifier: GPL-3.0-or-later
// A crew is a thread and the sessions it moves: one, or several in turns.
#ifndef RUNNER_CREW_H
#define RUNNER_CREW_H

#include "runner/session.h"

#include <pthread.h>

enum gate_state { GATE_CLOSED, GATE_OPEN, GATE_CANCELLED };

// Lets all crews start at the same moment, and tells when they have finished.
struct gate {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  enum gate_state state;
  uint32_t working; // crews that have not finished
};

void gate_init(struct gate *gate);
void gate_fini(struct gate *gate);
void gate_set(struct gate *gate, enum gate_state state);

struct crew {
  alignas(CACHE_LINE) pthread_t thread;
  const struct run_context *run;
  struct gate *gate;
  struct step_clock clock;
  gsl_rng *random;       // which session moves next
  struct session **live; // those that have not ended
  uint32_t nlive;
  uint64_t ended; // when the last one did, by its clock
};

// `room` sessions will be put into `live`.
void crew_init(struct crew *crew, const struct run_context *run,
               struct gate *gate, uint32_t number, uint32_t room,
               bool counts_steps);
void crew_fini(struct crew *crew);

// Makes the thread, which waits at the gate.  Returns 0 or an error number.
int crew_start(struct crew *crew);

// Moves the sessions, on the caller's thread, until all have ended.
void crew_work(struct crew *crew);

#endif
