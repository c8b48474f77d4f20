// SPDX-License-Identifier: GPL-3.0-or-later
// Tiny histories that start in the middle of things, so that what nobody wrote
// may have been there: as the reader takes them, and as they should be taken,
// said once more in the plainest way.
#ifndef TESTS_KIT_MIDDLE_H
#define TESTS_KIT_MIDDLE_H

#include "tests/kit/tiny.h"

// Leaves out the transactions that ended first, but not all.
void middle_cut(struct tiny *tiny, unsigned ntxns);

// As tiny_history, but with recorder/builder/first_reads.h's first reads.
const struct history *middle_history(const struct tiny *tiny,
                                     struct tiny_history *room);

// Turns the history into one that starts with initial values: a value that a
// first read saw becomes 0, or leaves the list; other values that nobody wrote
// stay.
void middle_expected(const struct tiny *tiny, struct tiny *expected);

#endif
