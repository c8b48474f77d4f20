// SPDX-License-Identifier: GPL-3.0-or-later
// Pace (recorder/record/backpressure.h): two marks in the file, and a lock that
// is taken once per piece of a session log and once per look.
#include "config.h"

#include "recorder/record/backpressure.h"

#include "base/clock.h"
#include "base/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct pace {
  struct pace_limits limits;
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

struct pace *pace_new(const struct pace_limits *limits) {
  struct pace *pace = xcalloc(1, sizeof *pace);
  pthread_condattr_t monotonic;
  pace->limits = *limits;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_mutex_init(&pace->lock, NULL);
  pthread_cond_init(&pace->changed, &monotonic);
  pthread_condattr_destroy(&monotonic);
  return pace;
}

void pace_free(struct pace *pace) {
  if (!pace)
    return;
  pthread_cond_destroy(&pace->changed);
  pthread_mutex_destroy(&pace->lock);
  free(pace);
}

const struct pace_limits *pace_limits(const struct pace *pace) {
  return &pace->limits;
}

static void set_hurry(struct pace *pace, bool hurry) {
  __atomic_store_n(&pace->hurry, hurry, __ATOMIC_RELAXED);
}

static bool is_too_far_behind(const struct pace *pace, uint64_t now) {
  const struct pace_limits *limits = &pace->limits;
  if (pace->ended || pace->written <= pace->read)
    return false;
  return (limits->bytes && pace->written - pace->read > limits->bytes) ||
         (limits->lag && now > pace->since && now - pace->since > limits->lag);
}

void pace_written(struct pace *pace, uint64_t bytes) {
  pthread_mutex_lock(&pace->lock);
  if (pace->written <= pace->read)
    pace->since = clock_now();
  pace->written = bytes;
  pthread_mutex_unlock(&pace->lock);
}

// Returns whether it waited until `when`.
static bool wait_until(struct pace *pace, uint64_t when) {
  const struct timespec t = {.tv_sec = (time_t)(when / NS_PER_SECOND),
                             .tv_nsec = (long)(when % NS_PER_SECOND)};
  return pthread_cond_timedwait(&pace->changed, &pace->lock, &t) != 0;
}

bool pace_wait(struct pace *pace) {
  const uint64_t begin = clock_now(), patience = pace->limits.patience;
  uint64_t now = begin;
  pthread_mutex_lock(&pace->lock);
  while (is_too_far_behind(pace, now)) {
    if (!pace->waiting++) // the reader may be resting
      pthread_cond_broadcast(&pace->changed);
    if (!patience)
      pthread_cond_wait(&pace->changed, &pace->lock);
    else if (wait_until(pace, now + patience))
      set_hurry(pace, true);
    pace->waiting--;
    now = clock_now();
  }
  pace->waited += now - begin;
  pthread_mutex_unlock(&pace->lock);
  return now > begin;
}

void pace_read(struct pace *pace, uint64_t bytes, uint64_t when) {
  pthread_mutex_lock(&pace->lock);
  pace->read = bytes;
  pace->since = when;
  if (!pace->ended)
    set_hurry(pace, false);
  pthread_cond_broadcast(&pace->changed);
  pthread_mutex_unlock(&pace->lock);
}

const volatile bool *pace_hurry(const struct pace *pace) {
  return &pace->hurry;
}

bool pace_rest(struct pace *pace, uint64_t when) {
  pthread_mutex_lock(&pace->lock);
  while (!pace->ended && !pace->waiting && !wait_until(pace, when))
    ;
  const bool ended = pace->ended;
  pthread_mutex_unlock(&pace->lock);
  return !ended;
}

bool pace_has_ended(struct pace *pace) {
  pthread_mutex_lock(&pace->lock);
  const bool ended = pace->ended;
  pthread_mutex_unlock(&pace->lock);
  return ended;
}

void pace_end(struct pace *pace) {
  pthread_mutex_lock(&pace->lock);
  pace->ended = true;
  set_hurry(pace, true);
  pthread_cond_broadcast(&pace->changed);
  pthread_mutex_unlock(&pace->lock);
}

uint64_t pace_waited(struct pace *pace) {
  pthread_mutex_lock(&pace->lock);
  const uint64_t waited = pace->waited;
  pthread_mutex_unlock(&pace->lock);
  return waited;
}
