// SPDX-License-Identifier: GPL-3.0-or-later
// The versions that a transaction is known to have observed, whatever its place
// in a commit order: of each row the last one whose writer is visible to it.
#ifndef CHECKER_ROWS_SIGHT_H
#define CHECKER_ROWS_SIGHT_H

#include "base/ids.h"
#include "checker/model/model.h"

struct row_sight {
  const struct history *h;
  const struct model *m; // of its registers
  const uint32_t *rank;  // per transaction: in the order, from 1
  uint32_t *version;     // per key: the last one that is visible, or NO_ID
  struct ids touched;    // keys that have one
};

// Refers to all three.  At first nothing is visible.
void sight_open(struct row_sight *sight, const struct history *history,
                const struct model *model, const uint32_t *rank);
void sight_close(struct row_sight *sight);

// The rank of the version's writer; 0 for what was there at first.
static inline uint32_t sight_rank(const struct row_sight *sight,
                                  uint32_t version) {
  return is_initial(sight->m, version)
             ? 0
             : sight->rank[writer_of(sight->m, version)];
}

// Has visible what the transaction wrote.
void sight_add(struct row_sight *sight, uint32_t txn);

// Nothing is visible any more.
void sight_forget(struct row_sight *sight);

#endif
