// SPDX-License-Identifier: GPL-3.0-or-later
// Twins: two sessions that begin a transaction together, with the same random
// choices.  Races that need the same rows at the same moment show so.
#ifndef WORKLOAD_TWINS_H
#define WORKLOAD_TWINS_H

#include "workload/workload.h"

// The session beside this one, if it has one: 0 and 1 are twins, 2 and 3...
static inline bool twins_has(const struct workload_options *options,
                             uint32_t session) {
  return options->twins > 0 && (session ^ 1) < options->nsessions;
}

// The seed of the choices that both make in their transaction of this number,
// from 0; or 0: each makes its own.
uint64_t twins_seed(const struct workload_options *options, uint32_t session,
                    uint64_t number);

#endif
