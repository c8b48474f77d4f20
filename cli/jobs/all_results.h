// SPDX-License-Identifier: GPL-3.0-or-later
// The page that leads to all results in a directory.
#ifndef CLI_JOBS_ALL_RESULTS_H
#define CLI_JOBS_ALL_RESULTS_H

#include "base/error.h"

#include <stdint.h>

#define ALL_RESULTS_PAGE "index.html"

// Writes index.html in a directory that holds results of runs, sweeps and
// scorecards, or directories of them.  Results that cannot be read are named on
// stderr and on the page, in a sentence each.  `*nresults` says how many there
// are; no page is written if there are none.  -1 with a sentence.
int all_results_write(const char *directory, uint32_t *nresults,
                      struct error *error);

#endif
