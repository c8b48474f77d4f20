// SPDX-License-Identifier: GPL-3.0-or-later
// The one place where time is read.
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <pthread.h>
#include <stdint.h>
#include <time.h>

#define NS_PER_SECOND UINT64_C(1000000000)

// Nanoseconds of the machine's monotonic clock; the zero point is arbitrary but
// the same for all threads and processes of one machine.
uint64_t clock_now(void);

// Nanoseconds since 1970, for dating files and reports only.
uint64_t clock_wall(void);

// A time of the monotonic clock, as functions of the system take it.
struct timespec clock_timespec(uint64_t when);

// A condition that is waited for until such a time.
void clock_condition_init(pthread_cond_t *condition);

// Sleeps until the monotonic clock shows `when`, or until a signal arrives.
void clock_sleep_until(uint64_t when);

#endif
