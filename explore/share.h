// SPDX-License-Identifier: GPL-3.0-or-later
// Sharing an exploration out.  The paths of the exploration are cut at a depth
// (of reads and begun transactions): each subtree below is a unit, and so is
// each history above.  Every worker walks all that lies above the cut, which
// gives the units the same numbers, and explores those that it takes.
#ifndef EXPLORE_SHARE_H
#define EXPLORE_SHARE_H

#include <stdbool.h>
#include <stdint.h>

struct share {
  uint32_t depth;
  uint64_t nunits;       // how many there are
  uint32_t part, nparts; // only units whose number is `part` modulo `nparts`
  uint8_t *taken;        // by unit: a worker has it; NULL: nobody takes any
  bool enough;           // a worker has seen what all look for
};

// Is this unit the caller's?  If so, it is nobody else's.
static inline bool share_takes(struct share *share, uint64_t unit) {
  return share->taken && unit < share->nunits &&
         unit % share->nparts == share->part &&
         !__atomic_exchange_n(&share->taken[unit], 1, __ATOMIC_RELAXED);
}

#endif
