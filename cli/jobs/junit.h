// SPDX-License-Identifier: GPL-3.0-or-later
// Runs as JUnit test suites, which CI systems show: a suite for each run, and
// in it a test for the level, one for the invariant or the model, and one for
// each requirement.
#ifndef CLI_JOBS_JUNIT_H
#define CLI_JOBS_JUNIT_H

#include "report/report.h"

// The suite of a run as XML; to be freed.
char *junit_suite(const char *name, const struct report *report);

// Writes the suites of that many runs; NULL among them is none.  -1 with a
// sentence that names the file.
int junit_write(const char *path, char *const *suites, uint32_t nsuites,
                struct error *error);

#endif
