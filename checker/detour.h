// SPDX-License-Identifier: GPL-3.0-or-later
// Smaller parts by shorter ways: where a part of a history leads from one
// transaction to another over several, the whole may know of fewer.
#ifndef CHECKER_DETOUR_H
#define CHECKER_DETOUR_H

#include "checker/model.h"
#include "checker/subhistory.h"

// The operations are a minimal part that breaks the level.  Makes them another
// one, of fewer transactions, as long as one is found within a bound on time;
// ends early, with a part like that, once *options->stop is set.  The model is
// of the whole history, and its overwriters are linked.
void detour_avoid(struct operations *ops, const struct model *m,
                  const struct check_options *options);

#endif
