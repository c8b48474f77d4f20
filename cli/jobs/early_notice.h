// SPDX-License-Identifier: GPL-3.0-or-later
// The violation that was seen while a run recorded, against what its whole
// history shows.
#ifndef CLI_JOBS_EARLY_NOTICE_H
#define CLI_JOBS_EARLY_NOTICE_H

#include "cli/jobs/checking.h"
#include "cli/jobs/watch.h"
#include "report/report.h"

// Fills in what a report says of the notice.  `checking` has decided about the
// run of which these are the figures, whose clock counts steps if `steps`.  -1
// with a sentence if a check failed, or if there is no violation after all.
int notice_tell(const struct notice *notice, const struct run_figures *run,
                bool steps, const struct checking *checking,
                struct notice_figures *figures, struct error *error);

#endif
