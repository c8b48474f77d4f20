// SPDX-License-Identifier: GPL-3.0-or-later
// One run from its settings to its report.
#ifndef CLI_JOB_H
#define CLI_JOB_H

#include "cli/commands.h"
#include "cli/settings.h"

// Runs, checks, keeps the results and prints the report to stdout; mistakes and
// troubles go to stderr.  `name` is the job's section.  The settings are
// completed: seed, level, limits.
enum status job_run(const char *name, struct settings *settings);

#endif
