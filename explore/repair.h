// SPDX-License-Identifier: GPL-3.0-or-later
// Changes of a program that make its assertions hold, found by trying them.
#ifndef EXPLORE_REPAIR_H
#define EXPLORE_REPAIR_H

#include "explore/survey.h"

// Does every history of the program keep all assertions?  Then true; false also
// if that was stopped before it was known.
bool program_holds(const struct program *program,
                   const struct explore_options *options);

// A read that, made `for update`, is enough alone.
struct lock_repair {
  uint32_t instruction, line;
  const char *transaction, *key; // its name, without arguments
};

// The reads of which each alone is enough, at most `most`; how many.  The
// program is as before when it returns.
uint32_t repair_by_locks(struct program *program,
                         const struct explore_options *options,
                         struct lock_repair *repairs, uint32_t most);

// A weakest level for each kind of transaction, greedily, in the program's
// order, from ser on; false if the assertions do not hold at ser.  The
// transactions of the program name these levels when it returns.
bool allocate_levels(struct program *program,
                     const struct explore_options *options);

#endif
