// SPDX-License-Identifier: GPL-3.0-or-later
// The quick way to a commit order for the levels below PC: the recorded order,
// put right where write-read and what a reader had observed contradict it.
#ifndef CHECKER_PREFIX_H
#define CHECKER_PREFIX_H

#include "checker/model.h"
#include "checker/saturate.h"

#include <stdbool.h>

// Transactions each of which has to come after the next one, and the last after
// the first: by session order, write-read, or one of the demands.  One that
// observed who overwrote an initial value that it read stands alone.
struct prefix_cycle {
  uint32_t *txns; // owned, as the demands are
  uint32_t ntxns, room;
  struct demands demands;
};

// Those that were met one after the other, as if there were no demands of the
// ones before.
struct prefix_cycles {
  struct prefix_cycle *items; // owned; free with prefix_cycles_free
  uint32_t count, room;
  bool all; // but for their demands there is an order
};
enum { PREFIX_MAX_CYCLES = 64 };
void prefix_cycles_free(struct prefix_cycles *cycles);

// A commit order that keeps RC, RA or CC, of m->counts' transactions that
// count; NULL if none was found this way, which says nothing about the history,
// or if `stop` was set.  The model has no finding that breaks the level and no
// lists; only its reads need be understood.  Owned by the caller.
// Without an order, `cycles` (which are empty at first, or NULL) may tell that
// there is none.
uint32_t *prefix_order(const struct model *m, enum isolation level,
                       volatile const bool *stop, uint32_t *norder,
                       struct prefix_cycles *cycles);

#endif
