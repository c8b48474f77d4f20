// SPDX-License-Identifier: GPL-3.0-or-later
// The clock (base/clock.h).
#include "config.h"

#include "base/clock.h"

static uint64_t read_clock(clockid_t id) {
  struct timespec t;
  clock_gettime(id, &t);
  return (uint64_t)t.tv_sec * NS_PER_SECOND + (uint64_t)t.tv_nsec;
}

uint64_t clock_now(void) { return read_clock(CLOCK_MONOTONIC); }

uint64_t clock_wall(void) { return read_clock(CLOCK_REALTIME); }

struct timespec clock_timespec(uint64_t when) {
  return (struct timespec){.tv_sec = (time_t)(when / NS_PER_SECOND),
                           .tv_nsec = (long)(when % NS_PER_SECOND)};
}

void clock_condition_init(pthread_cond_t *condition) {
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(condition, &monotonic);
  pthread_condattr_destroy(&monotonic);
}

void clock_sleep_until(uint64_t when) {
  const struct timespec t = clock_timespec(when);
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}
