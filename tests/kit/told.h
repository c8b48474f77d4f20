// SPDX-License-Identifier: GPL-3.0-or-later
// For tests of what is told about a history: one written down as text
// (recorder/formats/TEXT.md), and its verdict.
#ifndef TESTS_KIT_TOLD_H
#define TESTS_KIT_TOLD_H

#include "checker/verdict/verdict.h"

// Free with told_free.
struct told {
  struct history history;
  struct verdict verdict;
};

// The verdict at the level, in session order.  The test program ends where the
// text is no history.
struct told told_of(const char *text, enum isolation level);
// And in the order of real time.
struct told told_in_time(const char *text, enum isolation level);
void told_free(struct told *told);

#endif
