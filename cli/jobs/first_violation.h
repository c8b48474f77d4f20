// SPDX-License-Identifier: GPL-3.0-or-later
// How soon a history breaks a level.
#ifndef CLI_JOBS_FIRST_VIOLATION_H
#define CLI_JOBS_FIRST_VIOLATION_H

#include "checker/verdict/verdict.h"

struct first_violation {
  uint64_t committed; // transactions that had committed when it was broken
  uint64_t time;      // ns since the start of the run, when that was
};

// The beginning of the history, in the order in which transactions ended, that
// breaks the level as the whole does, of which `verdict`, a violation, is.  Of
// the first 4096 transactions it is exact, later within one in 32.  Of a
// history with SQL statements it is the beginning that has all of the violation
// that is told.  The history has times.  -1 with a sentence if a check failed.
int first_violation_find(const struct history *history,
                         const struct verdict *verdict,
                         struct first_violation *first, struct error *error);

#endif
