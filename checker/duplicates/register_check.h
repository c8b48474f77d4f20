// SPDX-License-Identifier: GPL-3.0-or-later
// A register whose operations no order explains that real time allows, whatever
// else the transactions did (Herlihy and Wing, "Linearizability", 1990: what is
// linearizable is so key by key).
#ifndef CHECKER_DUPLICATES_REGISTER_CHECK_H
#define CHECKER_DUPLICATES_REGISTER_CHECK_H

#include "checker/duplicates/candidates.h"
#include "checker/part/subhistory.h"

// Where real time counts, of registers: operations that are not explained, with
// all writes that their ambiguous reads may have seen, to be freed; as few as
// can be told soon.  False: none is known of; what reads saw in the orders that
// explain their registers is likely then.
bool unexplained_find(struct ambiguity *a, struct operations *core);

#endif
