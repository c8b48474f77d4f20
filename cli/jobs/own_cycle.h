// SPDX-License-Identifier: GPL-3.0-or-later
// A cycle of transactions in a sentence about the user's own scripts and
// tables.
#ifndef CLI_JOBS_OWN_CYCLE_H
#define CLI_JOBS_OWN_CYCLE_H

#include "checker/verdict/verdict.h"
#include "cli/jobs/own_count.h"

// "Two runs of get.pgbench each wrote a row that the search of the other one
// had missed: label 33 and label 17", in the arena; NULL: it is of no kind that
// can be told so.  The violation has a cycle, of items or of rows.
const char *own_cycle(struct arena *arena, const struct own_counts *counts,
                      const struct history *history,
                      const struct verdict *violation);

#endif
