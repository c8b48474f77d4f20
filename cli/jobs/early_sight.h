// SPDX-License-Identifier: GPL-3.0-or-later
// What was seen while a run recorded, against what its whole history shows.
#ifndef CLI_JOBS_EARLY_SIGHT_H
#define CLI_JOBS_EARLY_SIGHT_H

#include "cli/jobs/checking.h"
#include "cli/jobs/watch.h"
#include "report/report.h"

// Fills in what a report says of the sight.  `checking` has decided about the
// run of which these are the figures, whose clock counts steps if `steps`.  -1
// with a sentence if a check failed, or if there is no violation after all.
int sight_tell(const struct sight *sight, const struct run_figures *run,
               bool steps, const struct checking *checking,
               struct sight_figures *figures, struct error *error);

#endif
