// SPDX-License-Identifier: GPL-3.0-or-later
// Pace (recorder/record/backpressure.h): two marks in the file, and a lock that
// is taken once per piece of a session log and once per look.
#include "config.h"

#include "recorder/record/backpressure.h"

#include "base/clock.h"
#include "base/memory.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct backpressure {
  struct backpressure_limits limits;
  volatile bool hurry;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  // Under the lock.
  uint64_t written, read; // bytes
  uint64_t since;         // of what is written and not read, the oldest is as
                          // old as this, or younger
  uint64_t waited;
  uint32_t waiting; // sessions
  bool ended;
};

struct backpressure *
backpressure_new(const struct backpressure_limits *limits) {
  struct backpressure *backpressure = xcalloc(1, sizeof *backpressure);
  backpressure->limits = *limits;
  pthread_mutex_init(&backpressure->lock, NULL);
  clock_condition_init(&backpressure->changed);
  return backpressure;
}

void backpressure_free(struct backpressure *backpressure) {
  if (!backpressure)
    return;
  pthread_cond_destroy(&backpressure->changed);
  pthread_mutex_destroy(&backpressure->lock);
  free(backpressure);
}

const struct backpressure_limits *
backpressure_limits(const struct backpressure *backpressure) {
  return &backpressure->limits;
}

static void set_hurry(struct backpressure *backpressure, bool hurry) {
  __atomic_store_n(&backpressure->hurry, hurry, __ATOMIC_RELAXED);
}

static bool is_too_far_behind(const struct backpressure *backpressure,
                              uint64_t now) {
  const struct backpressure_limits *limits = &backpressure->limits;
  if (backpressure->ended || backpressure->written <= backpressure->read)
    return false;
  return (limits->bytes &&
          backpressure->written - backpressure->read > limits->bytes) ||
         (limits->lag && now > backpressure->since &&
          now - backpressure->since > limits->lag);
}

void backpressure_written(struct backpressure *backpressure, uint64_t bytes) {
  pthread_mutex_lock(&backpressure->lock);
  if (backpressure->written <= backpressure->read)
    backpressure->since = clock_now();
  backpressure->written = bytes;
  pthread_mutex_unlock(&backpressure->lock);
}

// Returns whether it waited until `when`.
static bool wait_for_backpressure(struct backpressure *backpressure,
                                  uint64_t when) {
  const struct timespec t = clock_timespec(when);
  return pthread_cond_timedwait(&backpressure->changed, &backpressure->lock,
                                &t) != 0;
}

bool backpressure_wait(struct backpressure *backpressure) {
  const uint64_t begin = clock_now(), patience = backpressure->limits.patience;
  uint64_t now = begin;
  pthread_mutex_lock(&backpressure->lock);
  while (is_too_far_behind(backpressure, now)) {
    if (!backpressure->waiting++) // the reader may be resting
      pthread_cond_broadcast(&backpressure->changed);
    if (!patience)
      pthread_cond_wait(&backpressure->changed, &backpressure->lock);
    else if (wait_for_backpressure(backpressure, now + patience))
      set_hurry(backpressure, true);
    assert(backpressure->waiting > 0);
    backpressure->waiting--;
    now = clock_now();
  }
  backpressure->waited += now - begin;
  pthread_mutex_unlock(&backpressure->lock);
  return now > begin;
}

void backpressure_read(struct backpressure *backpressure, uint64_t bytes,
                       uint64_t when) {
  pthread_mutex_lock(&backpressure->lock);
  backpressure->read = bytes;
  backpressure->since = when;
  if (!backpressure->ended)
    set_hurry(backpressure, false);
  pthread_cond_broadcast(&backpressure->changed);
  pthread_mutex_unlock(&backpressure->lock);
}

const volatile bool *
backpressure_hurry(const struct backpressure *backpressure) {
  return &backpressure->hurry;
}

bool backpressure_rest(struct backpressure *backpressure, uint64_t when) {
  pthread_mutex_lock(&backpressure->lock);
  while (!backpressure->ended && !backpressure->waiting &&
         !wait_for_backpressure(backpressure, when))
    ;
  const bool ended = backpressure->ended;
  pthread_mutex_unlock(&backpressure->lock);
  return !ended;
}

bool backpressure_has_ended(struct backpressure *backpressure) {
  pthread_mutex_lock(&backpressure->lock);
  const bool ended = backpressure->ended;
  pthread_mutex_unlock(&backpressure->lock);
  return ended;
}

void backpressure_end(struct backpressure *backpressure) {
  pthread_mutex_lock(&backpressure->lock);
  backpressure->ended = true;
  set_hurry(backpressure, true);
  pthread_cond_broadcast(&backpressure->changed);
  pthread_mutex_unlock(&backpressure->lock);
}

uint64_t backpressure_waited(struct backpressure *backpressure) {
  pthread_mutex_lock(&backpressure->lock);
  const uint64_t waited = backpressure->waited;
  pthread_mutex_unlock(&backpressure->lock);
  return waited;
}
