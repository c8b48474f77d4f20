// SPDX-License-Identifier: GPL-3.0-or-later
// The part of a large history that was recorded about the time of what is known
// to be wrong with it.  Whatever leads from a write to a read that missed it
// happened in between, if the clocks were right; so a violation is looked for
// there first, for less than it takes to understand the whole.
#ifndef CHECKER_NEARBY_H
#define CHECKER_NEARBY_H

#include "checker/checker.h"
#include "checker/model.h"
#include "checker/prefix.h"
#include "checker/subhistory.h"

struct nearby {
  struct operations ops; // of the whole
  struct history part;
  uint32_t *txn_of_part; // as of subhistory_extract
};

// All that went on during one of the cycles, with what it read.  False, and
// nothing is taken, if that is not much less than the history, or its times are
// not known.
bool nearby_take(struct nearby *nearby, const struct model *m,
                 const struct prefix_cycles *cycles);

// Makes a violation of the part, by no wrong read, one of the whole, and so the
// further ones that were found with it.
void nearby_rename(const struct nearby *nearby, struct verdict *violation);

void nearby_free(struct nearby *nearby);

#endif
