// SPDX-License-Identifier: GPL-3.0-or-later
// For tests of work that may be told to stop: the linker, by
// -Wl,--wrap=stop_is_set, puts a function in the place of the one that asks
// (base/stop.h), which says yes from the k-th question on.
#ifndef TESTS_KIT_STOP_H
#define TESTS_KIT_STOP_H

#include "base/stop.h"

#include <stddef.h>

static uint64_t asked, answer_from;

bool __wrap_stop_is_set(const volatile bool *stop);
bool __wrap_stop_is_set(const volatile bool *stop) {
  return stop && ++asked >= answer_from;
}

// Nobody asks from here on but with `stop_flag`; UINT64_MAX: no.
static inline void answer_yes_from(uint64_t k) {
  asked = 0;
  answer_from = k;
}

static const volatile bool stop_flag = false; // the function above answers

#endif
