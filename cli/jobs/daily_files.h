// SPDX-License-Identifier: GPL-3.0-or-later
// The files of daily transactions (workload/daily.h) for a driver, as a run
// takes files of the user's.
#ifndef CLI_JOBS_DAILY_FILES_H
#define CLI_JOBS_DAILY_FILES_H

#include "base/error.h"

struct daily_files {
  char *schema;    // path
  char *scripts;   // paths with "," between them
  char *invariant; // a SELECT whose number is to be 0
};

// Finds those of "order" or "order-racy", which is a name of the table.  A
// folder "NAME/DRIVER" has them for another driver than PostgreSQL.  -1 with a
// sentence, and `files` holds nothing.
int daily_files_find(struct daily_files *files, const char *name,
                     const char *driver, struct error *error);
void daily_files_free(struct daily_files *files);

#endif
