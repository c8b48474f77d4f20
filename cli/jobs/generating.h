// SPDX-License-Identifier: GPL-3.0-or-later
// Histories without a database: the built-in store executes a workload in one
// thread, in an order that the seed decides and by a clock that counts steps.
#ifndef CLI_JOBS_GENERATING_H
#define CLI_JOBS_GENERATING_H

#include "cli/settings/settings.h"

#include <stdint.h>

struct generated {
  uint64_t committed, aborted; // attempts
  uint64_t operations;         // of committed ones
  uint64_t seed;
};

// Writes a history by the settings of the command generate, which nobody ever
// sees a part of.  Equal settings with equal seeds make equal files.  -1 with a
// sentence; also if a signal came.
int generate_history(const struct settings *settings, const char *path,
                     struct generated *generated, struct error *error);

#endif
