// SPDX-License-Identifier: GPL-3.0-or-later
// Checks a history whose reads may have seen any of several writes of a value,
// as the polygraphs of VeriStrong have several writers for a read.
//
// A level that is broken without these reads is broken whatever they saw.  Else
// what they saw is a choice of the search for an order that keeps PC or, if
// that is stronger, the level (checker/duplicates/polygraph.h): it finds a way
// to take them, or from PC up a few operations that leave none.  For these an
// argument is looked for that says so (struct verdict, `ways`).  Where all this
// does not tell, as below PC, with lists, and with levels of their own, the
// most likely way to take the reads may keep the level.
#ifndef CHECKER_DUPLICATES_CHECK_AMBIGUOUS_H
#define CHECKER_DUPLICATES_CHECK_AMBIGUOUS_H

#include "checker/verdict/verdict.h"

// As `check`; the history has `again`.  A VIOLATION has no further examples,
// unless it holds whatever the reads saw.
int check_ambiguous(const struct history *history,
                    const struct check_options *options,
                    struct verdict *verdict, struct error *error);

#endif
