// SPDX-License-Identifier: GPL-3.0-or-later
// The directory that keeps what a run found.
#ifndef CLI_RUNDIR_H
#define CLI_RUNDIR_H

#include "base/error.h"

#include <stdio.h>

#define RUN_HISTORY "history" // the name of what was recorded, in it

// Makes DATE-TIME-SCHEME-WORKLOAD-LEVEL[-N] in `out`, which is made as well if
// it is not there; the path is to be freed.  -1 with a sentence.
int rundir_make(const char *out, const char *scheme, const char *workload,
                const char *level, char **path, struct error *error);

// Makes a directory and those above it, if they are not there.
int rundir_make_path(const char *path, struct error *error);

// Removes a directory that holds nothing but the file `name`, if it does.
void rundir_discard(const char *path, const char *name);

// Lets `latest`, beside the directory, point to it.
int rundir_make_latest(const char *path, struct error *error);

// Writes a file of the directory by calling `write`; it appears under its name
// when it is complete.
int rundir_write(const char *path, const char *name,
                 void (*write)(FILE *file, const void *context),
                 const void *context, struct error *error);

#endif
