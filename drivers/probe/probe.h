// SPDX-License-Identifier: GPL-3.0-or-later
// Tests a driver by its slots.  No two transactions of a check conflict, or
// only one outcome is possible: what goes wrong then is the driver, or the
// sentence says what else it can be.
#ifndef DRIVERS_PROBE_PROBE_H
#define DRIVERS_PROBE_PROBE_H

#include "drivers/driver.h"

#include <signal.h>

enum probe_result {
  PROBE_PASSED,
  PROBE_FAILED,  // the driver is wrong
  PROBE_LOOK,    // the driver or the store: a person has to look
  PROBE_SKIPPED, // it cannot be asked of this store
};

// One check, as it ended.
struct probe_said {
  const char *check;
  const char *level; // NULL: it is of no level in particular
  enum probe_result result;
  char sentence[640];       // why, unless it passed
  uint32_t nended, nchecks; // how many have ended with it, and there are in all
};

struct probe_options {
  const char *target;                // as typed
  const struct driver *loaded;       // as for target_open; or NULL
  const volatile sig_atomic_t *stop; // ends it within a second
  void (*said)(void *context, const struct probe_said *said);
  void *context;
};

// Performs all checks, and says what each found.  -1 with a sentence if the
// target cannot be opened or set up.  1: it was stopped while a call was under
// way that does not end, so that the process should end at once.
int probe_driver(const struct probe_options *options, struct error *error);

// Performs the checks that take milliseconds, on a target that is open and
// afterwards to be set up again.  -1 with a sentence if one of them failed.
int probe_quickly(struct target *target, struct error *error);

#endif
