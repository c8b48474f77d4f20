// SPDX-License-Identifier: GPL-3.0-or-later
// Checks a history whose reads may have seen any of several writes of a value,
// as the polygraphs of VeriStrong have several writers for a read.
//
// Where real time counts, a register without an order is looked for first
// (checker/duplicates/register_check.h), which is a matter of a few operations.
// Otherwise what the reads of registers saw is a choice of the search for an
// order (checker/duplicates/polygraph.h): it finds a way to take them that
// keeps the level, or the few operations that leave none.  Of these, or of the
// history where that search does not tell, one way after the other is taken,
// the most likely one first, and checked; what breaks the level then is one
// small part, which breaks it however the reads outside of the part are taken.
// So it is never taken that way again, until a way keeps the level or none is
// left: the argument of a VIOLATION is made of such parts.
#ifndef CHECKER_DUPLICATES_ASSIGN_H
#define CHECKER_DUPLICATES_ASSIGN_H

#include "checker/verdict/verdict.h"

// As `check`; the history has `again`.  A VIOLATION has no further examples,
// unless it holds whatever the reads saw.
int check_ambiguous(const struct history *history,
                    const struct check_options *options,
                    struct verdict *verdict, struct error *error);

#endif
