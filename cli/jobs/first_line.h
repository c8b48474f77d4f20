// SPDX-License-Identifier: GPL-3.0-or-later
// The line that a run begins with.
#ifndef CLI_JOBS_FIRST_LINE_H
#define CLI_JOBS_FIRST_LINE_H

#include "cli/jobs/run_plan.h"

// Writes "isostress run: MariaDB 10.11.19, REPEATABLE READ, 8 sessions, 100
// rows, seed 11" in lines of 80 characters.  `server` is what the database says
// of itself, or "".
void first_line_put(FILE *out, const struct run_plan *plan, const char *server);

#endif
