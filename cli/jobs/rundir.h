// SPDX-License-Identifier: GPL-3.0-or-later
// The directory that keeps what a run found.
#ifndef CLI_JOBS_RUNDIR_H
#define CLI_JOBS_RUNDIR_H

#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>

#define RUN_HISTORY "history"  // the name of what was recorded, in it
#define RUN_SET "history.set"  // of the list of what several ranks recorded
#define RUN_SEEN "seen"        // of what becomes the history (own/journal.h)
#define RUN_SETTINGS "job.ini" // of what the run was asked to do
// In the directory of a scorecard, which holds no history:
#define SCORECARD_TEXT "scorecard.txt"
#define SCORECARD_PAGE "scorecard.html"

// Makes DATE-TIME-SCHEME-WORKLOAD-LEVEL[-N] in `out`, which is made as well if
// it is not there; the path is to be freed.  -1 with a sentence.
int rundir_make(const char *out, const char *scheme, const char *workload,
                const char *level, char **path, struct error *error);

// Is it the name of what a run recorded, or of the list of what its ranks did?
// And is it that of a rank's own part?
bool rundir_is_history(const char *name);
bool rundir_is_part(const char *name);

// Makes a directory and those above it, if they are not there.
int rundir_make_path(const char *path, struct error *error);

// Removes the directory of a run that did not take place: the file `name`, an
// empty history, and the directory unless it holds anything else.
void rundir_discard(const char *path, const char *name);

// Says that a command is at work in the directory, until the descriptor that is
// returned is closed or the process ends.  -1 where directories cannot be
// locked.
int rundir_hold(const char *path);

// As rundir_hold, but -1 where a command is at work in it, or there is no such
// directory.
int rundir_take(const char *path);

// Whatever `latest` beside the directory is, it must be a link.  -1 with a
// sentence if it is not.
int rundir_check_latest(const char *path, struct error *error);

// Lets `latest`, beside the directory, point to it.
int rundir_make_latest(const char *path, struct error *error);

// Writes a file of the directory by calling `write`; it appears under its name
// when it is complete.
int rundir_write(const char *path, const char *name,
                 void (*write)(FILE *file, const void *context),
                 const void *context, struct error *error);

#endif
