// SPDX-License-Identifier: GPL-3.0-or-later
// The transactions that a reader had observed, by the axiom of a level below
// PC, among the transactions that have been placed.
#ifndef CHECKER_WEAK_OBSERVED_H
#define CHECKER_WEAK_OBSERVED_H

#include "checker/model/model.h"

struct observed {
  const struct model *m;
  enum isolation level;
  const uint32_t *place; // per transaction: 1 + its place; 0: not placed
  uint32_t *met, now,
      *queue;            // of a search; made when first needed, to be freed
  uint32_t reader, from; // whose past that was, and how far back; NO_ID:
                         // nobody's, as after places were taken away
};

// Finds, at CC, the past of transaction t among the transactions at place
// `from` or later, which had_observed then looks up.  Returns the number of
// operations that were looked at.  If it exceeds `limit`, the search has given
// up, and had_observed must not be asked.
uint64_t observed_search(struct observed *observed, uint32_t t, uint32_t from,
                         uint64_t limit);

// Had transaction t, when it read, observed `other`?
bool had_observed(const struct observed *observed, uint32_t t, uint32_t read,
                  uint32_t other);

#endif
