// SPDX-License-Identifier: GPL-3.0-or-later
// What open reads are likely to have seen where there are demands: whatever the
// order of events has before the reader is there to be seen, if the demands on
// all reads of the reader can be met.  So the readers are taken in that order,
// those first that find what they read: more is there to be seen for the others
// then.
#ifndef CHECKER_FORESIGHT_H
#define CHECKER_FORESIGHT_H

#include "checker/solver.h"

// Of a problem with demands and open reads, before anything is chosen;
// sights_close frees it.
void foresight_open(struct solver *solver);

// Decides what the next read saw; false: that is known of all.  The problem has
// no chains.
bool foresight_choose(struct solver *solver);

#endif
