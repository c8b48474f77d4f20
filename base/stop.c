// SPDX-License-Identifier: GPL-3.0-or-later
// Asks the flag (base/stop.h).  Out of line, so that a test can put a function
// of its own in its place.
#include "config.h"

#include "base/stop.h"

#include <stddef.h>

bool stop_is_set(const volatile bool *stop) {
  return stop && __atomic_load_n(stop, __ATOMIC_RELAXED);
}
