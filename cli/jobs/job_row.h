// SPDX-License-Identifier: GPL-3.0-or-later
// A run as a row of the table that ends several runs (cli/jobs/job.h).
#ifndef CLI_JOBS_JOB_ROW_H
#define CLI_JOBS_JOB_ROW_H

#include "cli/jobs/job.h"

// The name stays as it is.
void job_fill_row(struct job_row *row, const struct report *report);

#endif
