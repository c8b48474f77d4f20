// SPDX-License-Identifier: GPL-3.0-or-later
// Moving sessions (runner/crew.h).  Of several sessions on a thread, a random
// one among those that are due moves next, so that every interleaving of their
// steps can happen.
#include "config.h"

#include "runner/crew.h"

#include "base/memory.h"
#include "base/random.h"

#include <assert.h>
#include <stdlib.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

// A stop is noticed within this time.
#define LONGEST_SLEEP (NS_PER_SECOND / 20)
#define STEP UINT64_C(1000)

void gate_init(struct gate *gate) {
  clock_condition_init(&gate->changed);
  pthread_mutex_init(&gate->mutex, NULL);
  pthread_cond_init(&gate->place_left, NULL);
  gate->state = GATE_CLOSED;
  gate->places = CREWS_OPENING;
  gate->opening = gate->working = 0;
}

void gate_fini(struct gate *gate) {
  assert(gate->opening == 0 && gate->working == 0);
  pthread_cond_destroy(&gate->place_left);
  pthread_cond_destroy(&gate->changed);
  pthread_mutex_destroy(&gate->mutex);
}

void gate_set(struct gate *gate, enum gate_state state) {
  pthread_mutex_lock(&gate->mutex);
  gate->state = state;
  pthread_cond_broadcast(&gate->changed);
  pthread_mutex_unlock(&gate->mutex);
}

static void take_gate_place(struct gate *gate) {
  pthread_mutex_lock(&gate->mutex);
  while (!gate->places)
    pthread_cond_wait(&gate->place_left, &gate->mutex);
  gate->places--;
  pthread_mutex_unlock(&gate->mutex);
}

// The crew has opened its sessions.
static void leave_place(struct gate *gate) {
  pthread_mutex_lock(&gate->mutex);
  gate->places++;
  pthread_cond_signal(&gate->place_left);
  if (--gate->opening == 0)
    pthread_cond_broadcast(&gate->changed);
  pthread_mutex_unlock(&gate->mutex);
}

static enum gate_state gate_state_of(struct gate *gate) {
  pthread_mutex_lock(&gate->mutex);
  const enum gate_state state = gate->state;
  pthread_mutex_unlock(&gate->mutex);
  return state;
}

int gate_await_sessions(struct gate *gate) {
  pthread_mutex_lock(&gate->mutex);
  while (gate->opening)
    pthread_cond_wait(&gate->changed, &gate->mutex);
  const int failed = gate->state == GATE_CANCELLED ? -1 : 0;
  pthread_mutex_unlock(&gate->mutex);
  return failed;
}

static bool gate_enter(struct gate *gate) {
  pthread_mutex_lock(&gate->mutex);
  while (gate->state == GATE_CLOSED)
    pthread_cond_wait(&gate->changed, &gate->mutex);
  const bool open = gate->state == GATE_OPEN;
  pthread_mutex_unlock(&gate->mutex);
  return open;
}

static void gate_leave(struct gate *gate) {
  pthread_mutex_lock(&gate->mutex);
  gate->working--;
  pthread_cond_broadcast(&gate->changed);
  pthread_mutex_unlock(&gate->mutex);
}

static uint64_t crew_time(const struct crew *crew) {
  return crew->clock.counts_steps ? crew->clock.now : clock_now();
}

static void crew_wait_until(struct crew *crew, uint64_t when, uint64_t now) {
  if (crew->clock.counts_steps)
    crew->clock.now = when;
  else
    clock_sleep_until(when < now + LONGEST_SLEEP ? when : now + LONGEST_SLEEP);
}

// The first session from `first` on that is due at `now`, or nlive. `*earliest`
// is when the first of the others will be.
static uint32_t due_session(const struct crew *crew, uint32_t first,
                            uint64_t now, uint64_t *earliest) {
  *earliest = UINT64_MAX;
  for (uint32_t n = 0; n < crew->nlive; n++) {
    const uint32_t i =
        first + n < crew->nlive ? first + n : first + n - crew->nlive;
    const uint64_t wake = crew->live[i]->wake;
    if (wake <= now)
      return i;
    if (wake < *earliest)
      *earliest = wake;
  }
  return crew->nlive;
}

// Waits if no session is due.  Once the run was told to stop, all are.
static uint32_t session_to_move(struct crew *crew) {
  const uint32_t first =
      crew->nlive == 1
          ? 0
          : (uint32_t)gsl_rng_uniform_int(crew->random, crew->nlive);
  while (crew->live[first]->wake) {
    uint64_t earliest, now = crew_time(crew);
    const uint32_t due = due_session(crew, first, now, &earliest);
    if (due < crew->nlive)
      return due;
    if (run_is_told_to_stop(crew->run))
      break;
    crew_wait_until(crew, earliest, now);
  }
  return first;
}

static void move_sessions(struct crew *crew) {
  while (crew->nlive) {
    const uint32_t i = session_to_move(crew);
    if (crew->clock.counts_steps)
      crew->clock.now = (crew->clock.now / STEP + 1) * STEP;
    session_step(crew->live[i]);
    if (crew->live[i]->state == SESSION_ENDED)
      crew->live[i] = crew->live[--crew->nlive];
  }
  crew->ended = crew_time(crew);
}

// Linux wakes sleepers up to 50 us late unless told otherwise, and under a rate
// that would count as the database's latency.
static void wake_punctually(void) {
#ifdef PR_SET_TIMERSLACK
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
#endif
}

// Once one could not be opened, no more are.
static void open_crew_sessions(struct crew *crew) {
  struct gate *gate = crew->gate;
  take_gate_place(gate);
  for (uint32_t i = 0; i < crew->nlive && gate_state_of(gate) == GATE_CLOSED;
       i++)
    if (session_open(crew->live[i]))
      gate_set(gate, GATE_CANCELLED);
  leave_place(gate);
}

// The thread that speaks over a connection has opened it: its memory is the
// thread's then, and Linux tends to put a process that the server makes for a
// new connection on the processor of who waits for it there, where messages
// between the two cost half of what they cost across.
static void *work(void *argument) {
  struct crew *crew = argument;
  wake_punctually();
  open_crew_sessions(crew);
  if (gate_enter(crew->gate))
    move_sessions(crew);
  gate_leave(crew->gate);
  return NULL;
}

int crew_start(struct crew *crew) {
  struct gate *gate = crew->gate;
  pthread_mutex_lock(&gate->mutex);
  const int failure = pthread_create(&crew->thread, NULL, work, crew);
  if (!failure) {
    gate->opening++;
    gate->working++;
  }
  pthread_mutex_unlock(&gate->mutex);
  return failure;
}

static void *work_again(void *argument) {
  move_sessions(argument);
  return NULL;
}

void crew_resume(struct crew *crew) {
  crew->resumed = !pthread_create(&crew->thread, NULL, work_again, crew);
  if (!crew->resumed)
    move_sessions(crew);
}

void crew_await(struct crew *crew) {
  if (crew->resumed)
    pthread_join(crew->thread, NULL);
  crew->resumed = false;
}

void crew_init(struct crew *crew, const struct run_context *run,
               struct gate *gate, uint32_t number, uint32_t room,
               bool counts_steps) {
  *crew = (struct crew){.run = run, .gate = gate};
  crew->clock.counts_steps = counts_steps;
  crew->random = random_stream(run->options->workload_options.seed, number,
                               RANDOM_INTERLEAVE);
  crew->live = xcalloc(room, sizeof(struct session *));
}

void crew_fini(struct crew *crew) {
  gsl_rng_free(crew->random);
  free(crew->live);
}
