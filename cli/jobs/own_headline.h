// SPDX-License-Identifier: GPL-3.0-or-later
// A counterexample in a sentence about the user's own scripts and tables.
#ifndef CLI_JOBS_OWN_HEADLINE_H
#define CLI_JOBS_OWN_HEADLINE_H

#include "checker/verdict/verdict.h"
#include "cli/jobs/own_count.h"

// "Two runs of sell.pgbench both read quantity = 3 of stock 1, and both wrote
// 2", in the arena; NULL: it is of no kind that can be told so.
const char *own_headline(struct arena *arena, const struct own_counts *counts,
                         const struct history *history,
                         const struct verdict *violation);

#endif
