// SPDX-License-Identifier: GPL-3.0-or-later
// A run as a JUnit test suite, which CI systems show: a test for the level, and
// one for each requirement.
#ifndef CLI_JOBS_JUNIT_H
#define CLI_JOBS_JUNIT_H

#include "cli/jobs/requirement.h"
#include "report/report.h"

// -1 with a sentence that names the file.
int junit_write(const char *path, const char *name, const struct report *report,
                const struct requirements *requirements, struct error *error);

#endif
