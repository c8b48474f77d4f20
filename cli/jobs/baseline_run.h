// SPDX-License-Identifier: GPL-3.0-or-later
// How much sooner an aim found its anomaly than the workload would have without
// it: measured by running once more, without.
#ifndef CLI_JOBS_BASELINE_RUN_H
#define CLI_JOBS_BASELINE_RUN_H

#include "cli/jobs/first_violation.h"
#include "cli/settings/settings.h"
#include "report/report.h"

// Runs again what `settings`, completed, ran with an aim, but without it, into
// the directory `directory`/baseline, and until the first violation: as long at
// most as that run was told to, or, if it was told to end at a violation only,
// BASELINE_TIMES as long as it took to show one.  `aided` is when it did.  The
// question is the one that was checked.  Nothing is printed.  -1 if the run
// could not take place or be checked, which has been said.
enum { BASELINE_TIMES = 20 };
int baseline_run(const struct settings *settings, const char *directory,
                 int question, const struct first_violation *aided,
                 struct aim_figures *figures);

#endif
